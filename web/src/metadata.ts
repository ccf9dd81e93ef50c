// The profile's metadata for people. Known keys get a label, the rest is shown as it is.
import type { ProfileData } from './data';
import { exact, nanoseconds } from './format';

// Keys are data as well: a plain object would find "constructor" in every one.
const LABELS = new Map(Object.entries({
  collect: 'Collector', jvm: 'JVM', machine: 'Machine', cpus: 'Processors', start: 'Started',
  duration: 'Length', tick: 'Tick', samples: 'Samples per burst', stride: 'Stride', depth: 'Depth',
  seed: 'Seed', correct: 'Bias correction', via: 'Sampled at', clock: 'Clock', interval: 'Interval',
  granularity: 'Granularity', ended: 'Ended', profiles: 'Merged profiles', overhead: 'Overhead',
  infer: 'Flow inference', host: 'Machine', pid: 'Process', accuracy: 'Accuracy estimate',
  'accuracy-error': 'Error of the estimate', 'accuracy-limit': 'Accuracy at most', duplication: 'Duplication', trigger: 'Trigger',
  'jvm-version': 'JVM version', processors: 'Processors', 'calls-seen': 'Counted are', output: 'Profile',
  'split-half-overlap': 'Overlap of two halves', ticker: 'Ticks by', flush: 'Flushed every',
  instrument: 'Instrumentation', include: 'Included', exclude: 'Excluded', options: 'Options',
}));

const FIRST = ['collect', 'calls-seen', 'jvm', 'jvm-version', 'machine', 'processors', 'host', 'start', 'duration', 'ended', 'tick', 'samples',
               'stride', 'depth', 'via', 'correct', 'infer', 'seed'];

// The command as typed: the path of java and Assay's own agent say nothing about the program.
export function command(text: string): string {
  return text.replace(/^\S*\/java(?=\s)/, 'java').replace(/ -agentpath:\S*libassay\S*/g, '');
}

export function started(text: string | undefined): string {
  return (text ?? '').replace(/^(\d{4}-\d\d-\d\d)T([\d:]+)(\.\d+)?Z$/, '$1 $2 UTC');
}

// "12.345678s" as the agent writes it -> "12.3 s".
export function duration(text: string | undefined): string {
  const match = /^([\d.]+)s$/.exec(text ?? '');
  return match ? nanoseconds(parseFloat(match[1]) * 1e9) : text ?? '';
}

export function rows(metadata: Record<string, string>): [string, string][] {
  const keys = Object.keys(metadata).filter((k) => k !== 'command' && metadata[k] !== '');
  const rank = (k: string) => (FIRST.includes(k) ? FIRST.indexOf(k) : FIRST.length);
  keys.sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
  const list: [string, string][] = keys.map((k) => [LABELS.get(k) ?? k.replace(/[_-]/g, ' '), value(k, metadata[k])]);
  if (metadata.command && command(metadata.command) !== metadata.command) list.push(['Whole command', metadata.command]);
  return list;
}

function value(key: string, text: string): string {
  return key === 'duration' ? duration(text) : key === 'start' ? started(text) : text;
}

// How far two halves of the samples agree, in percent: what there is without an estimate.
export function splitHalf(metadata: Record<string, string>): number | null {
  const percent = parseFloat(metadata['split-half-overlap'] ?? '');
  return percent >= 0 ? percent : null;
}

export interface Accuracy { percent: number; error: number | null }

// "accuracy" is a percentage; "accuracy-error" its half-width in points.
export function accuracy(metadata: Record<string, string>): Accuracy | null {
  const number = (text: string | undefined) => (text ? parseFloat(text) : NaN);
  const percent = number(metadata.accuracy);
  if (!Number.isFinite(percent)) return null;
  const error = number(metadata['accuracy-error']);
  return { percent, error: Number.isFinite(error) ? error : null };
}

const COLLECTORS = new Map(Object.entries({
  calls: 'Sampled calls', contexts: 'Sampled contexts', sampled: 'Sampled instrumentation',
  bytecodes: 'Deterministic bytecode sampling', exact: 'Exact counts of every call',
}));

export function how(profile: ProfileData): string {
  const { collect } = profile.metadata;
  return COLLECTORS.get(collect) ?? (collect ? `Collector ${collect}` : 'Profile');
}

// Calls that sampling at yieldpoints cannot meet, as `assay show` has them.
export function outOfSight({ metadata }: ProfileData): [string, string][] {
  const list: [string, string][] = [];
  if (metadata.via === 'probe') return list;  // probes are in interpreted and inlined code too
  const inlined = metadata['inlined-call-sites'], interpreted = metadata['interpreted-time'];
  if (inlined) list.push(['inlined calls', /^\d+$/.test(inlined) ? `of ${exact(Number(inlined))} call sites` : inlined]);
  if (interpreted) list.push(['interpreted code', `${interpreted} at threads in Java`]);
  return list;
}

export function lostTotal(profile: ProfileData): number {
  return Object.values(profile.lost).reduce((a, b) => a + b, 0);
}
