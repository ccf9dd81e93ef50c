// Contexts as a flame graph or icicle with zoom and search; with two profiles, coloured by change.
import { useMemo, useRef, useState } from 'preact/hooks';
import { Choice } from '../components/table';
import { MethodName } from '../components/names';
import { useModel, useTheme } from '../context';
import { byChange, byPackage } from '../flame/colors';
import { Flame } from '../flame/flame';
import { Scene, WHOLE } from '../flame/scene';
import * as format from '../format';
import { useKept } from '../store';
import type { Model } from '../model';
import type { Measure, Tree } from '../tree';

export function ContextsView() {
  const { tree } = useModel();
  return tree && tree.measures.length ? <Contexts tree={tree} /> : <NoContexts />;
}

function NoContexts() {
  const model = useModel();
  const collect = model.profiles[model.focus].metadata.collect;
  return (
    <section>
      <h1>Contexts</h1>
      <div class="panel prose">
        <p>This profile has no flame graph, because it holds call edges and no contexts. An edge says that A calls
          B so many times; it does not say who called A on the way there, and a flame graph drawn by guessing
          that would be wrong.{collect ? ` The collector was “${collect}”.` : ''}</p>
        <p>The <a href="#/methods">explorer</a> walks the call graph in both directions. To record contexts, run
          with <code>--collect contexts</code> (time), <code>--collect bytecodes</code> (deterministic)
          or <code>--collect exact</code>.</p>
      </div>
    </section>
  );
}

