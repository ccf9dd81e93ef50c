// The data as the views use it: typed columns, indices over the graph, sums, names. Built once per
// data set; a live page would build a new one for every update.
import type { ReportData, TableData } from './data';
import { Names } from './names';
import { buildTree, byMethod, type Tree } from './tree';

// For each key a range of items: items[first[k] .. first[k + 1]).
export class Groups {
  readonly first: Uint32Array;
  readonly items: Uint32Array;

  // Items keep their order, so a list that comes hottest first stays hottest first.
  constructor(keyOf: ArrayLike<number>, keys: number) {
    this.first = new Uint32Array(keys + 1);
    for (let i = 0; i < keyOf.length; i++) this.first[keyOf[i] + 1]++;
    for (let k = 0; k < keys; k++) this.first[k + 1] += this.first[k];
    const next = this.first.slice();
    this.items = new Uint32Array(keyOf.length);
    for (let i = 0; i < keyOf.length; i++) this.items[next[keyOf[i]]++] = i;
  }

  of(key: number): Uint32Array {
    return this.items.subarray(this.first[key], this.first[key + 1]);
  }
}

export interface Sites {
  count: number;
  caller: Uint32Array;
  bci: Int32Array;
  line: Uint32Array;
  real: number;             // sites that are call instructions; callers outside Java have none
  edges: Groups;            // edges of a site, hottest first
  weight: Float64Array[];   // per profile
  samples: Float64Array[];
  targets: Uint32Array;     // callees
  top: Float64Array;        // share of the most frequent callee, in the last profile that has calls
  ofEdge: Uint32Array;
}

// Figures of edges, sites or methods, per profile; `total` is what shares are of.
export interface Weighted {
  weight: Float64Array[];
  samples?: Float64Array[];
  error?: Float64Array[];
  total?: number[];
  unit?: string;
}

const column = (values: number[][]): Float64Array[] => values.map((v) => new Float64Array(v));

export class Model {
  readonly profiles: ReportData['profiles'];
  readonly comparing: boolean;
  readonly focus: number;  // the profile whose figures are shown when only one fits: the newer
  readonly names: Names;
  readonly methods: number;
  readonly edges: number;
  readonly caller: Uint32Array;
  readonly callee: Uint32Array;
  readonly bci: Int32Array;
  readonly line: Uint32Array;
  readonly weight: Float64Array[];
  readonly samples: Float64Array[];
  readonly error: Float64Array[];
  readonly calls: string;          // what weights of edges are: calls, or only the activations that ticks have met
  readonly total: number[];        // of them in the whole profile
  readonly hasError: boolean;
  readonly outgoing: Groups;       // edges by caller
  readonly incoming: Groups;       // edges by callee
  readonly callsTo: Float64Array[];
  readonly callsFrom: Float64Array[];
  readonly sites: Sites;
  readonly exact: boolean;
  private ofMethods: ReturnType<typeof byMethod>[] | null = null;
  private built: Tree | null | undefined;

  constructor(readonly data: ReportData) {
    const { edges, methods } = data;
    this.profiles = data.profiles;
    this.comparing = data.profiles.length > 1;
    this.focus = data.profiles.length - 1;
    this.names = new Names(data);
    this.methods = methods.name.length;
    this.edges = edges.caller.length;
    this.caller = new Uint32Array(edges.caller);
    this.callee = new Uint32Array(edges.callee);
    this.bci = new Int32Array(edges.bci);
    this.line = new Uint32Array(edges.line);
    this.weight = column(edges.values.map((v) => v.weight));
    this.samples = column(edges.values.map((v) => v.samples));
    this.error = column(edges.values.map((v) => v.error));
    this.hasError = this.error.some((e) => e.some((x) => x > 0));
    this.calls = data.profiles.every((p) => p.metadata.collect === 'contexts') ? 'activations' : 'calls';
    this.total = data.profiles.map((p) => p.totals.weight);
    this.outgoing = new Groups(this.caller, this.methods);
    this.incoming = new Groups(this.callee, this.methods);
    this.callsTo = this.weight.map((w) => this.sum(this.callee, w, this.methods));
    this.callsFrom = this.weight.map((w) => this.sum(this.caller, w, this.methods));
    this.sites = this.findSites();
    this.exact = data.profiles.every((p) => ['exact', 'bytecodes'].includes(p.metadata.collect));
  }

  share(weight: number, p: number = this.focus, total: number[] = this.total): number {
    return total[p] > 0 ? weight / total[p] : 0;
  }

  // The contexts, null without any. Built when a view first asks: the first one does not.
  get tree(): Tree | null {
    return (this.built ??= buildTree(this.data));
  }

