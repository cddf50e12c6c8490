// Values as text.
import type { Data, Frame, Numeric, TensorData } from "./data";

export function number(value: Numeric): string {
  if (typeof value !== "number") return String(value);
  if (Number.isInteger(value) && Math.abs(value) < 1e6) return String(value);
  const size = Math.abs(value);
  return size !== 0 && (size < 1e-3 || size >= 1e5) ? value.toExponential(3) : String(Number(value.toPrecision(4)));
}

export function form(tensor: TensorData): string {
  return `${tensor.dtype}[${tensor.shape.join(", ")}]`;
}

function nested(numbers: Numeric[], shape: number[], start: number): [string, number] {
  const [first, ...rest] = shape;
  if (first === undefined) return [number(numbers[start] ?? ""), start + 1];
  const parts: string[] = [];
  let at = start;
  for (let i = 0; i < first; i++) {
    const [text, next] = nested(numbers, rest, at);
    parts.push(text);
    at = next;
  }
  return [`[${parts.join(", ")}]`, at];
}

/** All numbers of a small tensor, the range of a larger one. */
export function values(tensor: TensorData): string {
  if (!tensor.numbers) return "values that cannot be shown";
  const count = tensor.shape.reduce((a, b) => a * b, 1);
  if (count <= tensor.numbers.length) return nested(tensor.numbers, tensor.shape, 0)[0];
  const start = tensor.numbers.slice(0, 4).map(number).join(", ");
  const range = tensor.range;
  const rest = range ? `; from ${number(range[0])} to ${number(range[1])}, norm ${number(range[2])}` : "";
  return `${start}, …${rest}`;
}

export function short(tensor: TensorData, most = 26): string {
  const text = values(tensor);
  if (text.length <= most) return text;
  return tensor.range ? `norm ${number(tensor.range[2])}` : `${text.slice(0, most - 1)}…`;
}

export function described(data: Data, place: number | null | undefined): string {
  const tensor = place == null ? undefined : data.tensors[place];
  if (!tensor) return "None";
  const bad = tensor.bad ? `, ${tensor.bad} nan or infinite` : "";
  return `${form(tensor)}  ${values(tensor)}${bad}`;
}

export function bytes(count: number): string {
  let size = count;
  for (const unit of ["B", "kB", "MB"]) {
    if (size < 1000) return `${Number(size.toPrecision(3))} ${unit}`;
    size /= 1000;
  }
  return `${Number(size.toPrecision(3))} GB`;
}

const KINDS = { forward: "forward", backward: "backward", leaf: "leaf", optimizer: "optimizer" } as const;

export function title(frame: Frame): string {
  if (frame.kind === "leaf") return `leaf ${frame.label ?? ""}`.trim();
  if (frame.kind === "optimizer") return `step of ${frame.label ?? "a parameter"}`;
  const label = frame.label ? ` of ${frame.label}` : "";
  return `${KINDS[frame.kind]}: ${frame.name}${label}`;
}

export function isBad(data: Data, frame: Frame): boolean {
  const places = [...(frame.values ?? []), ...(frame.sent ?? []).map((sent) => sent.value)];
  return places.some((place) => place != null && (data.tensors[place]?.bad ?? 0) > 0);
}
