// A uPlot chart of several series over time, in the page's colours.
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { useTheme } from '../context';

export interface Line { name: string; time: number[]; values: (number | null)[] }

export const SERIES_COLORS = {
  light: ['#a8690a', '#2563a8', '#2e7d55', '#9b3a5e', '#6b4fa0', '#5f6670', '#b4512a', '#1f7f86'],
  dark: ['#e2ab4f', '#73aaec', '#6cc495', '#e08aab', '#b39be8', '#a9b0ba', '#ea9468', '#62c2c9'],
};

export function Plot({ lines, log, format, label, height = 220 }: {
  lines: Line[]; log: boolean; format: (value: number) => string; label: string; height?: number;
}) {
  const theme = useTheme();
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = box.current!;
    const style = getComputedStyle(element);
    const ink = style.getPropertyValue('--muted').trim(), rule = style.getPropertyValue('--rule').trim();
    const font = `11px ${style.getPropertyValue('--sans')}`;
    const data = uPlot.join(lines.map((l) => [l.time, l.values] as uPlot.AlignedData));
    const axis = { stroke: ink, font, grid: { stroke: rule, width: 1 }, ticks: { stroke: rule, width: 1 } };
    // On a logarithmic scale only powers of ten get a line.
    const decades = (_u: uPlot, splits: number[]) =>
      splits.map((v) => (!log || Math.abs(Math.log10(v) - Math.round(Math.log10(v))) < 1e-9 ? v : null));
    const grid = { ...axis.grid, filter: decades }, ticks = { ...axis.ticks, filter: decades };
    const plot = new uPlot({
      width: element.clientWidth,
      height,
      scales: { x: { time: false }, y: log ? { distr: 3 } : { range: (_u, _min, max) => [0, max || 1] } },
      axes: [
        { ...axis, size: 30, values: (_u, ticks) => ticks.map((t) => `${t} s`) },
        { ...axis, grid, ticks, size: 72, values: (_u, ticks) => ticks.map((t) => (t === null ? '' : format(t))) },
      ],
      legend: { show: false },
      cursor: { points: { show: false }, drag: { x: true, y: false } },
      series: [{}, ...lines.map((l, i) => ({
        label: l.name,
        stroke: SERIES_COLORS[theme][i % 8],
        paths: () => null,
        points: { show: true, size: 3, width: 0, fill: SERIES_COLORS[theme][i % 8] },
      }))],
    }, data, element);
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [lines, log, theme, height]);
  return <div class="plot" ref={box} role="img" aria-label={label} style={{ minHeight: `${height}px` }} />;
}
