// The page of `assay live`: the report's own views over a model that is replaced with every update,
// under a bar with the state of the program and of Assay. Keeps one model and a minute of figures.
import { render } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import './style.css';
import { App } from './app';
import type { ReportData } from './data';
import * as format from './format';
import { command } from './metadata';
import { Model } from './model';
import { href, parseRoute } from './router';
import { applyTheme, initialTheme } from './store';

interface State { pid: number; running: boolean; ended: string; tick: string }

// What the profile says so far; differences of two are rates.
interface Figures { seconds: number; cpuMs: number; samples: number; activations: number; ownMs: number }

const MOST_FIGURES = 60;
const TICKS = ['500us', '1ms', '2ms', '4ms', '10ms', '20ms', '50ms'];

function figuresOf(metadata: Record<string, string>): Figures {
  const number = (key: string) => parseFloat(metadata[key] ?? '') || 0;
  return {
    seconds: number('duration'), cpuMs: number('time-ms'),
    samples: number('samples-taken') || number('burst-samples'),
    activations: number('activations-seen') || number('burst-events'),
    ownMs: number('walk-ms') + number('hook-ms') + number('assay-cpu-ms'),
  };
}

// Methods are numbered anew with every update; the address of a page about one follows it.
function stayAtMethod(before: Model, after: Model): void {
  const [view, first, ...rest] = parseRoute(location.hash);
  const m = Number(first);
  if ((view !== 'method' && view !== 'site') || !(m > 0 && m < before.methods)) return;
  const same = (n: number) => before.names.method(m) === after.names.method(n) &&
    before.names.className(m) === after.names.className(n) && before.names.descriptor(m) === after.names.descriptor(n);
  let n = after.methods - 1;
  while (n > 0 && !same(n)) n--;
  if (n === m) return;
  // Gone for now: the list, where it can be found when it is back.
  window.history.replaceState(null, '', n > 0 ? href(view, n, ...rest) : href('methods'));
  dispatchEvent(new HashChangeEvent('hashchange'));
}

function Sparkline({ values, label }: { values: number[]; label: string }) {
  const most = Math.max(...values, 1e-9);
  const points = values.map((v, i) => `${(i / Math.max(1, MOST_FIGURES - 2)) * 120},${22 - (v / most) * 20}`);
  return (
    <svg class="spark" width="120" height="24" viewBox="0 0 120 24" role="img" aria-label={label}>
      <polyline points={points.join(' ')} />
    </svg>
  );
}

function Live({ token }: { token: string }) {
  const [model, setModel] = useState<Model | null>(null);
  const [state, setState] = useState<State>({ pid: 0, running: false, ended: '', tick: '' });
  const [trouble, setTrouble] = useState('');
  const [paused, setPaused] = useState(false);
  const [history, setHistory] = useState<Figures[]>([]);
  const shown = useRef<Model | null>(null);
  const held = useRef(false);
  held.current = paused;

  useEffect(() => {
    const events = new EventSource(`/events?token=${token}`);
    events.addEventListener('state', (event) => {
      const next = JSON.parse(event.data) as State;
      setState(next);
      if (next.ended) events.close();
    });
    events.addEventListener('profile', (event) => {
      if (held.current) return;
      const data = JSON.parse(event.data) as ReportData;
      if (data.version !== 1) return setTrouble(`data version ${data.version} is not for this page`);
      const next = new Model(data);
      const { metadata } = next.profiles[0];
      document.title = `${command(metadata.command ?? '') || `process ${metadata.pid ?? ''}`} · Assay live`;
      if (shown.current) stayAtMethod(shown.current, next);
      shown.current = next;
      setModel(next);
      setHistory((before) => {
        const now = figuresOf(metadata);
        const again = before.length && now.seconds < before[before.length - 1].seconds;  // started anew
        return [...(again ? [] : before), now].slice(-MOST_FIGURES);
      });
    });
    events.onerror = () => setTrouble('The connection is gone; what you see is the last picture.');
    events.onopen = () => setTrouble('');
    return () => events.close();
  }, [token]);

  const wish = async (body: string) => {
    try {
      const reply = await fetch(`/control?token=${token}`, { method: 'POST', body });
      setTrouble(reply.ok ? '' : await reply.text());
    } catch {
      setTrouble('The program cannot be reached.');
    }
  };

  const rates = history.slice(1).map((now, i) => {
    const before = history[i];
    const ms = Math.max(1e-3, now.cpuMs - before.cpuMs);
    const seconds = Math.max(1e-3, now.seconds - before.seconds);
    return {
      density: (now.activations - before.activations) / ms, samples: (now.samples - before.samples) / seconds,
      own: (now.ownMs - before.ownMs) / (seconds * 1000), load: (now.cpuMs - before.cpuMs) / (seconds * 1000),
    };
  });
  const last = rates[rates.length - 1];
  const ended = state.ended !== '';
  const says = state.ended || (state.running ? (paused ? 'held' : 'running') : 'stopped');
  const bar = (
    <div class="live" role="region" aria-label="Live">
      <span id="live-state" class={`state ${ended || !state.running ? 'off' : 'on'}`} role="status">{says}</span>
      <span>process <b>{state.pid || '–'}</b></span>
      <span title="program's processor time per second, all threads">load <b id="live-load">{last ? format.percent(last.load) : '–'}</b></span>
      <span><b id="live-samples">{last ? format.count(last.samples) : '–'}</b> samples/s</span>
      <span title="activations newly seen per millisecond of processor time">call density <b id="live-density">
        {last ? format.count(last.density) : '–'}</b>/ms</span>
      <Sparkline values={rates.map((r) => r.density)} label="call density over the last minute" />
      <span title="walking, marking and accounting, as a share of one processor">Assay itself <b id="live-own">
        {last ? format.percent(last.own) : '–'}</b></span>
      <span class="wishes">
        <label>tick <select id="live-tick" disabled={ended || !state.running} value={state.tick || '4ms'}
                            onChange={(e) => wish(`tick ${e.currentTarget.value}`)}>
          {(TICKS.includes(state.tick || '4ms') ? TICKS : [state.tick, ...TICKS]).map((t) => <option key={t}>{t}</option>)}
        </select></label>
        <button type="button" id="live-hold" disabled={ended} aria-pressed={paused} onClick={() => setPaused(!paused)}>
          {paused ? 'Follow' : 'Hold'}</button>
        <button type="button" id="live-toggle" disabled={ended} onClick={() => wish(state.running ? 'stop' : 'start')}>
          {state.running ? 'Stop' : 'Start'}</button>
      </span>
      {trouble && <span class="trouble" role="alert">{trouble}</span>}
    </div>
  );
  useEffect(() => { if (model) performance.mark('assay-ready'); }, [model !== null]);
  if (!model) return <>{bar}<p class="boot" role="status">Waiting for the first samples…</p></>;
  return <App model={model} bar={bar} />;
}

applyTheme(initialTheme(), false);
if (parseRoute(location.hash)[0] === 'summary') window.history.replaceState(null, '', '#/contexts');
const place = document.getElementById('app')!;
place.replaceChildren();
render(<Live token={new URLSearchParams(location.search).get('token') ?? ''} />, place);
