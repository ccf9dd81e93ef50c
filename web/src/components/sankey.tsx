// A method between its callers and callees as ribbons whose width is the number of calls. The lists
// below it carry the same figures as text, so it is hidden from assistive technology.
import { useModel } from '../context';
import * as format from '../format';
import { methodHref } from '../router';
import { useWidth } from './width';

const SHOWN = 7, ROW = 26, CENTER = 190;

interface Part { method: number; weight: number; more: number }

// Edges summed by the method at the other end, the largest first, the rest as one part.
function parts(edges: Uint32Array, weight: Float64Array, other: Uint32Array): Part[] {
  const sums = new Map<number, number>();
  for (const e of edges) sums.set(other[e], (sums.get(other[e]) ?? 0) + weight[e]);
  const all = [...sums].filter(([, w]) => w > 0).sort((a, b) => b[1] - a[1])
    .map(([method, w]) => ({ method, weight: w, more: 0 }));
  if (all.length <= SHOWN) return all;
  const rest = all.slice(SHOWN - 1);
  return [...all.slice(0, SHOWN - 1),
          { method: -1, weight: rest.reduce((a, r) => a + r.weight, 0), more: rest.length }];
}

export function Sankey({ method }: { method: number }) {
  const model = useModel();
  const { ref, width } = useWidth<HTMLDivElement>();
  const weight = model.weight[model.focus];
  const column = Math.max(200, width * 0.3);
  const left = parts(model.incoming.of(method), weight, model.caller);
  const right = parts(model.outgoing.of(method), weight, model.callee);
  if (!left.length && !right.length) return null;
  const rows = Math.max(left.length, right.length, 3);
  const height = rows * ROW + 20;
  const thick = height - 28;
  const sum = (list: Part[]) => list.reduce((a, p) => a + p.weight, 0);
  // Both sides on one scale: a method that fans out is seen to.
  const scale = thick / Math.max(sum(left), sum(right), 1e-9);
  const side = (list: Part[], isLeft: boolean) => {
    const total = sum(list) * scale;
    let at = (height - total) / 2;
    const top = (height - list.length * ROW) / 2;
    return list.map((part, i) => {
      const size = part.weight * scale;
      const y0 = top + i * ROW + ROW / 2;
      const y1 = at + size / 2;
      at += size;
      const end = Math.min(size, ROW - 6);
      const [x0, x1] = isLeft ? [column, (width - CENTER) / 2] : [width - column, (width + CENTER) / 2];
      const mid = (x0 + x1) / 2;
      const d = `M${x0},${y0 - end / 2}C${mid},${y0 - end / 2} ${mid},${y1 - size / 2} ${x1},${y1 - size / 2}` +
        `V${y1 + size / 2}C${mid},${y1 + size / 2} ${mid},${y0 + end / 2} ${x0},${y0 + end / 2}Z`;
      const x = isLeft ? x0 - 8 : x0 + 8;
      const name = part.more ? `${part.more} more` : shorten(model.names.short(part.method));
      const label = (
        <text x={x} y={y0 + 4} text-anchor={isLeft ? 'end' : 'start'}>
          <tspan class={part.more ? 'quiet' : ''}>{isLeft ? `${name}  ` : ''}</tspan>
          <tspan class="quiet">{format.count(part.weight)}</tspan>
          <tspan class={part.more ? 'quiet' : ''}>{isLeft ? '' : `  ${name}`}</tspan>
        </text>
      );
      return (
        <g key={part.method}>
          <path d={d} class={isLeft ? 'ribbon in' : 'ribbon out'} />
          {part.more ? label : <a href={methodHref(part.method)} tabIndex={-1}>{label}</a>}
        </g>
      );
    });
  };
  const box = Math.max(28, Math.max(sum(left), sum(right)) * scale);
  return (
    <div class="sankey" ref={ref} style={{ height: `${height}px` }}>
    <svg width={width} height={height} aria-hidden="true">
      {side(left, true)}
      {side(right, false)}
      {!left.length && <text x={column - 8} y={height / 2 + 4} text-anchor="end" class="quiet">no caller seen</text>}
      {!right.length && <text x={width - column + 8} y={height / 2 + 4} class="quiet">no call out of it seen</text>}
      <rect x={(width - CENTER) / 2} y={(height - box) / 2} width={CENTER} height={box} rx="3" />
      <text class="center" x={width / 2} y={height / 2 + 4} text-anchor="middle">
        {shorten(model.names.method(method), 24)}</text>
    </svg>
    </div>
  );
}

function shorten(name: string, most = 36): string {
  return name.length <= most ? name : `${name.slice(0, most - 1)}…`;
}