function Contexts({ tree }: { tree: Tree }) {
  const model = useModel();
  const theme = useTheme();
  const [measure, setMeasure] = useKept<Measure>('flame measure', tree.measures[0]);
  const [shape, setShape] = useKept<'flame' | 'icicle'>('flame shape', 'icicle');
  const [side, setSide] = useKept<'0' | '1'>('flame side', model.comparing ? '1' : '0');
  const [query, setQuery] = useKept('flame query', '');
  const [zoom, setZoom] = useState(WHOLE);
  const [selected, setSelected] = useState<number | null>(null);
  const shown = useRef({ tree, model });
  if (shown.current.tree !== tree) {  // a live page's update: stay at the same context
    const before = shown.current;
    shown.current = { tree, model };
    setZoom(sameContext(before.tree, before.model, zoom, tree, model) ?? WHOLE);
    if (selected !== null) setSelected(sameContext(before.tree, before.model, selected, tree, model));
  }
  const p = Number(side);
  const weights = tree[measure];
  const scene = useMemo(() => new Scene(tree, weights[p]), [tree, measure, p]);
  const matches = useMemo(() => model.names.matching(query), [query, model]);
  const found = useMemo(() => (matches ? scene.matched(matches) : 0), [matches, scene]);
  const unit = measure === 'calls' ? 'calls' : tree.unit;
  const whole = weights[p].sum;
  const share = (node: number, q: number) =>
    weights[q].sum > 0 ? (node === WHOLE ? 1 : weights[q].total[node] / weights[q].sum) : 0;
  const label = (node: number) => (node === WHOLE ? 'all' : model.names.short(tree.method[node]));
  const describe = (node: number): string[] => {
    const value = scene.value(node);
    const lines = [node === WHOLE ? 'all contexts' : model.names.full(tree.method[node]),
                   `${format.inUnit(value, unit)} with callees · ${format.percent(value / whole)}`];
    if (node === WHOLE) return lines;
    lines.push(`${format.inUnit(weights[p].own[node], unit)} own · ${format.percent(weights[p].own[node] / whole)}`);
    if (measure === 'self' && tree.calls[p].sum > 0) lines.push(`${format.count(tree.calls[p].own[node])} calls`);
    const caller = tree.parent[node];
    if (caller >= 0) {
      const place = model.place(tree.method[caller], tree.line[node], tree.bci[node]);
      if (place) lines.push(`called from ${place}`);
    }
    if (model.comparing) {
      lines.push(`${format.percent(share(node, 0))} → ${format.percent(share(node, 1))} of the whole`);
    }
    return lines;
  };
  const paint = (node: number) => {
    if (model.comparing) {
      const a = share(node, 0), b = share(node, 1);
      return byChange(b - a, Math.max(a, b), theme);
    }
    return byPackage(model.names, node === WHOLE ? 0 : tree.method[node], theme);
  };
  const pick = (node: number) => {
    setZoom(node);
    setSelected(node);
  };
  const exists = (node: number | null) => (node !== null && node < tree.count ? node : null);
  const current = exists(selected) ?? exists(zoom) ?? WHOLE;
  const { cutNodes, nodes } = model.profiles[p].totals;
  return (
    <section>
      <h1>Contexts</h1>
      <p class="lede">Every path of calls from the top of a stack; width is {measure === 'calls' ? 'the calls made on it'
        : `the ${tree.unit === 'ns' ? 'time' : tree.unit || 'weight'} spent on it`}, with callees.
        {model.comparing && ' Orange grew, blue shrank, in share of the whole.'}</p>
      <div class="filter">
        <input type="search" value={query} placeholder="Highlight methods…" aria-label="Highlight methods"
               spellcheck={false} onInput={(e) => setQuery(e.currentTarget.value)} />
        <Choice label="Shape" value={shape} onChange={setShape}
                options={[['icicle', 'Icicle'], ['flame', 'Flame']]} />
        {tree.measures.length > 1 &&
          <Choice label="Width" value={measure} onChange={setMeasure}
                  options={[['self', tree.unit === 'ns' ? 'Time' : capital(tree.unit) || 'Weight'], ['calls', 'Calls']]} />}
        {model.comparing && <Choice label="Widths of" value={side} onChange={setSide}
                                    options={[['0', 'Before'], ['1', 'After']]} />}
        <button type="button" disabled={zoom === WHOLE} onClick={() => pick(WHOLE)}>Reset zoom</button>
        <span class="count" role="status">
          {matches ? `${format.percent(whole ? found / whole : 0)} matched` : format.plural(nodes, 'context')}
        </span>
      </div>
      <Flame scene={scene} upward={shape === 'flame'} zoom={exists(zoom) ?? WHOLE} selected={exists(selected)} matches={matches}
             theme={theme} label={label} describe={describe} paint={paint}
             onZoom={pick} onSelect={setSelected} />
      <div class="panel detail" id="flame-detail" aria-live="polite">
        {describe(current).map((line, i) => <div key={i} class={i ? 'quiet' : 'mono'}>{line}</div>)}
        {current !== WHOLE && (
          <ol class="path">
            {scene.path(current).slice(-40).map((node) => (
              <li key={node}>
                <button type="button" class="plain" onClick={() => pick(node)} title="zoom to this frame">⌕</button>
                <MethodName id={tree.method[node]} />
                <span class="num quiet">{format.percent(scene.value(node) / whole)}</span>
              </li>
            ))}
          </ol>
        )}
      </div>
      {cutNodes > 0 && <p class="note">{format.plural(cutNodes, 'colder context')} of {format.count(nodes)} not
        drawn; their weight stays in the frames above them (<code>--max-contexts</code> takes more along).</p>}
    </section>
  );
}

// The node of `to` on the same path of calls as `node` of `from`; null when there is none.
function sameContext(from: Tree, names: Model, node: number, to: Tree, toNames: Model): number | null {
  if (node === WHOLE) return WHOLE;
  const path: number[] = [];
  for (let i = node; i >= 0; i = from.parent[i]) path.unshift(i);
  let at = -1;
  for (const step of path) {
    const name = names.names.full(from.method[step]);
    const end = at < 0 ? to.count : to.end[at];
    let next = at + 1;
    while (next < end && (to.bci[next] !== from.bci[step] || toNames.names.full(to.method[next]) !== name)) {
      next = to.end[next];
    }
    if (next >= end) return null;
    at = next;
  }
  return at;
}

const capital = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1);
