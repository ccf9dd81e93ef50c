// Distribution of sampling latency per thread on a logarithmic scale, one violin each.
import { useTheme } from '../context';
import * as format from '../format';
import { logHistogram, type ThreadSeries } from '../series';
import { SERIES_COLORS } from './plot';
import { useWidth } from './width';

const STEPS = 48, ROW = 44, RIGHT = 24;

export function Violins({ series }: { series: ThreadSeries[] }) {
  const theme = useTheme();
  const { ref, width } = useWidth<HTMLDivElement>();
  const left = Math.min(150, width * 0.3);
  if (!series.length) return null;
  const low = Math.floor(Math.log10(Math.max(1, Math.min(...series.map((s) => s.sortedLatency[0])))));
  const high = Math.max(low + 1, Math.ceil(Math.log10(
    Math.max(10, ...series.map((s) => s.sortedLatency[s.sortedLatency.length - 1])))));
  const height = series.length * ROW + 28;
  const x = (exponent: number) => left + ((exponent - low) / (high - low)) * Math.max(0, width - left - RIGHT);
  const decades = Array.from({ length: high - low + 1 }, (_, i) => low + i);
  return (
    <div class="violins" ref={ref} style={{ height: `${height}px` }}>
    <svg width={width} height={height} role="img"
         aria-label={`Sampling latency per thread. ${series.map((s) => `${s.name}: median ${format.nanoseconds(s.latencyAt(0.5))}`).join('; ')}`}>
      {decades.map((d) => (
        <g key={d}>
          <line x1={x(d)} x2={x(d)} y1={0} y2={height - 22} class="rule" />
          <text x={x(d)} y={height - 8} text-anchor="middle" class="quiet">{format.nanoseconds(10 ** d)}</text>
        </g>
      ))}
      {series.map((s, row) => {
        const counts = logHistogram(s.sortedLatency, low, high, STEPS);
        const max = Math.max(...counts, 1);
        const middle = row * ROW + ROW / 2;
        const half = (i: number) => (counts[i] / max) * (ROW / 2 - 4);
        const at = (i: number) => x(low + ((i + 0.5) / STEPS) * (high - low));
        const upper = counts.map((_, i) => `${at(i)},${middle - half(i)}`);
        const lower = counts.map((_, i) => `${at(i)},${middle + half(i)}`).reverse();
        const median = x(Math.log10(Math.max(1, s.latencyAt(0.5))));
        const color = SERIES_COLORS[theme][row % 8];
        return (
          <g key={s.thread}>
            <text x={left - 12} y={middle + 4} text-anchor="end">{shorten(s.name, Math.floor(left / 7.4))}</text>
            <polygon points={[...upper, ...lower].join(' ')} fill={color} fill-opacity="0.35" stroke={color} />
            <line x1={median} x2={median} y1={middle - ROW / 2 + 5} y2={middle + ROW / 2 - 5} stroke={color} stroke-width="2" />
          </g>
        );
      })}
    </svg>
    </div>
  );
}

const shorten = (name: string, most: number) => (name.length <= most ? name : `${name.slice(0, most - 1)}…`);
