// The data of the page, as torchlike/show/data.py and engines.py write it. An index is a place in a list of `Data`.

/** Numbers that JSON cannot have (nan, infinities, complex) are texts. */
export type Numeric = number | string | boolean;

export interface TensorData {
  dtype: string;
  shape: number[];
  /** The first ones. */
  numbers?: Numeric[];
  /** Of longer ones: smallest, largest, norm. */
  range?: [Numeric, Numeric, Numeric];
  /** How many numbers are nan or infinite. */
  bad?: number;
}

export type Kind = "forward" | "backward" | "leaf" | "optimizer";

export interface Sent {
  operand: string;
  formula: string;
  name: string;
  /** The frame that it goes to. */
  to: number | null;
  value: number | null;
}

export interface Frame {
  kind: Kind;
  name: string;
  /** Bytes of each of `Data.kinds`. */
  memory: number[];
  file?: number;
  line?: number;
  label?: string;
  // of what is no backward step
  reads?: number[];
  values?: (number | null)[];
  nodes?: string[];
  decided?: string;
  // of a backward step
  graph?: number;
  pass?: number;
  node?: number;
  arrived?: (number | null)[];
  used?: (number | null)[];
  sent?: Sent[];
  saved?: Record<string, number | null>;
  code?: number;
  depth?: number;
  grad?: [number | null, number | null];
  norm?: Numeric;
}

export interface GraphNode {
  title: string;
  name: string;
  form: string;
  path: string[];
  bytes: number;
  saved: string[];
  leaf?: boolean;
  file?: number;
  line?: number;
}

export interface GraphData {
  nodes: GraphNode[];
  arrows: [number, number][];
}

export interface Named {
  name: string;
  value: number | null;
  requiresGrad: boolean;
  isLeaf: boolean;
  grad: number | null;
  why: string;
}

export interface Gap {
  absolute: Numeric | null;
  relative: Numeric | null;
  problem: string | null;
}

export interface Row {
  name: string;
  kind: string;
  dtype: string;
  shape: number[];
  agree: boolean;
  gaps: Record<string, Gap>;
}

export interface Engines {
  engines: Record<string, string>;
  rows: Row[];
  notes: string[];
  pairs: { engines: string[]; operations: number; gradients: number; agree: boolean }[];
  parting: { text: string; file: string; line: number; operator: string } | null;
  problem: string;
}

export interface Data {
  program: string;
  frames: Frame[];
  leftOut: number;
  kinds: string[];
  graphs: GraphData[];
  /** The jaxpr of each graph: a line, and the node that it stands for. */
  jaxprs: [string, number | null][][];
  tensors: TensorData[];
  codes: string[];
  files: { name: string; lines: string[] }[];
  /** The number of frames before, and what was printed then. */
  printed: [number, string][];
  named: Named[];
  error: { kind: string; text: string; line: number | null } | null;
  engines: Engines | null;
}
