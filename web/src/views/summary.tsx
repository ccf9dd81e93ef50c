// The first page: what was run and how, how far the figures can be trusted, what they say.
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { Table } from '../components/table';
import { useUnit, useWeightColumns } from '../components/weights';
import { useModel } from '../context';
import type { ProfileData } from '../data';
import * as format from '../format';
import { accuracy, command, duration, how, lostTotal, outOfSight, rows, splitHalf, started } from '../metadata';
import { overlap, type Model, type Weighted } from '../model';
import { go } from '../router';
import { edgeColumns, methodColumn, range } from './hot';

function Tile({ label, children, note }: { label: string; children: ComponentChildren; note?: string }) {
  return <div class="tile"><dt>{label}</dt><dd>{children}{note && <small>{note}</small>}</dd></div>;
}

export function SummaryView() {
  const model = useModel();
  return (
    <section>
      {model.profiles.map((p, i) => <Head key={i} profile={p} side={model.comparing ? ['Before', 'After'][i] : ''} />)}
      {model.comparing ? <OverlapTiles /> : <Tiles profile={model.profiles[0]} />}
      {model.work ? <TopMethods /> : <TopEdges />}
      <div class="two">
        {!model.comparing && !model.work && <Concentration model={model} />}
        {model.profiles.map((p, i) => (
          <section key={i} class="panel">
            <h2>{model.comparing ? ['Before', 'After'][i] + ': h' : 'H'}ow it was measured</h2>
            <Facts rows={rows(p.metadata)} />
          </section>
        ))}
        {model.profiles.map((p, i) => (
          <section key={i} class="panel">
            <h2>{model.comparing ? ['Before', 'After'][i] + ': n' : 'N'}ot seen</h2>
            <NotSeenFacts profile={p} />
          </section>
        ))}
      </div>
    </section>
  );
}

function Head({ profile, side }: { profile: ProfileData; side: string }) {
  const { metadata } = profile;
  const parts = [how(profile), duration(metadata.duration), [metadata.jvm, metadata['jvm-version']].filter(Boolean).join(' '),
                 started(metadata.start)].filter(Boolean);
  return (
    <header class="head">
      <h1 class="command">{side && <span class="tag">{side}</span>}{metadata.command ? command(metadata.command) : profile.name}</h1>
      <p class="lede">{parts.join(' · ')}{metadata.command && ` · ${profile.name}`}
        {metadata.ended === 'unfinished' &&
          <strong class="warn"> The program was killed: figures up to its last flush.</strong>}</p>
    </header>
  );
}

function callsLabel(model: Model, { metadata }: ProfileData): string {
  if (model.exact) return 'Calls';
  return metadata.collect === 'calls' && !metadata['calls-total-error'] ? 'Calls, at least' : 'Calls, estimated';
}

function Tiles({ profile }: { profile: ProfileData }) {
  const model = useModel();
  const { totals } = profile;
  const estimate = accuracy(profile.metadata);
  const halves = splitHalf(profile.metadata);
  const totalError = profile.metadata['calls-total-error'];
  const poly = useMemo(() => {
    const { sites } = model;
    let weight = 0;
    for (let s = 0; s < sites.count; s++) if (sites.targets[s] > 1 && sites.bci[s] >= 0) weight += sites.weight[0][s];
    return model.share(weight);
  }, [model]);
  if (model.work) return <WorkTiles profile={profile} work={model.work} />;
  return (
    <dl class="tiles">
      {totals.edges > 0 && <Tile label={callsLabel(model, profile)} note={totalError && `± ${totalError}`}>{format.count(totals.weight)}</Tile>}
      {estimate ? <Tile label="Accuracy estimate" note={estimate.error !== null ? `± ${estimate.error} points` : undefined}>
        {estimate.percent.toFixed(1)} %</Tile>
        : halves !== null ? <Tile label="Two halves agree" note="overlap of two halves of the bursts">{halves.toFixed(1)} %</Tile>
        : <Tile label="Accuracy">{model.exact ? 'exact' : <span class="quiet">not estimated</span>}</Tile>}
      {totals.samples > 0 && !model.exact && <Tile label="Samples">{format.count(totals.samples)}</Tile>}
      <Tile label="Edges">{format.count(totals.edges)}</Tile>
      <Tile label="Methods">{format.count(totals.methods)}</Tile>
      <Tile label="Call sites" note={poly > 0 ? `${format.percent(poly)} of calls have 2+ callees` : undefined}>
        {format.count(model.sites.real)}</Tile>
      {totals.nodes > 0 && <Tile label="Contexts">{format.count(totals.nodes)}</Tile>}
      {profile.threads.length > 0 && <Tile label="Threads">{format.count(profile.threads.length)}</Tile>}
    </dl>
  );
}

