// The columns that carry figures: one profile shows calls, error and share; two show before, after
// and the change.
import { useMemo } from 'preact/hooks';
import { useModel } from '../context';
import * as format from '../format';
import { useKept } from '../store';
import type { Weighted } from '../model';
import { ChangeBar, ShareBar } from './bars';
import { Choice, type Column } from './table';

export type Unit = 'share' | 'calls';

export function useUnit(): [Unit, (unit: Unit) => void] {
  const model = useModel();
  return useKept<Unit>('unit', model.exact ? 'calls' : 'share');
}

// Whether changes are of the share in all calls, or of the number of calls.
export function UnitChoice({ value, onChange, of }: { value: Unit; onChange: (unit: Unit) => void; of?: string }) {
  const model = useModel();
  return <Choice label="Compare by" value={value} onChange={onChange}
                 options={[['share', 'Share'], ['calls', format.title(format.unitName(of ?? model.calls))]]} />;
}

export function useWeightColumns(from: Weighted, ids: ArrayLike<number>, unit: Unit,
                                 base?: number): Column[] {
  const model = useModel();
  return useMemo(() => {
    const { weight, samples, error, total = model.total, unit: of = model.calls } = from;
    if (model.comparing) return comparing(weight, ids, unit, of, (w, p) => model.share(w, p, total));
    const p = model.focus;
    const whole = base ?? total[p];
    const name = format.unitName(of);
    let max = 0;
    for (let i = 0; i < ids.length; i++) max = Math.max(max, weight[p][ids[i]]);
    const columns: Column[] = [{
      key: 'calls', label: format.title(name), width: '88px', narrow: '58px', end: true,
      title: `${model.exact ? 'counted' : of === 'calls' ? 'estimated' : 'seen'} ${name}`,
      value: (i) => weight[p][i],
      cell: (i) => <span title={format.exact(weight[p][i])}>{format.ofUnit(weight[p][i], of)}</span>,
    }];
    if (error && model.hasError) {
      columns.push({
        key: 'error', label: 'Error', width: '72px', end: true, wide: true,
        title: 'half-width of the 95 % interval',
        value: (i) => error[p][i],
        cell: (i) => <span class="quiet">{format.error(error[p][i]) || '–'}</span>,
      });
    }
    if (samples && !model.exact) {
      columns.push({
        key: 'samples', label: 'Samples', width: '80px', end: true, wide: true,
        value: (i) => samples[p][i],
        cell: (i) => <span class="quiet">{format.count(samples[p][i])}</span>,
      });
    }
    columns.push({
      key: 'share', label: 'Share', width: 'minmax(112px, 168px)', narrow: '62px', end: true,
      title: base === undefined ? `of all ${name}` : `of the ${name} here`,
      value: (i) => weight[p][i],
      cell: (i) => <ShareBar share={whole > 0 ? weight[p][i] / whole : 0}
                             max={whole > 0 ? max / whole : 1} />,
    });
    return columns;
  }, [from, ids, unit, base, model]);
}

function comparing(weight: Float64Array[], ids: ArrayLike<number>, unit: Unit, of: string,
                   share: (weight: number, p: number) => number): Column[] {
  const value = (p: number, i: number) =>
    unit === 'share' ? share(weight[p][i], p) : weight[p][i];
  const change = (i: number) => value(1, i) - value(0, i);
  const text = unit === 'share' ? format.percent : (x: number) => format.ofUnit(x, of);
  let max = 0;
  for (let i = 0; i < ids.length; i++) max = Math.max(max, Math.abs(change(ids[i])));
  const side = (p: number, label: string): Column => ({
    key: label.toLowerCase(), label, width: '84px', end: true, wide: true,
    value: (i) => value(p, i),
    cell: (i) => <span title={`${format.exact(weight[p][i])} ${of}`}>{text(value(p, i))}</span>,
  });
  const status = (i: number) =>
    weight[0][i] === 0 ? 'new' : weight[1][i] === 0 ? 'gone' : '';
  return [side(0, 'Before'), side(1, 'After'), {
    key: 'change', label: 'Change', width: 'minmax(120px, 190px)', narrow: '92px', end: true,
    title: unit === 'share' ? `percentage points of all ${format.unitName(of)}` : format.unitName(of),
    value: (i) => Math.abs(change(i)),
    cell: (i) => <ChangeBar change={change(i)} max={max}
                            text={unit === 'share' ? format.points(change(i)) : format.signed(change(i), of)} />,
  }, {
    key: 'status', label: '', width: '52px', wide: true,
    cell: (i) => status(i) && <span class={`tag ${status(i)}`}>{status(i)}</span>,
  }];
}
