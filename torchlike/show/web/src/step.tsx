// One frame in words: what it read, what came of it, and of a Node its derivative and where that goes.
import type { Data, Frame } from "./data";
import { described, title } from "./format";

function Tensors(props: { data: Data; name: string; places: (number | null)[] }) {
  const { data, name, places } = props;
  return (
    <>
      {places.map((place, i) => (
        <tr key={i}>
          <th scope="row">{places.length > 1 ? `${name} ${i}` : name}</th>
          <td><code>{described(data, place)}</code></td>
        </tr>
      ))}
    </>
  );
}

function Link(props: { data: Data; frame: number; go: (frame: number) => void }) {
  const frame = props.data.frames[props.frame];
  return frame ? <button type="button" class="link" onClick={() => props.go(props.frame)}>{title(frame)}</button> : null;
}

export function Step(props: { data: Data; at: number; go: (frame: number) => void }) {
  const { data, at, go } = props;
  const frame = data.frames[at];
  if (!frame) return null;
  const file = frame.file === undefined ? undefined : data.files[frame.file];
  return (
    <section class="step" aria-label="This step" aria-live="polite">
      <h2>{title(frame)}</h2>
      {file && frame.line !== undefined && (
        <p class="where">{file.name}:{frame.line} <code>{file.lines[frame.line - 1]?.trim()}</code></p>
      )}
      {frame.kind === "backward" ? <Backward data={data} frame={frame} go={go} /> : <Forward data={data} frame={frame} go={go} />}
    </section>
  );
}

function Forward({ data, frame, go }: { data: Data; frame: Frame; go: (frame: number) => void }) {
  const reads = [...new Set(frame.reads ?? [])];
  return (
    <>
      <table>
        <tbody>
          <Tensors data={data} name={frame.kind === "optimizer" ? "now" : "result"} places={frame.values ?? []} />
          {frame.decided !== undefined && <tr><th scope="row">gave Python</th><td><code>{frame.decided}</code></td></tr>}
          {frame.nodes?.length ? <tr><th scope="row">recorded</th><td><code>{frame.nodes.join(", ")}</code></td></tr> : null}
        </tbody>
      </table>
      {reads.length > 0 && <p>made of: {reads.map((read) => <Link key={read} data={data} frame={read} go={go} />)}</p>}
    </>
  );
}

function Backward({ data, frame, go }: { data: Data; frame: Frame; go: (frame: number) => void }) {
  const code = frame.code === undefined ? undefined : data.codes[frame.code];
  return (
    <>
      {(frame.depth ?? 0) > 0 && <p class="note">in the pass of a checkpoint, inside of another Node</p>}
      <table>
        <tbody>
          <Tensors data={data} name="came in: g" places={frame.arrived ?? []} />
          {frame.used && <Tensors data={data} name="after hooks: g" places={frame.used} />}
          {Object.entries(frame.saved ?? {}).map(([name, place]) => (
            <tr key={name}><th scope="row">saved: {name}</th><td><code>{described(data, place)}</code></td></tr>
          ))}
          {(frame.sent ?? []).map((sent, i) => (
            <tr key={`s${i}`}>
              <th scope="row">d {sent.operand}{sent.formula && <span class="formula"> = {sent.formula}</span>}</th>
              <td>
                <code>{described(data, sent.value)}</code>
                <span class="to"> to {sent.to === null ? `${sent.name}, which does not run` : <Link data={data} frame={sent.to} go={go} />}</span>
              </td>
            </tr>
          ))}
          {frame.grad && (
            <>
              <tr><th scope="row">{frame.label}.grad before</th><td><code>{described(data, frame.grad[0])}</code></td></tr>
              <tr><th scope="row">{frame.label}.grad after</th><td><code>{described(data, frame.grad[1])}</code></td></tr>
            </>
          )}
        </tbody>
      </table>
      {code && <pre tabIndex={0} aria-label="The derivative as code"><code>{code}</code></pre>}
    </>
  );
}