// Of a profile that is about work by context.
function WorkTiles({ profile, work }: { profile: ProfileData; work: Weighted }) {
  const model = useModel();
  const { totals, metadata } = profile;
  const unit = work.unit!;
  const name = unit !== 'ns' ? `${format.title(unit)}, exact in all` : metadata.clock === 'wall' ? 'Time of all threads' : 'CPU time';
  return (
    <dl class="tiles">
      <Tile label={name}>{format.ofUnit(work.total![model.focus], unit)}</Tile>
      {totals.weight > 0 && <Tile label="Activations seen">{format.count(totals.weight)}</Tile>}
      {metadata.granularity && <Tile label="A sample every" note="and what lies between goes to its context">{metadata.granularity}</Tile>}
      <Tile label="Methods">{format.count(totals.methods)}</Tile>
      <Tile label="Contexts">{format.count(totals.nodes)}</Tile>
    </dl>
  );
}

// The papers' measure of likeness, over everything that both profiles hold.
function OverlapTiles() {
  const model = useModel();
  const figures = useMemo(() => {
    const [a, b] = model.total;
    const pairs = new Map<number, number>();
    const index = new Uint32Array(model.edges);
    for (let e = 0; e < model.edges; e++) {
      const key = model.caller[e] * model.methods + model.callee[e];
      if (!pairs.has(key)) pairs.set(key, pairs.size);
      index[e] = pairs.get(key)!;
    }
    const method = model.weight.map((w) => {
      const sums = new Float64Array(pairs.size);
      w.forEach((x, e) => { sums[index[e]] += x; });
      return sums;
    });
    const tree = model.tree?.[model.tree.measures[0]];
    return {
      sites: overlap(model.weight[0], a, model.weight[1], b),
      methods: overlap(method[0], a, method[1], b),
      contexts: tree && overlap(tree[0].own, tree[0].sum, tree[1].own, tree[1].sum),
      added: model.weight[0].filter((w, e) => w === 0 && model.weight[1][e] > 0).length,
      gone: model.weight[1].filter((w, e) => w === 0 && model.weight[0][e] > 0).length,
    };
  }, [model]);
  const { total, unit } = model.work ?? { total: model.total, unit: model.calls };
  const [before, after] = total!;
  const calls = model.edges > 0;
  return (
    <dl class="tiles">
      {calls && <Tile label="Overlap, call sites">{format.percent(figures.sites)}</Tile>}
      {calls && <Tile label="Overlap, methods">{format.percent(figures.methods)}</Tile>}
      {figures.contexts !== undefined && <Tile label="Overlap, contexts">{format.percent(figures.contexts)}</Tile>}
      <Tile label={format.title(format.unitName(unit!))} note={`was ${format.ofUnit(before, unit!)}`}>{format.ofUnit(after, unit!)}</Tile>
      <Tile label={`Change in ${format.unitName(unit!)}`}>{before > 0 ? `${after >= before ? '+' : '−'}${format.percent(Math.abs(after / before - 1))}` : '–'}</Tile>
      {calls && <Tile label="New edges">{format.count(figures.added)}</Tile>}
      {calls && <Tile label="Gone edges">{format.count(figures.gone)}</Tile>}
    </dl>
  );
}

