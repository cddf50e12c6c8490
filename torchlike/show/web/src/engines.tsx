// What PyTorch, the tape and jax.vjp give, and where they part first.
import type { Data, Gap } from "./data";
import { number } from "./format";

const NAMES: Record<string, string> = { torch: "PyTorch", tape: "torchlike's tape", functional: "jax.vjp", jax: "jax.vjp" };

function gap(found: Gap | undefined): string {
  if (!found) return "";
  if (found.problem) return found.problem;
  return found.absolute === null ? "equal" : `${number(found.absolute)} (relative ${found.relative === null ? "?" : number(found.relative)})`;
}

export function Engines(props: { data: Data }) {
  const found = props.data.engines;
  if (!found) return <p class="empty">The engines were not compared: torchlike show --engines does that.</p>;
  const columns = [...new Set(found.rows.flatMap((row) => Object.keys(row.gaps)))];
  return (
    <section class="engines" aria-label="Engines">
      <h2>The same program under other engines</h2>
      <p>{Object.entries(found.engines).map(([name, status]) => `${NAMES[name] ?? name}: ${status}`).join(" · ")}</p>
      {found.parting
        ? <><h3 class="bad">They part first at line {found.parting.line}, {found.parting.operator}</h3>
          <pre tabIndex={0} aria-label="First parting">{found.parting.text}</pre></>
        : found.pairs.map((pair) => (
          <p key={pair.engines.join()}>{pair.engines.map((name) => NAMES[name] ?? name).join(" and ")}: {pair.operations} values
            and {pair.gradients} gradients compared, {pair.agree ? "no difference beyond rounding" : "they part"}</p>))}
      {found.problem && <p class="note">{found.problem}</p>}
      {found.notes.map((note) => <p key={note} class="note">{note}</p>)}
      {found.rows.length > 0 && (
        <table>
          <thead><tr><th scope="col">what the program leaves</th>
            {columns.map((name) => <th key={name} scope="col">from {NAMES[name] ?? name}</th>)}</tr></thead>
          <tbody>
            {found.rows.map((row) => (
              <tr key={`${row.kind} ${row.name}`} class={row.agree ? "" : "bad"}>
                <th scope="row"><code>{row.name}</code> {row.kind}</th>
                {columns.map((name) => <td key={name}>{gap(row.gaps[name])}</td>)}
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
