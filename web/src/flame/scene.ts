// Geometry of a flame graph over a context tree of any size: what is visible between two points of
// the axis, and what lies under a pointer. Row 0 is the whole program, node -1.
import { starts, type Tree, type Weights } from '../tree';

export const WHOLE = -1;

export interface View { from: number; to: number }

export class Scene {
  readonly start: Float64Array;

  constructor(readonly tree: Tree, readonly weights: Weights) {
    this.start = starts(tree, weights.total);
  }

  extent(node: number): View {
    if (node === WHOLE) return { from: 0, to: this.weights.sum };
    return { from: this.start[node], to: this.start[node] + this.weights.total[node] };
  }

  value(node: number): number {
    return node === WHOLE ? this.weights.sum : this.weights.total[node];
  }

  // Calls `see` for every node at least `least` wide, parents first. Whole subtrees that are out of
  // view or too thin cost one step.
  walk(view: View, least: number, see: (node: number) => void): void {
    const { start, tree } = this;
    const { total } = this.weights;
    for (let i = 0; i < tree.count;) {
      if (total[i] < least || start[i] + total[i] <= view.from || start[i] >= view.to) {
        i = tree.end[i];
      } else {
        see(i);
        i++;
      }
    }
  }

  rows(view: View, least: number): number {
    let deepest = 0;
    this.walk(view, least, (i) => { deepest = Math.max(deepest, this.tree.depth[i] + 1); });
    return deepest + 1;
  }

  // The node in `row` at point `at` of the axis; null over empty space.
  hit(row: number, at: number, least: number): number | null {
    if (row === 0) return WHOLE;
    const { start, tree } = this;
    const { total } = this.weights;
    for (let i = 0; i < tree.count;) {
      if (total[i] < least || at < start[i] || at >= start[i] + total[i]) i = tree.end[i];
      else if (tree.depth[i] + 1 === row) return i;
      else i++;
    }
    return null;
  }

  parent(node: number): number { return node === WHOLE ? WHOLE : this.tree.parent[node]; }

  firstChild(node: number): number | null {
    const child = node + 1;
    const end = node === WHOLE ? this.tree.count : this.tree.end[node];
    return child < end && this.weights.total[child] > 0 ? child : null;
  }

  sibling(node: number, step: 1 | -1): number | null {
    if (node === WHOLE) return null;
    const { tree } = this;
    const parent = tree.parent[node];
    const stop = parent < 0 ? tree.count : tree.end[parent];
    if (step === 1) {
      const next = tree.end[node];
      return next < stop && this.weights.total[next] > 0 ? next : null;
    }
    let previous: number | null = null;
    for (let i = parent + 1; i < node; i = tree.end[i]) previous = i;
    return previous;
  }

  path(node: number): number[] {
    const path: number[] = [];
    for (let i = node; i >= 0; i = this.tree.parent[i]) path.unshift(i);
    return path;
  }

  // Weight under nodes whose method matches; a match below a match counts once.
  matched(flags: Uint8Array): number {
    let sum = 0;
    for (let i = 0; i < this.tree.count;) {
      if (flags[this.tree.method[i]]) {
        sum += this.weights.total[i];
        i = this.tree.end[i];
      } else {
        i++;
      }
    }
    return sum;
  }
}
