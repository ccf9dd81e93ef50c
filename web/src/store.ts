// State that outlives a view: filters, sort orders, the theme. Memory only, except the theme.
import { useState } from 'preact/hooks';

const kept = new Map<string, unknown>();

export function useKept<T>(key: string, initial: T): [T, (value: T) => void] {
  const [value, setValue] = useState<T>(() => (kept.has(key) ? (kept.get(key) as T) : initial));
  return [value, (next: T) => {
    kept.set(key, next);
    setValue(next);
  }];
}

export type Theme = 'light' | 'dark';

const KEY = 'assay-theme';

export function initialTheme(): Theme {
  try {
    const stored = localStorage.getItem(KEY);
    if (stored === 'light' || stored === 'dark') return stored;
  } catch {
    // Pages from files may have no storage.
  }
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
}

export function applyTheme(theme: Theme, store: boolean): void {
  document.documentElement.dataset.theme = theme;
  if (!store) return;
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // See above.
  }
}
