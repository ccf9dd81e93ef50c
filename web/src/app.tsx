// The frame of the report: header with search and theme, navigation, the current view.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Search } from './components/search';
import { ModelContext, ThemeContext } from './context';
import * as format from './format';
import { lostTotal } from './metadata';
import type { Model } from './model';
import { go, href, useRoute, type Route } from './router';
import { applyTheme, initialTheme } from './store';
import { ContextsView } from './views/contexts';
import { ExploreView } from './views/explore';
import { EdgesView, MethodsView, SitesView } from './views/hot';
import { MissingView } from './views/missing';
import { SiteView } from './views/site';
import { SummaryView } from './views/summary';
import { TablesView } from './views/tables';
import { TimelineView } from './views/timeline';

interface Place { path: string; label: string; count?: number }

function places(model: Model): Place[] {
  const p = model.profiles[model.focus];
  const calls = model.edges > 0 || !model.work;
  const all: Place[] = [
    { path: 'summary', label: 'Summary' },
    ...(calls ? [{ path: 'edges', label: 'Edges', count: model.edges }] : []),
    { path: 'methods', label: 'Methods', count: model.methods - 1 },
    ...(calls ? [{ path: 'sites', label: 'Call sites', count: model.sites.real }] : []),
    { path: 'contexts', label: 'Contexts', count: model.data.nodes?.depth.length },
  ];
  if (model.profiles.some((q) => q.ticks.count > 0)) all.push({ path: 'timeline', label: 'Timeline' });
  if (model.tableNames().length) all.push({ path: 'tables', label: 'Tables', count: model.tableNames().length });
  all.push({ path: 'missing', label: 'Not seen', count: p.skipped.method.length + lostTotal(p) });
  return all;
}

// Which entry of the navigation a detail page belongs to.
const PARENT: Record<string, string> = { method: 'methods', site: 'sites' };

function View({ route }: { route: Route }) {
  const [view, first, second] = route;
  switch (view) {
    case 'edges': return <EdgesView />;
    case 'methods': return <MethodsView />;
    case 'sites': return <SitesView />;
    case 'method': return <ExploreView key={first} method={Number(first)} />;
    case 'site': return <SiteView key={`${first} ${second}`} caller={Number(first)} bci={Number(second)} />;
    case 'contexts': return <ContextsView />;
    case 'timeline': return <TimelineView />;
    case 'tables': return <TablesView name={first === undefined ? undefined : decodeURIComponent(first)} />;
    case 'missing': return <MissingView />;
    default: return <SummaryView />;
  }
}

// `bar`: what the live page adds below the header.
export function App({ model, bar }: { model: Model; bar?: ComponentChildren }) {
  const route = useRoute();
  const [theme, setTheme] = useState(initialTheme);
  const [chosen, setChosen] = useState(false);
  const help = useRef<HTMLDialogElement>(null);
  const nav = useRef<HTMLElement>(null);
  const list = places(model);
  const current = PARENT[route[0]] ?? route[0];
  useEffect(() => applyTheme(theme, chosen), [theme, chosen]);
  useEffect(() => {
    const tab = nav.current?.querySelector<HTMLElement>('[aria-current]');
    if (tab) nav.current!.scrollLeft = tab.offsetLeft + tab.offsetWidth / 2 - nav.current!.clientWidth / 2;
  }, [current]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if ((event.target as Element).closest('input, textarea, select, dialog')) return;
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const index = Number(event.key) - 1;
      if (event.key === '?') help.current?.showModal();
      else if (Number.isInteger(index) && list[index]) go(list[index].path);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [model]);
  return (
    <ModelContext.Provider value={model}>
      <ThemeContext.Provider value={theme}>
        <a class="skip" href="#main" onClick={(e) => { e.preventDefault(); document.getElementById('main')?.focus(); }}>
          Skip to content</a>
        <header class="top">
          <a class="brand" href={href('summary')} aria-label="Assay report, summary"><Mark />Assay</a>
          <nav aria-label="Views" ref={nav}>
            {list.map((place, i) => (
              <a key={place.path} href={href(place.path)} title={`key ${i + 1}`}
                 aria-current={place.path === current ? 'page' : undefined}>
                {place.label}{place.count ? <span class="badge">{format.count(place.count)}</span> : null}
              </a>
            ))}
          </nav>
          <Search />
          <button type="button" class="icon" aria-label={`Switch to ${theme === 'dark' ? 'light' : 'dark'} colours`}
                  onClick={() => { setChosen(true); setTheme(theme === 'dark' ? 'light' : 'dark'); }}>
            {theme === 'dark' ? '☀' : '☾'}</button>
          <button type="button" class="icon" aria-label="Keyboard help" onClick={() => help.current?.showModal()}>?</button>
        </header>
        {bar}
        <main id="main" tabIndex={-1}><View route={route} /></main>
        <Help dialog={help} views={list.length} />
      </ThemeContext.Provider>
    </ModelContext.Provider>
  );
}

// A balance: what an assay is done with.
function Mark() {
  return (
    <svg width="20" height="20" viewBox="0 0 20 20" aria-hidden="true" class="mark">
      <path d="M10 2v14M6 17.5h8M3 5.5h14M3 5.5 1 11h4zM17 5.5 15 11h4z" />
    </svg>
  );
}

function Help({ dialog, views }: { dialog: { current: HTMLDialogElement | null }; views: number }) {
  const keys: [string, string][] = [
    ['/', 'find a method'], [`1 … ${views}`, 'go to a view'],
    ['↑ ↓ or j k', 'move in a table; Page Up, Page Down, Home, End too'], ['Enter', 'open the row, zoom into the frame'],
    ['↑ ↓ ← →', 'walk the flame graph'], ['Esc', 'zoom out, close'], ['?', 'this list'],
  ];
  return (
    <dialog ref={dialog} aria-label="Keyboard help" onClick={(e) => { if (e.target === dialog.current) dialog.current?.close(); }}>
      <h2>Keys</h2>
      <dl class="list">{keys.map(([k, what]) => <div key={what}><dt><kbd>{k}</kbd></dt><dd>{what}</dd></div>)}</dl>
      <button type="button" onClick={() => dialog.current?.close()}>Close</button>
    </dialog>
  );
}