  // Weight spent in each method, when there are contexts that measured it.
  spent(): { own: Float64Array; total: Float64Array; sum: number } | null {
    if (!this.tree?.measures.includes('self')) return null;
    return { ...this.spentByMethod()[this.focus], sum: this.tree.self[this.focus].sum };
  }

  // Own work of each method, where the profile is about work by context, bytecodes or time, and not about calls.
  get work(): Weighted | null {
    const about = this.calls === 'activations' || this.total.every((w) => w === 0);
    if (!about || !this.tree?.measures.includes('self')) return null;
    return { weight: this.spentByMethod().map((m) => m.own), total: this.tree.self.map((w) => w.sum), unit: this.tree.unit };
  }

  // What methods are ranked by.
  get methodWeights(): Weighted {
    return this.work ?? { weight: this.callsTo, total: this.total, unit: this.calls };
  }

  private spentByMethod(): ReturnType<typeof byMethod>[] {
    return (this.ofMethods ??= this.tree!.self.map((weights) => byMethod(this.tree!, weights, this.methods)));
  }

  text(index: number): string { return this.data.strings[index]; }

  // Change of a share from the first profile to the second.
  change(weights: Float64Array[], i: number, total: number[] = this.total): number {
    return this.share(weights[1][i], 1, total) - this.share(weights[0][i], 0, total);
  }

  site(caller: number, bci: number): number {
    for (const e of this.outgoing.of(caller)) {
      if (this.bci[e] === bci) return this.sites.ofEdge[e];
    }
    return -1;
  }

  // "Foo.java:12", "line 12", "@34" when only the bytecode index is known, or "".
  place(caller: number, line: number, bci: number): string {
    const file = this.text(this.data.methods.file[caller]);
    if (line > 0) return file ? `${file}:${line}` : `line ${line}`;
    return bci >= 0 ? `@${bci}` : '';
  }

  // Calls along each line of a method's source.
  lineWeights(method: number): Map<number, number> {
    const lines = new Map<number, number>();
    for (const e of this.outgoing.of(method)) {
      const line = this.line[e];
      if (line) lines.set(line, (lines.get(line) ?? 0) + this.weight[this.focus][e]);
    }
    return lines;
  }

  tableNames(): string[] {
    return [...new Set(this.profiles.flatMap((p) => p.tables.map((t) => t.name)))];
  }
  table(p: number, name: string): TableData | undefined {
    return this.profiles[p].tables.find((t) => t.name === name);
  }

  private sum(key: Uint32Array, weight: Float64Array, keys: number): Float64Array {
    const sums = new Float64Array(keys);
    for (let i = 0; i < key.length; i++) sums[key[i]] += weight[i];
    return sums;
  }

  private findSites(): Sites {
    const ofEdge = new Uint32Array(this.edges);
    const caller: number[] = [], bci: number[] = [], line: number[] = [];
    const { first, items } = this.outgoing;
    for (let m = 0; m < this.methods; m++) {
      const start = caller.length;
      // Most methods have few sites, where looking through them beats a map.
      const known = first[m + 1] - first[m] > 24 ? new Map<number, number>() : null;
      for (let i = first[m]; i < first[m + 1]; i++) {
        const e = items[i];
        let site: number | undefined;
        if (known) site = known.get(this.bci[e]);
        else for (let s = start; s < caller.length && site === undefined; s++) if (bci[s] === this.bci[e]) site = s;
        if (site === undefined) {
          site = caller.length;
          known?.set(this.bci[e], site);
          caller.push(m);
          bci.push(this.bci[e]);
          line.push(this.line[e]);
        }
        ofEdge[e] = site;
      }
    }
    const n = caller.length;
    const edges = new Groups(ofEdge, n);
    const weight = this.weight.map((w) => this.sum(ofEdge, w, n));
    const samples = this.samples.map((s) => this.sum(ofEdge, s, n));
    const targets = new Uint32Array(n);
    const top = new Float64Array(n);
    for (let s = 0; s < n; s++) {
      const own = edges.of(s);
      targets[s] = own.length;
      const p = weight[this.focus][s] > 0 ? this.focus : 0;
      let most = 0;
      for (const e of own) most = Math.max(most, this.weight[p][e]);
      top[s] = weight[p][s] > 0 ? most / weight[p][s] : 0;
    }
    return {
      count: n, real: bci.filter((b) => b >= 0).length, caller: new Uint32Array(caller), bci: new Int32Array(bci),
      line: new Uint32Array(line), edges, weight, samples, targets, top, ofEdge,
    };
  }
}

// Share that two distributions have in common (0..1): the overlap of the papers.
export function overlap(a: ArrayLike<number>, totalA: number, b: ArrayLike<number>, totalB: number) {
  let common = 0;
  for (let i = 0; i < a.length; i++) common += Math.min(a[i] / totalA, b[i] / totalB);
  return totalA > 0 && totalB > 0 ? common : 0;
}
