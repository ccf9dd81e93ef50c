// The profile's metadata for people. Known keys get a label, the rest is shown as it is.
import type { ProfileData } from './data';
import { nanoseconds } from './format';

const LABELS: Record<string, string> = {
  collect: 'Collector', jvm: 'JVM', machine: 'Machine', cpus: 'Processors', start: 'Started',
  duration: 'Length', tick: 'Tick', samples: 'Samples per burst', stride: 'Stride', depth: 'Depth',
  seed: 'Seed', correct: 'Bias correction', via: 'Sampled at', clock: 'Clock', interval: 'Interval',
  granularity: 'Granularity', ended: 'Ended', profiles: 'Merged profiles', overhead: 'Overhead',
  infer: 'Flow inference', host: 'Machine', pid: 'Process', accuracy: 'Accuracy estimate',
  accuracy_error: 'Error of the estimate', duplication: 'Duplication', trigger: 'Trigger',
  instrument: 'Instrumentation', include: 'Included', exclude: 'Excluded', options: 'Options',
};

const FIRST = ['collect', 'jvm', 'machine', 'host', 'start', 'duration', 'ended', 'tick', 'samples',
               'stride', 'depth', 'via', 'correct', 'infer', 'seed'];

// "12.345678s" as the agent writes it -> "12.3 s".
export function duration(text: string | undefined): string {
  const match = /^([\d.]+)s$/.exec(text ?? '');
  return match ? nanoseconds(parseFloat(match[1]) * 1e9) : text ?? '';
}

export function rows(metadata: Record<string, string>): [string, string][] {
  const keys = Object.keys(metadata).filter((k) => k !== 'command' && metadata[k] !== '');
  const rank = (k: string) => (FIRST.includes(k) ? FIRST.indexOf(k) : FIRST.length);
  keys.sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
  return keys.map((k) => [LABELS[k] ?? k.replace(/_/g, ' '), k === 'duration' ? duration(metadata[k]) : metadata[k]]);
}

export interface Accuracy { percent: number; error: number | null }

// "accuracy" is a percentage; "accuracy_error" its half-width in points.
export function accuracy(metadata: Record<string, string>): Accuracy | null {
  const number = (text: string | undefined) => (text ? parseFloat(text) : NaN);
  const percent = number(metadata.accuracy);
  if (!Number.isFinite(percent)) return null;
  const error = number(metadata.accuracy_error);
  return { percent, error: Number.isFinite(error) ? error : null };
}

const COLLECTORS: Record<string, string> = {
  calls: 'Sampled calls', contexts: 'Sampled contexts', sampled: 'Sampled instrumentation',
  bytecodes: 'Deterministic bytecode sampling', exact: 'Exact counts of every call',
};

export function how(profile: ProfileData): string {
  const { collect } = profile.metadata;
  return COLLECTORS[collect] ?? (collect ? `Collector ${collect}` : 'Profile');
}

export function lostTotal(profile: ProfileData): number {
  return Object.values(profile.lost).reduce((a, b) => a + b, 0);
}
