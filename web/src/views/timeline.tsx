// Call density and sampling latency over time, per thread: what bias correction works on.
import { useMemo } from 'preact/hooks';
import { Plot, SERIES_COLORS } from '../components/plot';
import { Choice, Table, type Column } from '../components/table';
import { Violins } from '../components/violins';
import { useModel, useTheme } from '../context';
import * as format from '../format';
import { threadSeries } from '../series';
import { useKept } from '../store';

const SHOWN = 8;

export function TimelineView() {
  const model = useModel();
  const theme = useTheme();
  const [side, setSide] = useKept<'0' | '1'>('timeline side', model.comparing ? '1' : '0');
  const [scale, setScale] = useKept<'log' | 'linear'>('timeline scale', 'log');
  const profile = model.profiles[Number(side)];
  const all = useMemo(() => threadSeries(profile), [profile]);
  const [chosen, setChosen] = useKept<number[] | null>(`timeline threads ${side}`, null);
  const picked = chosen ?? all.slice(0, SHOWN).map((s) => s.thread);
  const shown = useMemo(() => all.filter((s) => picked.includes(s.thread)).slice(0, SHOWN), [all, chosen, side]);
  const density = useMemo(() => shown.map((s) => ({ name: s.name, time: s.time,
    values: s.density.map((d) => (scale === 'log' && d !== null && d <= 0 ? null : d)) })), [shown, scale]);
  const latency = useMemo(() => shown.map((s) => ({ name: s.name, time: s.time,
    values: s.latency.map((l) => (scale === 'log' ? Math.max(l, 1) : l)) })), [shown, scale]);
  const columns = useMemo<Column[]>(() => threadColumns(all, picked, (i) => {
    const thread = all[i].thread;
    const next = picked.includes(thread) ? picked.filter((t) => t !== thread) : [...picked, thread];
    setChosen(next.slice(-SHOWN));
  }), [all, chosen, side]);
  const hasDensity = all.some((s) => s.meanDensity !== null);
  const thinned = profile.ticks.count > profile.ticks.thread.length;
  return (
    <section>
      <h1>Timeline</h1>
      <p class="lede">What each tick of the sampler saw, by thread: how densely the thread calls, and how long
        after the tick its first sample came. {format.plural(profile.ticks.count, 'tick')}
        {thinned && `, drawn as ${format.plural(profile.ticks.thread.length, 'point')} (means; latency the longest)`}.</p>
      <div class="filter">
        <Choice label="Scale" value={scale} onChange={setScale} options={[['log', 'Log'], ['linear', 'Linear']]} />
        {model.comparing && <Choice label="Profile" value={side} onChange={setSide}
                                    options={[['0', 'Before'], ['1', 'After']]} />}
        <ul class="legend" aria-label="Threads shown">
          {shown.map((s, i) => (
            <li key={s.thread}><svg width="10" height="10" aria-hidden="true"><circle cx="5" cy="5" r="4" fill={SERIES_COLORS[theme][i % 8]} /></svg>{s.name}</li>
          ))}
        </ul>
      </div>
      {!all.length && <p class="empty">This profile has no series; only sampling collectors record one.</p>}
      {hasDensity && shown.length > 0 && (
        <section class="panel">
          <h2>Call density <span class="quiet">calls per µs of thread time; drag to zoom, double-click to reset</span></h2>
          <Plot lines={density} log={scale === 'log'} format={format.count} label="Call density over time by thread" />
        </section>
      )}
      {shown.length > 0 && (
        <>
          <section class="panel">
            <h2>Sampling latency <span class="quiet">from the tick to its first sample</span></h2>
            <Plot lines={latency} log={scale === 'log'} format={format.nanoseconds} label="Sampling latency over time by thread" />
          </section>
          <section class="panel">
            <h2>Distribution of latency</h2>
            <Violins series={shown} />
          </section>
        </>
      )}
      {all.length > 0 && (
        <section class="panel">
          <h2>Threads <span class="quiet">up to {SHOWN} are drawn</span></h2>
          <Table name="Threads" columns={columns} rows={all.map((_, i) => i)} />
        </section>
      )}
    </section>
  );
}

function threadColumns(all: ReturnType<typeof threadSeries>, picked: number[],
                       toggle: (i: number) => void): Column[] {
  const number = (key: string, label: string, value: (i: number) => number, text: (v: number) => string,
                  wide = true): Column => ({
    key, label, width: '96px', narrow: '72px', end: true, wide, value, cell: (i) => text(value(i)),
  });
  return [{
    key: 'thread', label: 'Thread', width: 'minmax(0, 1fr)', value: (i) => all[i].name,
    cell: (i) => (
      <label class="check">
        <input type="checkbox" checked={picked.includes(all[i].thread)} onChange={() => toggle(i)} />
        <span class="clip">{all[i].name}</span>
      </label>
    ),
  },
  number('samples', 'Samples', (i) => all[i].samples, format.count),
  number('density', 'Calls / µs', (i) => all[i].meanDensity ?? -1, (v) => (v < 0 ? '–' : format.count(v)), false),
  number('p50', 'Latency p50', (i) => all[i].latencyAt(0.5), format.nanoseconds, false),
  number('p95', 'p95', (i) => all[i].latencyAt(0.95), format.nanoseconds),
  number('p99', 'p99', (i) => all[i].latencyAt(0.99), format.nanoseconds)];
}
