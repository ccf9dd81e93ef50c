// The context tree in depth-first order: the descendants of node i are i + 1 .. end[i] - 1. Two
// measures: "self" (time, bytecodes, samples) and "calls"; each has own values and sums below.
import type { NodeValues, ReportData } from './data';

export type Measure = 'self' | 'calls';

export interface Weights {
  own: Float64Array;
  total: Float64Array;
  sum: number;      // of the whole tree
}

export interface Tree {
  count: number;
  depth: Uint32Array;
  method: Uint32Array;
  line: Uint32Array;
  bci: Int32Array;
  parent: Int32Array;      // -1 at the top
  end: Uint32Array;
  maxDepth: number;
  self: Weights[];         // per profile
  calls: Weights[];
  samples: Float64Array[];
  unit: string;
  measures: Measure[];     // those that have values, the better first
}

function weigh(own: number[], given: number[] | undefined, depth: Uint32Array,
               parent: Int32Array): Weights {
  const total = new Float64Array(given ?? own);
  let sum = 0;
  for (let i = own.length - 1; i >= 0; i--) {
    if (!given && parent[i] >= 0) total[parent[i]] += total[i];
    if (depth[i] === 0) sum += total[i];
  }
  return { own: new Float64Array(own), total, sum };
}

export function buildTree(data: ReportData): Tree | null {
  const nodes = data.nodes;
  if (!nodes) return null;
  const n = nodes.depth.length;
  const depth = new Uint32Array(nodes.depth);
  const parent = new Int32Array(n).fill(-1);
  const end = new Uint32Array(n).fill(n);
  const open: number[] = [];
  let maxDepth = 0;
  for (let i = 0; i < n; i++) {
    while (open.length > depth[i]) end[open.pop()!] = i;
    parent[i] = open.length ? open[open.length - 1] : -1;
    open.push(i);
    maxDepth = Math.max(maxDepth, depth[i]);
  }
  const all = (pick: (v: NodeValues) => [number[], number[] | undefined]): Weights[] =>
    nodes.values.map((v) => weigh(...pick(v), depth, parent));
  const self = all((v) => [v.self, v.totalSelf]);
  const calls = all((v) => [v.calls, v.totalCalls]);
  const measures: Measure[] = [];
  if (self.some((w) => w.sum > 0)) measures.push('self');
  if (calls.some((w) => w.sum > 0)) measures.push('calls');
  return {
    count: n, depth, parent, end, maxDepth, self, calls,
    method: new Uint32Array(nodes.method),
    line: new Uint32Array(nodes.line),
    bci: new Int32Array(nodes.bci),
    samples: nodes.values.map((v) => new Float64Array(v.samples)),
    unit: data.profiles.map((p) => p.selfUnit).find(Boolean) ?? '',
    measures,
  };
}

// Own and total weight of every method over all its contexts; a recursive method counts once per
// path in its total.
export function byMethod(tree: Tree, weights: Weights, methods: number) {
  const own = new Float64Array(methods), total = new Float64Array(methods);
  const open: number[] = [];
  const active = new Uint32Array(methods);
  for (let i = 0; i < tree.count; i++) {
    while (open.length > tree.depth[i]) active[tree.method[open.pop()!]]--;
    const m = tree.method[i];
    own[m] += weights.own[i];
    if (active[m] === 0) total[m] += weights.total[i];
    active[m]++;
    open.push(i);
  }
  return { own, total };
}

// Left edge of every node when the tree is `sum` wide; siblings in order, own weight at the right.
export function starts(tree: Tree, total: Float64Array): Float64Array {
  const start = new Float64Array(tree.count);
  const next: number[] = [0];  // by depth: where the next sibling begins
  for (let i = 0; i < tree.count; i++) {
    const d = tree.depth[i];
    start[i] = next[d];
    next[d] += total[i];
    next[d + 1] = start[i];
  }
  return start;
}
