// The caller-callee explorer: one method, who calls it from where, whom it calls; every name leads on.
import { useMemo } from 'preact/hooks';
import { MethodName, Place } from '../components/names';
import { Sankey } from '../components/sankey';
import { Source } from '../components/source';
import { Table, type Column } from '../components/table';
import { UnitChoice, useUnit, useWeightColumns, type Unit } from '../components/weights';
import { useModel } from '../context';
import * as format from '../format';
import { go } from '../router';

export function ExploreView({ method }: { method: number }) {
  const model = useModel();
  const [unit, setUnit] = useUnit();
  if (!(method > 0 && method < model.methods)) return <p class="empty">This method is not in the profile.</p>;
  const { names } = model;
  const p = model.focus;
  const into = model.callsTo[p][method], out = model.callsFrom[p][method];
  return (
    <section>
      <p class="crumb"><a href="#/methods">Methods</a>{names.packageName(method) && ` · ${names.packageName(method)}`}</p>
      <h1 class="title"><span class="cls">{names.simpleClass(method) && `${names.simpleClass(method)}.`}</span>{names.method(method)}
        {model.comparing && <UnitChoice value={unit} onChange={setUnit} />}</h1>
      <p class="lede mono">{names.full(method)}</p>
      <dl class="facts">
        <div><dt>Calls in</dt><dd>{format.count(into)}{model.comparing && <Was value={model.callsTo[0][method]} />}</dd></div>
        <div><dt>Of all calls</dt><dd>{format.percent(model.share(into))}</dd></div>
        <div><dt>Calls out</dt><dd>{format.count(out)}{model.comparing && <Was value={model.callsFrom[0][method]} />}</dd></div>
        <div><dt>Out per call</dt><dd>{into > 0 ? format.count(out / into) : '–'}</dd></div>
        <Spent method={method} />
        <div><dt>Bytecode</dt><dd>{model.data.methods.code[method] ? `${model.data.methods.code[method]} bytes` : '–'}</dd></div>
      </dl>
      <Sankey method={method} />
      <div class="two">
        <Side method={method} callers unit={unit} />
        <Side method={method} callers={false} unit={unit} />
      </div>
      <Source method={method} />
    </section>
  );
}

function Spent({ method }: { method: number }) {
  const model = useModel();
  const spent = model.spent();
  if (!spent || !(spent.sum > 0)) return null;
  const part = (label: string, value: number) => (
    <div><dt>{label}</dt><dd>{format.inUnit(value, model.tree!.unit)}<small>{format.percent(value / spent.sum)}</small></dd></div>
  );
  return <>{part('Own', spent.own[method])}{part('With callees', spent.total[method])}</>;
}

const Was = ({ value }: { value: number }) => <small>was {format.count(value)}</small>;

function Side({ method, callers, unit }: { method: number; callers: boolean; unit: Unit }) {
  const model = useModel();
  const other = callers ? model.caller : model.callee;
  const edges = useMemo(() => {
    const w = model.weight[model.focus];
    return Uint32Array.from((callers ? model.incoming : model.outgoing).of(method))
      .sort((a, b) => w[b] - w[a] || a - b);
  }, [method]);
  const sum = (callers ? model.callsTo : model.callsFrom)[model.focus][method];
  const figures = useWeightColumns(model, edges, unit, sum);
  const columns = useMemo<Column[]>(() => [{
    key: 'method', label: callers ? 'Caller' : 'Callee', width: 'minmax(0, 1fr)',
    value: (e) => model.names.short(other[e]),
    cell: (e) => (
      <span class="edge">
        <MethodName id={other[e]} />
        <Place caller={model.caller[e]} line={model.line[e]} bci={model.bci[e]} link />
      </span>
    ),
  }, ...figures.filter((c) => c.key !== 'samples' && c.key !== 'status')], [figures]);
  return (
    <section class="panel">
      <h2>{callers ? 'Callers' : 'Callees'} <span class="quiet">{format.count(edges.length)}</span></h2>
      <Table name={callers ? 'Callers' : 'Callees'} columns={columns} rows={edges} stacked
             sort={model.comparing ? '' : 'calls'}
             open={(e) => go('method', other[e])}
             empty={callers ? 'No call into it was seen.' : 'No call out of it was seen.'} />
    </section>
  );
}
