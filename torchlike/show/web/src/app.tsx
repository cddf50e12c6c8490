// The page: the slider, the source at the left, and at the right the graph and what is known of this frame.
import { useEffect, useMemo, useState } from "preact/hooks";
import type { Data, Frame, Kind } from "./data";
import { Engines } from "./engines";
import { isBad, title } from "./format";
import { Gradients, Why } from "./gradients";
import { Graph } from "./graph";
import { Jaxpr } from "./jaxpr";
import { Memory } from "./memory";
import { Source } from "./source";
import { Step } from "./step";

const TABS = ["graph", "jaxpr", "gradients", "memory", "why", "engines", "output"] as const;
type Tab = (typeof TABS)[number];
const STOPS: Record<string, (data: Data, frame: Frame, text: string) => boolean> = {
  "nan or infinity": (data, frame) => isBad(data, frame),
  "name": (_, frame, text) => text !== "" && `${frame.name} ${frame.label ?? ""}`.toLowerCase().includes(text.toLowerCase()),
  "line": (_, frame, text) => frame.line === Number(text),
  "norm above": (_, frame, text) => frame.kind === "backward" && !(Number(frame.norm) <= Number(text)),
};
const PHASES: Kind[] = ["forward", "backward", "optimizer"];

/** Stretches of frames of one phase, for the strip below the slider. */
function phases(data: Data): { kind: Kind; from: number; to: number }[] {
  const found: { kind: Kind; from: number; to: number }[] = [];
  data.frames.forEach((frame, i) => {
    const kind = frame.kind === "leaf" ? "forward" : frame.kind;
    const last = found.at(-1);
    if (last?.kind === kind) last.to = i; else found.push({ kind, from: i, to: i });
  });
  return found;
}

function Slider(props: { data: Data; at: number; go: (frame: number) => void }) {
  const { data, at, go } = props;
  const strip = useMemo(() => phases(data), [data]);
  const last = data.frames.length - 1;
  const frame = data.frames[at];
  const [stop, setStop] = useState("name");
  const [text, setText] = useState("");
  const [told, setTold] = useState("");
  const seek = (step: number) => {
    for (let i = at + step; i >= 0 && i <= last; i += step) {
      const each = data.frames[i];
      if (each && STOPS[stop]?.(data, each, text)) { setTold(""); return go(i); }
    }
    setTold("no such frame in this direction");
  };
  return (
    <nav class="slider" aria-label="Frames">
      <div class="buttons" role="group" aria-label="Go">
        <button type="button" onClick={() => go(0)} disabled={at === 0} >first</button>
        <button type="button" onClick={() => go(at - 1)} disabled={at === 0} >back</button>
        <button type="button" onClick={() => go(at + 1)} disabled={at === last} >on</button>
        <button type="button" onClick={() => go(last)} disabled={at === last} >last</button>
        <span class="count">{at + 1} / {last + 1}</span>
      </div>
      <div class="track">
        <input type="range" min={0} max={last} value={at} aria-label="frame" aria-valuetext={frame ? title(frame) : ""}
          onInput={(event) => go(Number(event.currentTarget.value))} />
        <div class="phases" aria-hidden="true">
          {strip.map((part) => <span key={part.from} class={part.kind} style={{ flexGrow: part.to - part.from + 1 }} />)}
        </div>
      </div>
      <form class="stops" aria-label="Breakpoint" onSubmit={(event) => { event.preventDefault(); seek(1); }}>
        <label>stop at{" "}
          <select value={stop} onChange={(event) => setStop(event.currentTarget.value)}>
            {Object.keys(STOPS).map((name) => <option key={name}>{name}</option>)}
          </select>
        </label>
        {stop !== "nan or infinity" && (
          <input type="text" size={10} value={text} aria-label="what to stop at" onInput={(event) => setText(event.currentTarget.value)} />)}
        <button type="button" onClick={() => seek(-1)}>before</button>
        <button type="submit">next</button>
        <span role="status">{told}</span>
      </form>
      <p class="legend">{PHASES.map((kind) => <span key={kind} class={kind}>{kind}</span>)}
        {data.leftOut > 0 && <span>{data.leftOut} later frames were not kept</span>}</p>
    </nav>
  );
}

