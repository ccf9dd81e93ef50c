// The place in the report is the fragment of the address: "#/method/12". So the browser's back and
// forward, bookmarks and reloads work, also from a file.
import { useEffect, useState } from 'preact/hooks';

export type Route = string[];

export function parseRoute(hash: string): Route {
  const parts = hash.replace(/^#\/?/, '').split('/').filter(Boolean);
  return parts.length ? parts : ['summary'];
}

export function href(...parts: (string | number)[]): string {
  return '#/' + parts.map((p) => encodeURIComponent(String(p))).join('/');
}

export function go(...parts: (string | number)[]): void {
  location.hash = href(...parts);
}

export function useRoute(): Route {
  const [route, setRoute] = useState(() => parseRoute(location.hash));
  useEffect(() => {
    const follow = (event: Event) => {
      setRoute(parseRoute(location.hash));
      if (event.isTrusted) window.scrollTo(0, 0);  // not where the live page renames where we are
    };
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  return route;
}

export const methodHref = (m: number): string => href('method', m);
export const siteHref = (caller: number, bci: number): string => href('site', caller, bci);
