// Hottest edges, methods and call sites; with two profiles, what changed most.
import { useMemo } from 'preact/hooks';
import { Distribution } from '../components/bars';
import { MethodName, Place } from '../components/names';
import { Choice, Filter, Table, type Column } from '../components/table';
import { UnitChoice, useUnit, useWeightColumns } from '../components/weights';
import { useModel } from '../context';
import type { Model } from '../model';
import { go } from '../router';
import { useKept } from '../store';
import { hottest } from './site';
import * as format from '../format';

export function range(n: number, from = 0): Uint32Array {
  return Uint32Array.from({ length: n - from }, (_, i) => i + from);
}

function filtered(ids: Uint32Array, keep: ((id: number) => boolean) | null): Uint32Array {
  return keep ? ids.filter(keep) : ids;
}

const sortKey = (model: Model) => (model.comparing ? 'change' : 'calls');

export function EdgeCell({ edge }: { edge: number }) {
  const model = useModel();
  return (
    <span class="edge">
      <MethodName id={model.caller[edge]} />
      <span class="to" aria-label="calls">→</span>
      <MethodName id={model.callee[edge]} />
    </span>
  );
}

export function edgeColumns(model: Model): Column[] {
  return [{
    key: 'edge', label: 'Caller → callee', width: 'minmax(0, 1fr)',
    value: (e) => `${model.names.short(model.caller[e])} ${model.names.short(model.callee[e])}`,
    cell: (e) => <EdgeCell edge={e} />,
  }, {
    key: 'site', label: 'Call site', width: 'minmax(0, 170px)', wide: true,
    cell: (e) => <Place caller={model.caller[e]} line={model.line[e]} bci={model.bci[e]} />,
  }];
}

export function EdgesView() {
  const model = useModel();
  const [query, setQuery] = useKept('filter edges', '');
  const [unit, setUnit] = useUnit();
  const all = useMemo(() => range(model.edges), [model]);
  const rows = useMemo(() => {
    const match = model.names.matching(query);
    return filtered(all, match && ((e) => !!(match[model.caller[e]] || match[model.callee[e]])));
  }, [all, query]);
  const figures = useWeightColumns(model, all, unit);
  const columns = useMemo(() => [...edgeColumns(model), ...figures], [figures]);
  return (
    <section>
      <h1>{model.comparing ? 'Changed edges' : 'Hottest edges'}</h1>
      <p class="lede">{model.calls === 'calls' ? 'Who calls whom, and how often, by call site.'
        : 'Who calls whom: activations that a tick met for the first time, by call site. Calls that begin and end between two ticks are not among them.'}
        {' '}Open a row to walk the graph from there.</p>
      <Filter value={query} onChange={setQuery} shown={rows.length} all={all.length} what="edges">
        {model.comparing && <UnitChoice value={unit} onChange={setUnit} />}
      </Filter>
      <Table name="Edges" columns={columns} rows={rows} sort={sortKey(model)} tall
             open={(e) => go('site', model.caller[e], model.bci[e])}
             empty="No edge has a caller or callee like that." />
      <Cut />
    </section>
  );
}

// What the page leaves out, said where the list ends.
function Cut() {
  const model = useModel();
  const { cutEdges, cutWeight } = model.profiles[model.focus].totals;
  if (!cutEdges) return null;
  return (
    <p class="note">{format.plural(cutEdges, 'colder edge')} with {format.percent(model.share(cutWeight))} of
      the calls {cutEdges === 1 ? 'is' : 'are'} not on this page (<code>--max-edges</code> takes more along).</p>
  );
}

export function MethodsView() {
  const model = useModel();
  const [query, setQuery] = useKept('filter methods', '');
  const [unit, setUnit] = useUnit();
  const from = useMemo(() => model.methodWeights, [model]);
  const all = useMemo(() => {
    const w = from.weight[model.focus];
    return range(model.methods, 1).sort((a, b) => w[b] - w[a] || a - b);
  }, [model]);
  const rows = useMemo(() => {
    const match = model.names.matching(query);
    return filtered(all, match && ((m) => !!match[m]));
  }, [all, query]);
  const figures = useWeightColumns(from, all, unit);
  const columns = useMemo<Column[]>(() => [methodColumn(model), ...figures, ...(model.comparing ? [] : methodColumns(model))], [figures]);
  return (
    <section>
      <h1>{model.comparing ? 'Changed methods' : 'Hottest methods'}</h1>
      <p class="lede">{model.work ? `Own ${format.unitName(model.work.unit!)} of a method; "Total" has its callees' too.`
        : 'Calls that a method receives. A method that is called often is not always one that takes long.'}</p>
      <Filter value={query} onChange={setQuery} shown={rows.length} all={all.length} what="methods">
        {model.comparing && <UnitChoice value={unit} onChange={setUnit} of={from.unit} />}
      </Filter>
      <Table name="Methods" columns={columns} rows={rows} sort={sortKey(model)}
             open={(m) => go('method', m)} empty="No method has a name like that." />
    </section>
  );
}