function TopEdges() {
  const model = useModel();
  const [unit] = useUnit();
  const top = useMemo(() => {
    const ids = Uint32Array.from({ length: model.edges }, (_, i) => i);
    if (!model.comparing) return ids.subarray(0, 12);
    const change = (e: number) => Math.abs(unit === 'share' ? model.change(model.weight, e)
                                                            : model.weight[1][e] - model.weight[0][e]);
    return ids.sort((a, b) => change(b) - change(a)).subarray(0, 12);
  }, [model, unit]);
  const figures = useWeightColumns(model, top, unit);
  const columns = useMemo(() => [...edgeColumns(model).map((c) => ({ ...c, value: undefined })),
                                 ...figures.map((c) => ({ ...c, value: undefined }))], [figures]);
  if (!top.length) return null;
  return (
    <section class="panel">
      <h2>{model.comparing ? 'What changed most' : 'Hottest edges'} <a class="more" href="#/edges">all edges</a></h2>
      <Table name="Top edges" columns={columns} rows={top} tall
             open={(e) => go('site', model.caller[e], model.bci[e])} />
    </section>
  );
}

function TopMethods() {
  const model = useModel();
  const [unit] = useUnit();
  const from = useMemo(() => model.methodWeights, [model]);
  const top = useMemo(() => {
    const [a, b] = from.weight;
    const key = (m: number) => !model.comparing ? a[m] : Math.abs(unit === 'share' ? model.change(from.weight, m, from.total) : b[m] - a[m]);
    return range(model.methods, 1).sort((x, y) => key(y) - key(x) || x - y).subarray(0, 12);
  }, [model, unit]);
  const figures = useWeightColumns(from, top, unit);
  const columns = useMemo(() => [methodColumn(model), ...figures].map((c) => ({ ...c, value: undefined })), [figures]);
  return (
    <section class="panel">
      <h2>{model.comparing ? 'What changed most' : 'Hottest methods'} <a class="more" href="#/methods">all methods</a></h2>
      <Table name="Top methods" columns={columns} rows={top} open={(m) => go('method', m)} />
    </section>
  );
}

// How few edges carry how much.
function Concentration({ model }: { model: Model }) {
  const steps = useMemo(() => {
    const weight = Float64Array.from(model.weight[0]).sort().reverse();
    const marks = [0.5, 0.8, 0.9, 0.99];
    const found: [number, number][] = [];
    let sum = 0;
    for (let i = 0; i < weight.length && found.length < marks.length; i++) {
      sum += weight[i];
      while (found.length < marks.length && sum >= marks[found.length] * model.total[0]) {
        found.push([marks[found.length], i + 1]);
      }
    }
    return found;
  }, [model]);
  if (!steps.length) return null;
  const all = model.profiles[0].totals.edges;
  return (
    <section class="panel">
      <h2>How the calls concentrate</h2>
      <table class="plain">
        <thead><tr><th scope="col">of all calls</th><th scope="col" class="end">in the hottest</th><th scope="col" class="end">of the edges</th></tr></thead>
        <tbody>
          {steps.map(([share, n]) => (
            <tr key={share}>
              <th scope="row">{format.percent(share)}</th>
              <td class="end">{format.plural(n, 'edge')}</td>
              <td class="end">{format.percent(n / all)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

export function Facts({ rows: list }: { rows: [string, ComponentChildren][] }) {
  if (!list.length) return <p class="empty">Nothing was recorded.</p>;
  return <dl class="list">{list.map(([k, v]) => <div key={k}><dt>{k}</dt><dd>{v}</dd></div>)}</dl>;
}

function NotSeenFacts({ profile }: { profile: ProfileData }) {
  const lost = Object.entries(profile.lost).filter(([, n]) => n > 0).sort((a, b) => b[1] - a[1]);
  const skipped = profile.skipped.method.length;
  const list: [string, ComponentChildren][] = outOfSight(profile);
  if (!list.length && !lost.length && !skipped) return <p class="empty">No event was lost and no method left out.</p>;
  for (const [reason, n] of lost.slice(0, 6)) list.push([reason, format.exact(n)]);
  if (lost.length > 6) list.push(['all lost events', format.exact(lostTotal(profile))]);
  if (skipped) list.push(['methods left as they are', format.exact(skipped)]);
  return <><Facts rows={list} /><p class="note"><a href="#/missing">details</a></p></>;
}
