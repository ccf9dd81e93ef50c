// Colours of frames. By package: related code looks alike, the JDK stays in the background. By
// change: one colour for more, another for less, told apart also by the colour-blind.
import type { Names } from '../names';
import type { Theme } from '../store';

const HUES = [38, 14, 168, 262, 74, 338, 196, 120];
const JDK = /^(java|javax|jdk|sun)\./;

export interface Paint { fill: string; text: string }

const cache = new Map<string, Paint>();

function paint(hue: number, saturation: number, lightness: number, theme: Theme): Paint {
  const key = `${hue} ${saturation} ${lightness} ${theme}`;
  let made = cache.get(key);
  if (!made) {
    made = { fill: `hsl(${hue} ${saturation}% ${lightness}%)`,
             text: theme === 'dark' ? '#eef0f3' : '#1b1f25' };
    cache.set(key, made);
  }
  return made;
}

function hash(text: string): number {
  let h = 2166136261;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 16777619);
  return h >>> 0;
}

export function byPackage(names: Names, method: number, theme: Theme): Paint {
  const name = names.className(method);
  const tone = (hash(names.simpleClass(method)) % 5) - 2;
  const dark = theme === 'dark';
  if (!name) return paint(0, 0, dark ? 34 : 84, theme);
  const family = hash(names.packageName(method));
  if (JDK.test(name)) return paint(200 + (family % 5) * 8, dark ? 14 : 22, (dark ? 33 : 84) + tone, theme);
  const hue = HUES[family % HUES.length];
  return paint(hue, dark ? 30 : 46, (dark ? 34 : 80) + tone, theme);
}

// `change`: difference of shares; `share`: the larger of the two.
export function byChange(change: number, share: number, theme: Theme): Paint {
  const strength = share > 0 ? Math.min(1, Math.abs(change) / share) : 0;
  const step = Math.round(strength * 8);
  const dark = theme === 'dark';
  if (!step) return paint(215, 8, dark ? 30 : 90, theme);
  return change > 0 ? paint(14, 20 + step * 6, dark ? 30 + step : 90 - step * 2.5, theme)
                    : paint(213, 20 + step * 6, dark ? 30 + step : 90 - step * 2.5, theme);
}
