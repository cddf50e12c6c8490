// Which modules of a graph are open, and the boxes that are drawn then.
import type { GraphData } from "./data";

export interface Box {
  key: string;
  title: string;
  /** The nodes that it stands for, or that are inside. */
  nodes: number[];
  /** The module around it; "" for none. */
  parent: string;
  isOpen: boolean;
  isModule: boolean;
  /** How many equal modules it stands for. */
  count: number;
}

export interface Arrow {
  from: string;
  to: string;
}

const FEWEST = 3;

const keyOf = (path: string[]) => `m:${path.join("/")}`;

/** Modules have their whole names; loops are known by a number that is not shown. */
const titleOf = (path: string[]) =>
  (path[0]?.includes(" #") ? path.at(-1) ?? "" : path.join(".")).split(" #")[0] ?? "";

function signature(graph: GraphData, nodes: number[]): string {
  return nodes.map((i) => `${graph.nodes[i]?.form}|${graph.nodes[i]?.leaf ? "" : graph.nodes[i]?.title}`).join(";");
}

interface Group {
  path: string[];
  members: (number | Group)[];
}

const placesOf = (group: Group): number[] =>
  group.members.flatMap((member) => (typeof member === "number" ? [member] : placesOf(member)));

function tree(graph: GraphData): Group {
  const root: Group = { path: [], members: [] };
  const groups = new Map<string, Group>([[keyOf([]), root]]);
  graph.nodes.forEach((node, i) => {
    let around = root;
    for (let k = 1; k <= node.path.length; k++) {
      const path = node.path.slice(0, k);
      let group = groups.get(keyOf(path));
      if (!group) {
        group = { path, members: [] };
        groups.set(keyOf(path), group);
        around.members.push(group);
      }
      around = group;
    }
    around.members.push(i);
  });
  return root;
}

function collect(graph: GraphData, group: Group, parent: string, open: Set<string>, found: Box[]): void {
  let run: { box: Box; mark: string; first: string } | null = null;
  for (const member of group.members) {
    if (typeof member === "number") {
      run = null;
      const title = graph.nodes[member]?.title ?? "";
      found.push({ key: `n:${member}`, title, nodes: [member], parent, isOpen: false, isModule: false, count: 1 });
      continue;
    }
    const key = keyOf(member.path);
    const nodes = placesOf(member);
    const title = titleOf(member.path);
    if (open.has(key)) {
      run = null;
      found.push({ key, title, nodes, parent, isOpen: true, isModule: true, count: 1 });
      collect(graph, member, key, open, found);
      continue;
    }
    const mark = signature(graph, nodes);
    if (run && run.mark === mark) {
      run.box.nodes.push(...nodes);
      run.box.count += 1;
      run.box.title = `${run.first} to ${title}`;
      continue;
    }
    const box: Box = { key, title, nodes, parent, isOpen: false, isModule: true, count: 1 };
    run = { box, mark, first: title };
    found.push(box);
  }
}

/** The boxes, outer ones first, and the arrows between those without others inside. Few equal modules stay apart. */
export function boxes(graph: GraphData, open: Set<string>): { boxes: Box[]; arrows: Arrow[] } {
  const found: Box[] = [];
  collect(graph, tree(graph), "", open, found);
  const apart = found.filter((box) => box.count > 1 && box.count < FEWEST);
  if (apart.length) return separated(graph, found);
  return { boxes: found, arrows: arrows(graph, found) };
}

/** Pairs of equal modules are drawn one by one. */
function separated(graph: GraphData, found: Box[]): { boxes: Box[]; arrows: Arrow[] } {
  const made = found.flatMap((box) => {
    if (box.count === 1 || box.count >= FEWEST) return [box];
    const depth = box.key.split("/").length;
    const parts = new Map<string, number[]>();
    for (const i of box.nodes) {
      const path = graph.nodes[i]?.path.slice(0, depth) ?? [];
      parts.set(keyOf(path), [...(parts.get(keyOf(path)) ?? []), i]);
    }
    return [...parts].map(([key, nodes]) => ({
      ...box, key, nodes, count: 1, title: titleOf(key.slice(2).split("/")),
    }));
  });
  return { boxes: made, arrows: arrows(graph, made) };
}

function arrows(graph: GraphData, found: Box[]): Arrow[] {
  const owner = new Map<number, string>();
  for (const box of found) if (!box.isOpen) for (const i of box.nodes) owner.set(i, box.key);
  const seen = new Map<string, Arrow>();
  for (const [a, b] of graph.arrows) {
    const from = owner.get(a), to = owner.get(b);
    if (from && to && from !== to) seen.set(`${from} ${to}`, { from, to });
  }
  return [...seen.values()];
}

/** As many levels open as leave at most `most` boxes. */
export function opened(graph: GraphData, most: number): Set<string> {
  let best = new Set<string>();
  const deepest = Math.max(0, ...graph.nodes.map((node) => node.path.length));
  for (let level = 1; level <= deepest; level++) {
    const open = new Set<string>();
    for (const node of graph.nodes) for (let k = 1; k <= Math.min(level, node.path.length); k++) open.add(keyOf(node.path.slice(0, k)));
    if (boxes(graph, open).boxes.filter((box) => !box.isOpen).length > most) break;
    best = open;
  }
  return best;
}

/** The box in which a node is drawn. */
export function boxOf(found: Box[], node: number | undefined): Box | undefined {
  return node === undefined ? undefined : found.find((box) => !box.isOpen && box.nodes.includes(node));
}
