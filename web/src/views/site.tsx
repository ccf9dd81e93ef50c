// One call site: how its calls divide among the callees, in its source.
import { useMemo } from 'preact/hooks';
import { Distribution } from '../components/bars';
import { MethodName, Place } from '../components/names';
import { Source } from '../components/source';
import { Table, type Column } from '../components/table';
import { UnitChoice, useUnit, useWeightColumns } from '../components/weights';
import { useModel } from '../context';
import * as format from '../format';
import { go } from '../router';

const SHAPES = ['', 'monomorphic', 'bimorphic'];

export function SiteView({ caller, bci }: { caller: number; bci: number }) {
  const model = useModel();
  const site = model.site(caller, bci);
  if (site < 0) return <p class="empty">This call site is not in the profile.</p>;
  return <OneSite site={site} />;
}

function OneSite({ site }: { site: number }) {
  const model = useModel();
  const { sites } = model;
  const caller = sites.caller[site];
  const [unit, setUnit] = useUnit();
  const edges = useMemo(() => {
    const w = model.weight[model.focus];
    return Uint32Array.from(sites.edges.of(site)).sort((a, b) => w[b] - w[a] || a - b);
  }, [site]);
  const weight = sites.weight[model.focus][site];
  const figures = useWeightColumns(model, edges, unit, weight);
  const columns = useMemo<Column[]>(() => [{
    key: 'callee', label: 'Callee', width: 'minmax(0, 1fr)',
    value: (e) => model.names.short(model.callee[e]),
    cell: (e) => <MethodName id={model.callee[e]} />,
  }, ...figures], [figures]);
  return (
    <section>
      <p class="crumb"><a href="#/sites">Call sites</a></p>
      <h1 class="title"><MethodName id={caller} /> <Place caller={caller} line={sites.line[site]} bci={sites.bci[site]} /></h1>
      <dl class="facts">
        <div><dt>Calls</dt><dd>{format.count(weight)}</dd></div>
        <div><dt>Of all calls</dt><dd>{format.percent(model.share(weight))}</dd></div>
        <div><dt>Callees</dt><dd>{edges.length} <small>{SHAPES[edges.length] ?? 'megamorphic'}</small></dd></div>
        <div><dt>Top callee</dt><dd>{format.percent(sites.top[site])}</dd></div>
        <div><dt>Bytecode index</dt><dd>{sites.bci[site] >= 0 ? sites.bci[site] : '–'}</dd></div>
      </dl>
      <section class="panel">
        <h2>Where its calls go {model.comparing && <UnitChoice value={unit} onChange={setUnit} />}</h2>
        {edges.length > 1 && <Distribution parts={Array.from(edges, (e) => model.weight[model.focus][e])} />}
        <Table name="Callees of the site" columns={columns} rows={edges} sort={model.comparing ? '' : 'calls'}
               open={(e) => go('method', model.callee[e])} />
      </section>
      <OtherSites site={site} />
      <Source method={caller} line={sites.line[site]} />
    </section>
  );
}

// The same method's other calls, hottest first.
function OtherSites({ site }: { site: number }) {
  const model = useModel();
  const { sites } = model;
  const caller = sites.caller[site];
  const [unit] = useUnit();
  const others = useMemo(() => {
    const found = new Set(Array.from(model.outgoing.of(caller), (e) => sites.ofEdge[e]));
    found.delete(site);
    const w = sites.weight[model.focus];
    return [...found].sort((a, b) => w[b] - w[a] || a - b);
  }, [site]);
  const figures = useWeightColumns(sites, others, unit, model.callsFrom[model.focus][caller]);
  const columns = useMemo<Column[]>(() => [{
    key: 'site', label: 'Call site', width: 'minmax(0, 190px)', wide: true,
    cell: (s) => <Place caller={caller} line={sites.line[s]} bci={sites.bci[s]} />,
  }, {
    key: 'callee', label: 'Most frequent callee', width: 'minmax(0, 1fr)',
    cell: (s) => <MethodName id={model.callee[hottest(model.weight[model.focus], sites.edges.of(s))]} />,
  }, {
    key: 'targets', label: 'Targets', title: 'different callees', width: '64px', end: true, wide: true,
    value: (s) => sites.targets[s], cell: (s) => format.count(sites.targets[s]),
  }, ...figures], [figures]);
  if (!others.length) return null;
  return (
    <section class="panel">
      <h2>Other call sites of this method</h2>
      <Table name="Other sites" columns={columns} rows={others} sort={model.comparing ? '' : 'calls'}
             open={(s) => go('site', caller, sites.bci[s])} />
    </section>
  );
}

export function hottest(weight: Float64Array, edges: Uint32Array): number {
  return edges.reduce((best, e) => (weight[e] > weight[best] ? e : best), edges[0]);
}
