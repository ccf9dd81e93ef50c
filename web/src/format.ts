// Figures for people: "12.3 M", "4 ms", "3.1 %", "± 2 %". Thin spaces keep unit and number together.

const THIN = '\u202f';
const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

function significant(value: number, digits = 3): string {
  if (value === 0) return '0';
  if (Math.abs(value) < 1e-4) return value.toExponential(digits - 1).replace(/\.?0*e-/, 'e−');
  const magnitude = Math.floor(Math.log10(Math.abs(value)));
  return value.toFixed(Math.max(0, Math.min(6, digits - 1 - magnitude)));
}

export function count(value: number): string {
  const size = Math.abs(value);
  if (size < 10_000) {
    return Number.isInteger(value) || size >= 1000 ? whole.format(Math.round(value)) : significant(value);
  }
  for (const [limit, unit] of [[1e6, 'k'], [1e9, 'M'], [1e12, 'G']] as const) {
    if (size < limit * 0.9995) return `${significant(value / (limit / 1000))}${THIN}${unit}`;
  }
  return `${significant(value / 1e12)}${THIN}T`;
}

export function exact(value: number): string {
  return Number.isInteger(value) ? whole.format(value) : significant(value, 6);
}

export function percent(share: number): string {
  if (!Number.isFinite(share)) return '–';
  const value = share * 100;
  if (value !== 0 && Math.abs(value) < 0.01) return `<${THIN}0.01${THIN}%`;
  const digits = Math.abs(value) >= 99.95 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return `${value.toFixed(digits)}${THIN}%`;
}

export function points(difference: number): string {
  const value = difference * 100;
  if (value === 0) return '0';
  const sign = value > 0 ? '+' : '−';
  const size = Math.abs(value);
  return size < 0.005 ? `${sign}<${THIN}0.01` : `${sign}${size.toFixed(2)}`;
}

export function signed(value: number, unit = ''): string {
  return value === 0 ? '0' : (value > 0 ? '+' : '−') + ofUnit(Math.abs(value), unit);
}

// Half-width of the 95 % interval relative to the value.
export function error(relative: number): string {
  if (!(relative > 0)) return '';
  const value = relative * 100;
  return `±${THIN}${value >= 10 ? value.toFixed(0) : significant(value, 2)}${THIN}%`;
}

export function nanoseconds(ns: number): string {
  const size = Math.abs(ns);
  if (size < 1e3) return `${significant(ns)}${THIN}ns`;
  if (size < 1e6) return `${significant(ns / 1e3)}${THIN}µs`;
  if (size < 1e9) return `${significant(ns / 1e6)}${THIN}ms`;
  if (size < 120e9) return `${significant(ns / 1e9)}${THIN}s`;
  const seconds = Math.round(ns / 1e9);
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return parts[0] ? `${parts[0]}${THIN}h ${parts[1]}${THIN}min`
                  : `${parts[1]}${THIN}min ${parts[2]}${THIN}s`;
}

export function inUnit(value: number, unit: string): string {
  if (unit === 'ns') return nanoseconds(value);
  return unit ? `${count(value)} ${unit}` : count(value);
}

// The figure alone, where a column says what it is of.
export function ofUnit(value: number, unit: string): string { return unit === 'ns' ? nanoseconds(value) : count(value); }

export function unitName(unit: string): string { return unit === 'ns' ? 'time' : unit; }

export function title(word: string): string { return word.charAt(0).toUpperCase() + word.slice(1); }

export function plural(n: number, one: string, many = `${one}s`): string {
  return `${count(n)} ${n === 1 ? one : many}`;
}
