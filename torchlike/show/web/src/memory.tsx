// What is held over time, and what holds it at the frame that is looked at.
import { useMemo } from "preact/hooks";
import type { Data } from "./data";
import { bytes } from "./format";

const WIDTH = 640, HEIGHT = 170;

/** Which lines hold what is saved for backward: of the Nodes of the pass that comes, or that runs. */
function holders(data: Data, at: number): [string, number][] {
  const frame = data.frames.slice(at).find((each) => each.kind === "backward");
  const graph = frame?.graph === undefined ? undefined : data.graphs[frame.graph];
  if (!graph || !frame) return [];
  const done = new Set(data.frames.slice(0, at + 1).filter((each) => each.pass === frame.pass).map((each) => each.node));
  const made = data.frames[at]?.kind === "backward" ? undefined : new Set(
    data.frames.slice(0, at + 1).filter((each) => each.kind === "forward").map((each) => `${each.file}:${each.line}`));
  const found = new Map<string, number>();
  graph.nodes.forEach((node, i) => {
    const where = `${node.file}:${node.line}`;
    if (!node.bytes || done.has(i) || node.file === undefined || (made && !made.has(where))) return;
    const name = `${data.files[node.file]?.name}:${node.line} ${node.title}`;
    found.set(name, (found.get(name) ?? 0) + node.bytes);
  });
  return [...found].sort((a, b) => b[1] - a[1]).slice(0, 8);
}

export function Memory(props: { data: Data; at: number; go: (frame: number) => void }) {
  const { data, at, go } = props;
  const count = data.frames.length;
  const most = useMemo(() => Math.max(1, ...data.frames.map((frame) => frame.memory.reduce((a, b) => a + b, 0))), [data]);
  const areas = useMemo(() => {
    const x = (i: number) => (count > 1 ? (i / (count - 1)) * WIDTH : 0);
    const below = new Array<number>(count).fill(0);
    return data.kinds.map((_, kind) => {
      const upper: string[] = [], lower: string[] = [];
      data.frames.forEach((frame, i) => {
        const start = below[i] ?? 0, end = start + (frame.memory[kind] ?? 0);
        below[i] = end;
        upper.push(`${x(i).toFixed(1)} ${(HEIGHT - (end / most) * HEIGHT).toFixed(1)}`);
        lower.unshift(`${x(i).toFixed(1)} ${(HEIGHT - (start / most) * HEIGHT).toFixed(1)}`);
      });
      return `M${[...upper, ...lower].join("L")}Z`;
    });
  }, [data, most]);
  const here = count > 1 ? (at / (count - 1)) * WIDTH : 0;
  const now = data.frames[at]?.memory ?? [];
  const click = (event: MouseEvent) => {
    const box = (event.currentTarget as SVGElement).getBoundingClientRect();
    go(Math.round(((event.clientX - box.left) / box.width) * (count - 1)));
  };
  const held = holders(data, at);
  return (
    <section class="memory" aria-label="Memory">
      <h2>Memory held, at most {bytes(most)}</h2>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img"
        aria-label={`Memory over ${count} frames, now ${bytes(now.reduce((a, b) => a + b, 0))}`} onClick={click}>
        {areas.map((area, kind) => <path key={kind} class={`kind${kind}`} d={area} />)}
        <line x1={here} x2={here} y1={0} y2={HEIGHT} />
      </svg>
      <table>
        <thead><tr><th scope="col">what</th><th scope="col">now</th></tr></thead>
        <tbody>
          {data.kinds.map((kind, i) => (
            <tr key={kind}><th scope="row"><span class={`swatch kind${i}`} />{kind === "saved" ? "saved for backward" : kind}</th>
              <td>{bytes(now[i] ?? 0)}</td></tr>
          ))}
        </tbody>
      </table>
      {held.length > 0 && (
        <>
          <h3>Saved for the backward pass by</h3>
          <table><tbody>{held.map(([name, size]) => <tr key={name}><th scope="row"><code>{name}</code></th><td>{bytes(size)}</td></tr>)}</tbody></table>
        </>
      )}
    </section>
  );
}
