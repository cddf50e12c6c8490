// `.grad` of each leaf as it grows, and why it is what it is in the end.
import { useMemo, useState } from "preact/hooks";
import type { Data } from "./data";
import { described } from "./format";

interface Change { frame: number; value: number | null }

function changes(data: Data): Map<string, Change[]> {
  const found = new Map<string, Change[]>();
  data.frames.forEach((frame, i) => {
    if (frame.kind !== "backward" || !frame.grad || !frame.label) return;
    const list = found.get(frame.label) ?? [{ frame: -1, value: frame.grad[0] }];
    const last = list.at(-1);
    if (last && last.value !== frame.grad[0]) list.push({ frame: i, value: frame.grad[0] });
    list.push({ frame: i, value: frame.grad[1] });
    found.set(frame.label, list);
  });
  return found;
}

export function Gradients(props: { data: Data; at: number; go: (frame: number) => void }) {
  const { data, at, go } = props;
  const all = useMemo(() => changes(data), [data]);
  if (!all.size) return <p class="empty">No gradient was accumulated in a leaf.</p>;
  return (
    <section class="gradients" aria-label="Gradients">
      <h2>.grad of each leaf, at this frame</h2>
      <table>
        <thead><tr><th scope="col">leaf</th><th scope="col">.grad</th><th scope="col">changes</th></tr></thead>
        <tbody>
          {[...all].map(([label, list]) => {
            const past = list.filter((change) => change.frame <= at);
            const next = list.find((change) => change.frame > at);
            return (
              <tr key={label}>
                <th scope="row"><code>{label}</code></th>
                <td><code>{described(data, past.at(-1)?.value)}</code></td>
                <td>
                  {past.length - 1} of {list.length - 1}
                  {next && <button type="button" class="link" onClick={() => go(next.frame)} aria-label={`next change of ${label}`}>next</button>}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}

export function Why(props: { data: Data }) {
  const { named } = props.data;
  const [chosen, setChosen] = useState(Math.max(0, named.findIndex((each) => each.grad === null)));
  const tensor = named[chosen];
  if (!tensor) return <p class="empty">The program left no tensor in its variables.</p>;
  return (
    <section class="why" aria-label="Why">
      <h2>Why is .grad what it is?</h2>
      <label>
        tensor{" "}
        <select value={chosen} onChange={(event) => setChosen(Number(event.currentTarget.value))}>
          {named.map((each, i) => <option key={each.name} value={i}>{each.name}{each.grad === null ? " (grad is None)" : ""}</option>)}
        </select>
      </label>
      <table>
        <tbody>
          <tr><th scope="row">value</th><td><code>{described(props.data, tensor.value)}</code></td></tr>
          <tr><th scope="row">.grad</th><td><code>{described(props.data, tensor.grad)}</code></td></tr>
        </tbody>
      </table>
      <pre tabIndex={0} aria-label="Explanation">{tensor.why}</pre>
    </section>
  );
}
