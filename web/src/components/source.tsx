// Source lines with the calls that leave each, for a method whose source came along.
import type { ComponentChildren } from 'preact';
import { useModel } from '../context';
import * as format from '../format';

export function Source({ method, line }: { method: number; line?: number }) {
  const model = useModel();
  const index = model.data.methods.source?.[method] ?? -1;
  const file = model.data.sources[index];
  if (!file) return null;
  const weights = model.lineWeights(method);
  const numbers = Object.keys(file.lines).map(Number).sort((a, b) => a - b);
  const own = [...weights.keys(), model.data.methods.line[method]].filter((n) => n > 0);
  const first = Math.min(...own) - 4, last = Math.max(...own) + 4;
  const max = Math.max(...weights.values(), 0);
  const rows: ComponentChildren[] = [];
  let previous = 0;
  for (const n of numbers) {
    if (n < first || n > last) continue;
    if (previous && n > previous + 1) rows.push(<li key={`gap${n}`} class="gap" aria-hidden="true">⋯</li>);
    previous = n;
    const weight = weights.get(n) ?? 0;
    rows.push(
      <li key={n} class={`${weight ? 'hot' : ''}${n === line ? ' here' : ''}`}>
        <span class="heat" aria-hidden="true" style={{ width: `${max ? (weight / max) * 56 : 0}px` }} />
        <span class="calls">{weight ? format.count(weight) : ''}</span>
        <span class="no">{n}</span>
        <code>{file.lines[n] || ' '}</code>
      </li>,
    );
  }
  if (!rows.length) return null;
  return (
    <section class="panel">
      <h2>Source <span class="quiet">{file.path}</span></h2>
      <ol class="source" tabIndex={0} aria-label={`Source of ${model.names.short(method)}`}>{rows}</ol>
    </section>
  );
}
