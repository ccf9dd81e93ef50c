import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Model } from './model';
import type { Theme } from './store';

export const ModelContext = createContext<Model | null>(null);
export const ThemeContext = createContext<Theme>('light');

export function useModel(): Model {
  const model = useContext(ModelContext);
  if (!model) throw new Error('no model');
  return model;
}
export const useTheme = (): Theme => useContext(ThemeContext);
