// The graph of a backward pass: modules that open and close, colours by the norms of gradients that have come.
import dagre from "@dagrejs/dagre";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Data, Frame, GraphData } from "./data";
import { bytes, number } from "./format";
import { type Box, boxes, boxOf, opened } from "./groups";

const LINE = 15, LETTER = 6.7, MOST = 60, TITLE = 14;

interface Place { x: number; y: number; width: number; height: number }

function lines(graph: GraphData, box: Box): string[] {
  const last = graph.nodes[box.nodes.at(-1) ?? 0];
  const size = box.nodes.reduce((sum, i) => sum + (graph.nodes[i]?.bytes ?? 0), 0);
  const found = [box.count > 1 ? `${box.title}: ${box.count} times` : box.title, last?.form ?? ""];
  if (box.isModule) found.push(`${box.nodes.filter((i) => !graph.nodes[i]?.leaf).length} Nodes`);
  if (size) found.push(`saved: ${bytes(size)}`);
  return found.filter(Boolean);
}

function layout(graph: GraphData, found: ReturnType<typeof boxes>) {
  const made = new dagre.graphlib.Graph({ compound: true });
  made.setGraph({ rankdir: "TB", nodesep: 18, ranksep: 32, marginx: 12, marginy: 12 + TITLE });
  made.setDefaultEdgeLabel(() => ({}));
  const open = new Set(found.boxes.filter((box) => box.isOpen).map((box) => box.key));
  for (const box of found.boxes) {
    const text = lines(graph, box);
    const width = Math.max(70, ...text.map((line) => line.length * LETTER + 18));
    made.setNode(box.key, box.isOpen ? {} : { width, height: text.length * LINE + 12 });
  }
  for (const box of found.boxes) if (box.parent && open.has(box.parent)) made.setParent(box.key, box.parent);
  for (const arrow of found.arrows) made.setEdge(arrow.from, arrow.to);
  dagre.layout(made);
  const places = new Map<string, Place>();
  for (const key of made.nodes()) {
    const node = made.node(key) as Place;
    const above = open.has(key) ? TITLE : 0; // room for the name of a module
    places.set(key, { width: node.width, height: node.height + above, x: node.x - node.width / 2, y: node.y - node.height / 2 - above });
  }
  const paths = made.edges().map((edge) => {
    const points = (made.edge(edge) as { points: { x: number; y: number }[] }).points;
    return points.map((p, i) => `${i ? "L" : "M"}${p.x.toFixed(1)} ${p.y.toFixed(1)}`).join("");
  });
  const size = made.graph() as { width?: number; height?: number };
  return { places, paths, width: size.width ?? 100, height: size.height ?? 100 };
}

/** {node: norm of the gradient that has come} up to a frame, in its pass. */
function norms(data: Data, at: number, pass: number): Map<number, number> {
  const found = new Map<number, number>();
  for (let i = 0; i <= at; i++) {
    const frame = data.frames[i];
    if (frame?.kind === "backward" && frame.pass === pass && frame.node != null) found.set(frame.node, Number(frame.norm));
  }
  return found;
}

function colour(norm: number, all: number[]): string {
  if (!Number.isFinite(norm)) return "var(--bad)";
  if (norm === 0) return "var(--zero)";
  const logs = all.filter((x) => x > 0 && Number.isFinite(x)).map(Math.log);
  const low = Math.min(...logs), high = Math.max(...logs);
  const share = high > low ? (Math.log(norm) - low) / (high - low) : 0.5;
  return `color-mix(in oklab, var(--warm) ${Math.round(share * 100)}%, var(--cold))`;
}

/** The pass that is looked at: that of the frame, or the next one. */
export function passAt(data: Data, at: number): number | null {
  for (let i = at; i < data.frames.length; i++) if (data.frames[i]?.kind === "backward") return data.frames[i]?.pass ?? null;
  for (let i = at; i >= 0; i--) if (data.frames[i]?.kind === "backward") return data.frames[i]?.pass ?? null;
  return null;
}

export function frameOf(data: Data, pass: number, nodes: number[]): number | undefined {
  const found = data.frames.findIndex((frame) => frame.pass === pass && frame.node != null && nodes.includes(frame.node));
  return found < 0 ? undefined : found;
}

function hint(graph: GraphData, box: Box, frame: Frame | undefined): string {
  if (box.isModule) return `${box.title}: click to ${box.isOpen ? "close" : "open"}`;
  const node = graph.nodes[box.nodes[0] ?? 0];
  const formulas = (frame?.sent ?? []).filter((sent) => sent.formula).map((sent) => `d ${sent.operand} = ${sent.formula}`);
  const saved = (node?.saved ?? []).map((form) => `saved: ${form}`);
  return [node?.name, node?.form, ...formulas, ...saved].filter(Boolean).join("\n");
}