function Output({ data, at }: { data: Data; at: number }) {
  const text = data.printed.filter(([frame]) => frame <= at + 1).map(([, part]) => part).join("");
  return (
    <section class="output" aria-label="Output">
      <h2>Printed so far</h2>
      <pre tabIndex={0} aria-label="Output of the program">{text || "nothing"}</pre>
      {data.error && <p class="bad">The program ended with {data.error.kind}: {data.error.text}</p>}
    </section>
  );
}

const KEYS: Record<string, (at: number, last: number) => number> = {
  ArrowRight: (at) => at + 1, ArrowLeft: (at) => at - 1, n: (at) => at + 1, p: (at) => at - 1,
  Home: () => 0, End: (_, last) => last, PageDown: (at) => at + 10, PageUp: (at) => at - 10,
};

function Theme() {
  const [theme, setTheme] = useState("");
  useEffect(() => {
    if (theme) document.documentElement.dataset["theme"] = theme; else delete document.documentElement.dataset["theme"];
  }, [theme]);
  return (
    <label class="theme">colours{" "}
      <select value={theme} onChange={(event) => setTheme(event.currentTarget.value)}>
        <option value="">as the system</option><option value="light">light</option><option value="dark">dark</option>
      </select>
    </label>
  );
}

export function App({ data }: { data: Data }) {
  const last = data.frames.length - 1;
  const [at, setAt] = useState(0);
  const [tab, setTab] = useState<Tab>("graph");
  const go = (frame: number) => setAt(Math.max(0, Math.min(last, frame)));
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement;
      if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName)) return;
      if (target.closest("[role=tablist]") || (target.tabIndex === 0 && target.closest(".canvas, .source ol") === target && event.key.startsWith("Page"))) return;
      const move = KEYS[event.key];
      if (!move) return;
      event.preventDefault();
      setAt((now) => Math.max(0, Math.min(last, move(now, last))));
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [last]);
  const turn = (event: KeyboardEvent) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (!step) return;
    event.preventDefault();
    const next = TABS[(TABS.indexOf(tab) + step + TABS.length) % TABS.length] ?? "graph";
    setTab(next);
    document.getElementById(`tab-${next}`)?.focus();
  };
  const parting = data.engines?.parting?.line ?? null;
  return (
    <>
      <header>
        <h1>{data.program}</h1>
        <p class="keys">keys: <kbd>←</kbd> <kbd>→</kbd> a frame, <kbd>Page</kbd> ten, <kbd>Home</kbd> <kbd>End</kbd></p>
        <Theme />
      </header>
      {last < 0 ? <main><p class="empty">The program did nothing with tensors.</p><Output data={data} at={0} /></main> : (
        <>
          <Slider data={data} at={at} go={go} />
          <main>
            <Source data={data} at={at} parting={parting} go={go} />
            <div class="right">
              <Step data={data} at={at} go={go} />
              <div role="tablist" aria-label="Views" onKeyDown={turn}>
                {TABS.map((name) => (
                  <button key={name} type="button" role="tab" id={`tab-${name}`} aria-selected={tab === name} aria-controls="panel"
                    tabIndex={tab === name ? 0 : -1} onClick={() => setTab(name)}>{name}</button>
                ))}
              </div>
              <div role="tabpanel" id="panel" aria-labelledby={`tab-${tab}`}>
                {tab === "graph" && <Graph data={data} at={at} go={go} />}
                {tab === "jaxpr" && <Jaxpr data={data} at={at} go={go} />}
                {tab === "gradients" && <Gradients data={data} at={at} go={go} />}
                {tab === "memory" && <Memory data={data} at={at} go={go} />}
                {tab === "why" && <Why data={data} />}
                {tab === "engines" && <Engines data={data} />}
                {tab === "output" && <Output data={data} at={at} />}
              </div>
            </div>
          </main>
        </>
      )}
    </>
  );
}
