// The program, with what each line gave beside it, up to the frame that is looked at.
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { Data, Frame } from "./data";
import { form, isBad, short } from "./format";

interface Beside {
  frame: number;
  values: string[];
  gradient: string | null;
  bad: boolean;
}

/** {line: what stands beside it} of one file. */
function besides(data: Data, file: number, at: number): Map<number, Beside> {
  const found = new Map<number, Beside>();
  const line = (frame: Frame) => (frame.file === file ? frame.line : undefined);
  for (let i = 0; i <= at; i++) {
    const frame = data.frames[i];
    const where = frame && line(frame);
    if (!frame || where === undefined) continue;
    const there = found.get(where) ?? { frame: i, values: [], gradient: null, bad: false };
    found.set(where, there);
    there.frame = i;
    if (frame.kind === "forward") {
      there.values = (frame.values ?? []).flatMap((place) => {
        const tensor = place == null ? undefined : data.tensors[place];
        return tensor ? [`${form(tensor)} ${short(tensor)}`] : [];
      });
      there.gradient = null;
      if (frame.decided !== undefined) there.values = [frame.decided.slice(0, 40)];
    } else if (frame.kind === "backward") {
      const place = (frame.arrived ?? []).find((each) => each != null);
      const tensor = place == null ? undefined : data.tensors[place];
      if (tensor) there.gradient = short(tensor);
    }
    there.bad = isBad(data, frame);
  }
  return found;
}

export function Source(props: { data: Data; at: number; parting: number | null; go: (frame: number) => void }) {
  const { data, at, go } = props;
  const current = data.frames[at];
  const file = current?.file ?? 0;
  const lines = data.files[file]?.lines ?? [];
  const notes = useMemo(() => besides(data, file, at), [data, file, at]);
  const here = useRef<HTMLLIElement>(null);
  useEffect(() => here.current?.scrollIntoView({ block: "nearest" }), [at]);
  return (
    <section class="source" aria-label="Source">
      <h2>{data.files[file]?.name}</h2>
      <ol tabIndex={0} aria-label="Lines of the program">
        {lines.map((text, i) => {
          const beside = notes.get(i + 1);
          const isHere = current?.line === i + 1;
          const kinds = [isHere ? "here" : "", beside?.bad ? "bad" : "", props.parting === i + 1 && file === 0 ? "parts" : ""];
          return (
            <li key={i} ref={isHere ? here : undefined} class={kinds.join(" ")} aria-current={isHere ? "step" : undefined}>
              <code>{text || " "}</code>
              {beside && (
                <button type="button" class="beside" onClick={() => go(beside.frame)} title="go to the last time it ran">
                  {beside.values.map((value, k) => <span key={k} class="value">{value}</span>)}
                  {beside.gradient !== null && <span class="gradient">grad {beside.gradient}</span>}
                </button>
              )}
            </li>
          );
        })}
      </ol>
    </section>
  );
}