export function methodColumn(model: Model): Column {
  return { key: 'method', label: 'Method', width: 'minmax(0, 1fr)', value: (m) => model.names.short(m), cell: (m) => <MethodName id={m} /> };
}

function spentColumns(model: Model): Column[] {
  const spent = model.spent();
  if (!spent) return [];
  const column = (key: string, label: string, title: string, values: Float64Array): Column => ({
    key, label, title, width: '84px', end: true, wide: true, value: (m) => values[m],
    cell: (m) => <span class="quiet" title={format.inUnit(values[m], model.tree!.unit)}>
      {format.percent(spent.sum > 0 ? values[m] / spent.sum : 0)}</span>,
  });
  const what = model.tree!.unit === 'ns' ? 'time' : model.tree!.unit;
  return [column('own', 'Own', `${what} spent in it, without callees`, spent.own),
          column('total', 'Total', `${what} spent in it, with callees`, spent.total)];
}

function methodColumns(model: Model): Column[] {
  const number = (key: string, label: string, title: string, value: (m: number) => number): Column => ({
    key, label, title, width: '84px', end: true, wide: true, value,
    cell: (m) => <span class="quiet">{format.count(value(m))}</span>,
  });
  const bytes = number('code', 'Bytes', 'length of its bytecode', (m) => model.data.methods.code[m]);
  if (model.work) return [...spentColumns(model).filter((c) => c.key === 'total'), bytes];
  return [
    ...spentColumns(model),
    number('out', 'Calls out', 'calls that it makes', (m) => model.callsFrom[model.focus][m]),
    number('callers', 'In edges', 'call sites that reach it', (m) => model.incoming.of(m).length),
    number('callees', 'Out edges', 'edges that leave it', (m) => model.outgoing.of(m).length),
    bytes,
  ];
}

type Kind = 'all' | 'poly' | 'mega';

export function SitesView() {
  const model = useModel();
  const { sites } = model;
  const [query, setQuery] = useKept('filter sites', '');
  const [kind, setKind] = useKept<Kind>('kind of sites', 'all');
  const [unit, setUnit] = useUnit();
  const all = useMemo(() => {
    const w = sites.weight[model.focus];
    return range(sites.count).filter((s) => sites.bci[s] >= 0).sort((a, b) => w[b] - w[a] || a - b);
  }, [model]);
  const rows = useMemo(() => {
    const match = model.names.matching(query);
    const least = { all: 1, poly: 2, mega: 3 }[kind];
    if (!match && least === 1) return all;
    return filtered(all, (s) => sites.targets[s] >= least && (!match || !!match[sites.caller[s]] ||
        sites.edges.of(s).some((e) => !!match[model.callee[e]])));
  }, [all, query, kind]);
  const figures = useWeightColumns(sites, all, unit);
  const columns = useMemo<Column[]>(() => [{
    key: 'site', label: 'Call site', width: 'minmax(0, 1.1fr)',
    value: (s) => model.names.short(sites.caller[s]),
    cell: (s) => (
      <span class="edge">
        <MethodName id={sites.caller[s]} />
        <Place caller={sites.caller[s]} line={sites.line[s]} bci={sites.bci[s]} link />
      </span>
    ),
  }, {
    key: 'callees', label: 'Callees', width: 'minmax(0, 1fr)', wide: true,
    cell: (s) => <Callees site={s} />,
  }, {
    key: 'targets', label: 'Targets', title: 'different callees', width: '64px', end: true, wide: true,
    value: (s) => sites.targets[s], cell: (s) => format.count(sites.targets[s]),
  }, ...figures], [figures]);
  return (
    <section>
      <h1>{model.comparing ? 'Changed call sites' : 'Hottest call sites'}</h1>
      <p class="lede">One row per call instruction, with how its calls divide among the callees. Where several
        receive calls, the compiler cannot simply inline.</p>
      <Filter value={query} onChange={setQuery} shown={rows.length} all={all.length} what="sites">
        <Choice label="Kind of site" value={kind} onChange={setKind}
                options={[['all', 'All'], ['poly', '2+ callees'], ['mega', '3+ callees']]} />
        {model.comparing && <UnitChoice value={unit} onChange={setUnit} />}
      </Filter>
      <Table name="Call sites" columns={columns} rows={rows} sort={sortKey(model)} tall
             open={(s) => go('site', sites.caller[s], sites.bci[s])}
             empty={sites.real ? 'No call site is like that.' : 'This profile knows callers, but not where in them the calls are made.'} />
      <Cut />
    </section>
  );
}

function Callees({ site }: { site: number }) {
  const model = useModel();
  const edges = model.sites.edges.of(site);
  const weight = model.weight[model.focus];
  if (edges.length === 1) return <MethodName id={model.callee[edges[0]]} />;
  const parts = Array.from(edges, (e) => weight[e]).sort((a, b) => b - a);
  const first = hottest(weight, edges);
  return (
    <span class="callees">
      <Distribution parts={parts} />
      <span class="quiet num">{format.percent(model.sites.top[site])}</span>
      <MethodName id={model.callee[first]} />
    </span>
  );
}