export function Graph(props: { data: Data; at: number; go: (frame: number) => void }) {
  const { data, at, go } = props;
  const pass = passAt(data, at);
  const first = pass === null ? undefined : data.frames.find((frame) => frame.pass === pass);
  const number_ = first?.graph;
  const graph = number_ === undefined ? undefined : data.graphs[number_];
  const [open, setOpen] = useState<Map<number, Set<string>>>(new Map());
  const ours = useMemo(() => (graph && number_ !== undefined ? open.get(number_) ?? opened(graph, MOST) : new Set<string>()),
    [graph, number_, open]);
  const found = useMemo(() => (graph ? boxes(graph, ours) : { boxes: [], arrows: [] }), [graph, ours]);
  const drawn = useMemo(() => (graph ? layout(graph, found) : null), [graph, found]);
  const scroll = useRef<HTMLDivElement>(null);
  const current = boxOf(found.boxes, data.frames[at]?.pass === pass ? data.frames[at]?.node : undefined);
  const place = current && drawn?.places.get(current.key);
  useEffect(() => {
    const view = scroll.current;
    if (!view || !place) return;
    view.scrollTo({ left: place.x + place.width / 2 - view.clientWidth / 2, top: place.y + place.height / 2 - view.clientHeight / 2 });
  }, [place?.x, place?.y]);
  if (!graph || pass === null || !drawn || number_ === undefined) {
    return <p class="empty">No backward pass has run in this program: there is no graph to show.</p>;
  }
  const came = norms(data, at, pass);
  const all = [...came.values()];
  const toggle = (box: Box) => {
    const next = new Set(ours);
    if (box.isOpen) next.delete(box.key); else next.add(box.key);
    setOpen(new Map(open).set(number_, next));
  };
  const act = (box: Box) => {
    if (box.isModule) return toggle(box);
    const frame = frameOf(data, pass, box.nodes);
    if (frame !== undefined) go(frame);
  };
  const levels = (most: number) => setOpen(new Map(open).set(number_, opened(graph, most)));
  return (
    <div class="graph">
      <div class="tools" role="group" aria-label="Modules">
        <span>graph of backward pass {pass + 1}</span>
        <button type="button" onClick={() => levels(0)}>close all</button>
        <button type="button" onClick={() => levels(Infinity)}>open all</button>
      </div>
      <div class="canvas" ref={scroll} tabIndex={0} role="region" aria-label="Graph">
        <svg width={drawn.width} height={drawn.height} viewBox={`0 0 ${drawn.width} ${drawn.height}`} role="group" aria-label="Nodes">
          <defs>
            <marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto-start-reverse">
              <path d="M0 0L8 4L0 8z" />
            </marker>
          </defs>
          {found.boxes.filter((box) => box.isOpen).map((box) => <Opened key={box.key} box={box} place={drawn.places.get(box.key)} act={act} />)}
          {drawn.paths.map((path, i) => <path key={i} class="arrow" d={path} marker-end="url(#tip)" />)}
          {found.boxes.filter((box) => !box.isOpen).map((box) => {
            const norm = box.nodes.map((i) => came.get(i)).reverse().find((each) => each !== undefined);
            const frame = frameOf(data, pass, box.nodes);
            return (
              <Closed key={box.key} graph={graph} box={box} place={drawn.places.get(box.key)} act={act} isHere={box === current}
                fill={norm === undefined ? "" : colour(norm, all)} norm={norm}
                hint={hint(graph, box, frame === undefined ? undefined : data.frames[frame])} />
            );
          })}
        </svg>
      </div>
    </div>
  );
}

function pressed(event: KeyboardEvent, act: () => void): void {
  if (event.key !== "Enter" && event.key !== " ") return;
  event.preventDefault();
  event.stopPropagation();
  act();
}

function Opened(props: { box: Box; place: Place | undefined; act: (box: Box) => void }) {
  const { box, place, act } = props;
  if (!place) return null;
  return (
    <g class="module" role="button" tabindex={0} aria-expanded="true"
      onClick={() => act(box)} onKeyDown={(event) => pressed(event, () => act(box))}>
      <title>{`${box.title}: click to close`}</title>
      <rect x={place.x} y={place.y} width={place.width} height={place.height} rx={6} />
      <text x={place.x + 8} y={place.y + 12}>{box.title}</text>
    </g>
  );
}

function Closed(props: {
  graph: GraphData; box: Box; place: Place | undefined; act: (box: Box) => void; isHere: boolean; fill: string;
  norm: number | undefined; hint: string;
}) {
  const { graph, box, place, act } = props;
  if (!place) return null;
  const isLeaf = !box.isModule && graph.nodes[box.nodes[0] ?? 0]?.leaf;
  const kinds = ["box", isLeaf ? "leaf" : "", box.isModule ? "closed" : "", box.count > 1 ? "many" : "", props.isHere ? "here" : "",
    props.fill ? "coloured" : ""];
  const norm = props.norm === undefined ? "" : `gradient of norm ${number(props.norm)}`;
  const text = lines(graph, box);
  return (
    <g class={kinds.join(" ")} role="button" tabindex={0} aria-expanded={box.isModule ? "false" : undefined}
      aria-description={norm || undefined} aria-current={props.isHere ? "step" : undefined}
      onClick={() => act(box)} onKeyDown={(event) => pressed(event, () => act(box))}>
      <title>{props.hint}</title>
      <rect x={place.x} y={place.y} width={place.width} height={place.height} rx={5} style={props.fill ? { fill: props.fill } : undefined} />
      {text.map((line, i) => <text key={i} class={i ? "minor" : ""} x={place.x + 9} y={place.y + 17 + LINE * i}>{line} </text>)}
    </g>
  );
}
