// The functional form of the graph, its lines linked to the Nodes that they stand for.
import { useEffect, useRef } from "preact/hooks";
import type { Data } from "./data";
import { frameOf, passAt } from "./graph";

export function Jaxpr(props: { data: Data; at: number; go: (frame: number) => void }) {
  const { data, at, go } = props;
  const pass = passAt(data, at);
  const graph = data.frames.find((frame) => frame.pass === pass && frame.graph !== undefined)?.graph;
  const lines = graph === undefined ? [] : data.jaxprs[graph] ?? [];
  const node = data.frames[at]?.pass === pass ? data.frames[at]?.node : undefined;
  const here = useRef<HTMLLIElement>(null);
  useEffect(() => here.current?.scrollIntoView({ block: "nearest" }), [at]);
  if (pass === null || !lines.length) return <p class="empty">No backward pass has run in this program: there is no graph to write.</p>;
  let isFirst = true;
  return (
    <section class="jaxpr" aria-label="Jaxpr">
      <p>The program of backward pass {pass + 1} as a pure function of its leaves, as JAX has it. A line leads to its Node.</p>
      <ol tabIndex={0} aria-label="Lines of the jaxpr">
        {lines.map(([text, owner], i) => {
          const isHere = owner !== null && owner === node;
          const ref = isHere && isFirst ? here : undefined;
          if (isHere) isFirst = false;
          const frame = owner === null ? undefined : frameOf(data, pass, [owner]);
          return (
            <li key={i} ref={ref} class={isHere ? "here" : ""} aria-current={isHere ? "step" : undefined}>
              {frame === undefined ? <code>{text}</code>
                : <button type="button" onClick={() => go(frame)}><code>{text}</code></button>}
            </li>
          );
        })}
      </ol>
    </section>
  );
}
