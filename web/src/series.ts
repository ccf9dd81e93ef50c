// The per-thread series of one profile: points by thread, figures of each thread's latency.
import type { ProfileData } from './data';

export interface ThreadSeries {
  thread: number;
  name: string;
  time: number[];             // seconds
  density: (number | null)[]; // calls per microsecond of thread time
  latency: number[];          // nanoseconds, the longest of a point
  ticks: number;
  samples: number;
  meanDensity: number | null;
  latencyAt: (quantile: number) => number;
  sortedLatency: Float64Array;
}

export function threadSeries(profile: ProfileData): ThreadSeries[] {
  const { ticks, threads } = profile;
  const byThread = new Map<number, number[]>();
  ticks.thread.forEach((t, i) => {
    const list = byThread.get(t);
    if (list) list.push(i);
    else byThread.set(t, [i]);
  });
  const series = [...byThread].map(([thread, points]): ThreadSeries => {
    const sortedLatency = Float64Array.from(points, (i) => ticks.latency[i]).sort();
    let weight = 0, calls = 0;
    for (const i of points) {
      if (ticks.density[i] < 0) continue;
      const interval = Math.max(ticks.intervalUs[i], 1e-3);
      weight += interval;
      calls += ticks.density[i] * interval;
    }
    return {
      thread, sortedLatency,
      name: threads[thread] || `thread ${thread}`,
      time: points.map((i) => ticks.timeUs[i] / 1e6),
      density: points.map((i) => (ticks.density[i] < 0 ? null : ticks.density[i])),
      latency: points.map((i) => ticks.maxLatency?.[i] ?? ticks.latency[i]),
      ticks: points.length,
      samples: points.reduce((a, i) => a + ticks.samples[i], 0),
      meanDensity: weight > 0 ? calls / weight : null,
      latencyAt: (q) => sortedLatency[Math.min(sortedLatency.length - 1, Math.floor(q * sortedLatency.length))],
    };
  });
  return series.sort((a, b) => b.samples - a.samples || b.ticks - a.ticks);
}

// Counts per step of a logarithmic scale, for a violin: [low exponent, counts].
export function logHistogram(sorted: Float64Array, from: number, to: number, steps: number): number[] {
  const counts = new Array<number>(steps).fill(0);
  for (const value of sorted) {
    const at = (Math.log10(Math.max(value, 1)) - from) / (to - from);
    counts[Math.max(0, Math.min(steps - 1, Math.floor(at * steps)))]++;
  }
  return counts;
}
