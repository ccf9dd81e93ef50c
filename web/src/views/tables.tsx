// Results of instrumentations: fields, receivers, values, branches and whatever comes.
import { useMemo } from 'preact/hooks';
import { ChangeBar, ShareBar } from '../components/bars';
import { Filter, Table, type Column } from '../components/table';
import { useModel } from '../context';
import * as format from '../format';
import type { Model } from '../model';
import { href } from '../router';
import { useKept } from '../store';

interface Joined {
  columns: string[];
  keys: string[][];        // by row
  weight: number[][];      // per profile, by row
  samples: number[];
  total: number[];
}

function join(model: Model, name: string): Joined {
  const rows = new Map<string, number>();
  const joined: Joined = { columns: [], keys: [], weight: [], samples: [],
                           total: model.profiles.map((_, p) => model.table(p, name)?.weightTotal ?? 0) };
  model.profiles.forEach((_, p) => {
    joined.weight[p] = [];
    const table = model.table(p, name);
    if (!table) return;
    joined.columns = table.columns;
    table.weight.forEach((weight, i) => {
      const key = table.keys.map((column) => model.text(column[i]));
      const id = JSON.stringify(key);
      let row = rows.get(id);
      if (row === undefined) {
        row = joined.keys.length;
        rows.set(id, row);
        joined.keys.push(key);
      }
      joined.weight[p][row] = weight;
      if (p === model.focus) joined.samples[row] = table.samples[i];
    });
  });
  for (const w of joined.weight) for (let i = 0; i < joined.keys.length; i++) w[i] ??= 0;
  return joined;
}

export function TablesView({ name }: { name?: string }) {
  const model = useModel();
  const names = model.tableNames();
  const current = name !== undefined && names.includes(name) ? name : names[0];
  return (
    <section>
      <h1>Tables</h1>
      <p class="lede">What the instrumentations of this run counted.</p>
      <nav class="choice links" aria-label="Table">
        {names.map((n) => <a key={n} href={href('tables', n)} aria-current={n === current ? 'page' : undefined}>{n}</a>)}
      </nav>
      {current === undefined ? <p class="empty">This profile has no tables.</p> : <OneTable key={current} name={current} />}
    </section>
  );
}

function OneTable({ name }: { name: string }) {
  const model = useModel();
  const [query, setQuery] = useKept(`filter table ${name}`, '');
  const table = useMemo(() => join(model, name), [name]);
  const p = model.focus;
  const share = (q: number, i: number) => (table.total[q] > 0 ? table.weight[q][i] / table.total[q] : 0);
  const rows = useMemo(() => {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    const ids = table.keys.map((_, i) => i).filter((i) => {
      const text = table.keys[i].join(' ').toLowerCase();
      return words.every((w) => text.includes(w));
    });
    return ids.sort((a, b) => table.weight[p][b] - table.weight[p][a] || a - b);
  }, [table, query]);
  const columns = useMemo<Column[]>(() => {
    const keys: Column[] = table.columns.map((label, c) => ({
      key: `key${c}`, label, width: 'minmax(0, 1fr)', wide: c > 1, value: (i) => table.keys[i][c],
      cell: (i) => <span class="mono clip" title={table.keys[i][c]}>{table.keys[i][c]}</span>,
    }));
    const count = (q: number, label: string): Column => ({
      key: `weight${q}`, label, width: '88px', narrow: '58px', end: true, value: (i) => table.weight[q][i],
      cell: (i) => <span title={format.exact(table.weight[q][i])}>{format.count(table.weight[q][i])}</span>,
    });
    if (model.comparing) {
      const change = (i: number) => share(1, i) - share(0, i);
      const max = table.keys.reduce((m, _, i) => Math.max(m, Math.abs(change(i))), 0);
      return [...keys, { ...count(0, 'Before'), wide: true }, { ...count(1, 'After'), wide: true }, {
        key: 'change', label: 'Change', width: 'minmax(120px, 190px)', narrow: '92px', end: true,
        title: 'percentage points', value: (i) => Math.abs(change(i)),
        cell: (i) => <ChangeBar change={change(i)} max={max} text={format.points(change(i))} />,
      }];
    }
    const max = table.keys.reduce((m, _, i) => Math.max(m, share(p, i)), 0);
    return [...keys, {
      key: 'samples', label: 'Samples', width: '80px', end: true, wide: true, value: (i) => table.samples[i],
      cell: (i) => <span class="quiet">{format.count(table.samples[i])}</span>,
    }, count(p, 'Count'), {
      key: 'share', label: 'Share', width: 'minmax(112px, 168px)', narrow: '62px', end: true, value: (i) => share(p, i),
      cell: (i) => <ShareBar share={share(p, i)} max={max} />,
    }];
  }, [table]);
  return (
    <>
      <Filter value={query} onChange={setQuery} shown={rows.length} all={table.keys.length} what="rows" />
      <Table name={`Table ${name}`} columns={columns} rows={rows} sort={model.comparing ? '' : `weight${p}`} />
    </>
  );
}
