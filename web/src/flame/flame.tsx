// A flame graph (root below) or icicle (root above) on a canvas, which stays smooth where one
// element per frame would not. Pointer: hover, click to zoom. Keys: arrows walk the tree, Enter
// zooms, Escape goes back out.
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Theme } from '../store';
import { Scene, WHOLE, type View } from './scene';
import type { Paint } from './colors';

const ROW = 19;
const LEAST = 0.45;  // pixels

export interface FlameProps {
  scene: Scene;
  upward: boolean;                       // flame graph, not icicle
  zoom: number;
  selected: number | null;
  matches: Uint8Array | null;            // by method
  theme: Theme;
  label: (node: number) => string;
  describe: (node: number) => string[];  // lines of the tooltip, first the name
  paint: (node: number) => Paint;
  onZoom: (node: number) => void;
  onSelect: (node: number) => void;
}

interface Tip { node: number; x: number; y: number }

const mix = (a: number, b: number, t: number) => a + (b - a) * t;

export function Flame(props: FlameProps) {
  const { scene, upward, zoom, theme } = props;
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const view = useRef<View>(scene.extent(zoom));
  const [width, setWidth] = useState(0);
  const [rows, setRows] = useState(1);
  const [tip, setTip] = useState<Tip | null>(null);
  const latest = useRef(props);
  latest.current = props;
  const hovered = useRef<number | null>(null);

  const height = rows * ROW;
  const y = (row: number) => (upward ? height - (row + 1) * ROW : row * ROW);

  const draw = () => {
    const surface = canvas.current, frame = box.current;
    if (!surface || !frame || !width) return;
    paintFlame(surface, frame, latest.current, view.current, width, y, hovered.current);
  };
  const drawing = useRef(draw);
  drawing.current = draw;

  useLayoutEffect(() => {
    const measure = () => setWidth(box.current!.clientWidth);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(box.current!);
    return () => observer.disconnect();
  }, []);

  // Glide to the new extent; at once where motion is unwanted or the scene is another.
  const lastScene = useRef(scene);
  useLayoutEffect(() => {
    const from = { ...view.current }, to = scene.extent(zoom);
    const still = matchMedia('(prefers-reduced-motion: reduce)').matches || lastScene.current !== scene;
    lastScene.current = scene;
    const least = width ? ((to.to - to.from) / width) * LEAST : Infinity;
    setRows(width ? scene.rows(to, least) : 1);
    let frame = 0;
    const began = performance.now();
    const step = (now: number) => {
      const t = still ? 1 : Math.min(1, Math.max(0, now - began) / 160);
      const eased = 1 - (1 - t) ** 3;
      view.current = { from: mix(from.from, to.from, eased), to: mix(from.to, to.to, eased) };
      drawing.current();
      if (t < 1) frame = requestAnimationFrame(step);
    };
    step(began);
    return () => cancelAnimationFrame(frame);
  }, [scene, zoom, width]);

  useLayoutEffect(() => {
    if (upward && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [upward, rows, zoom]);
  useLayoutEffect(draw);

  const at = (event: MouseEvent): number | null => {
    const area = box.current!.getBoundingClientRect();
    const top = event.clientY - area.top + box.current!.scrollTop;
    const row = upward ? Math.floor((height - top) / ROW) : Math.floor(top / ROW);
    const { from, to } = view.current;
    const scale = (to - from) / width;
    return scene.hit(row, from + (event.clientX - area.left) * scale, scale * LEAST);
  };
  const hover = (event: MouseEvent) => {
    const node = at(event);
    if (node !== hovered.current) {
      hovered.current = node;
      draw();
    }
    setTip(node === null ? null : { node, x: event.clientX, y: event.clientY });
  };
  const leave = () => {
    hovered.current = null;
    setTip(null);
    draw();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const current = props.selected ?? zoom;
    const outward = () => scene.parent(current), inward = () => scene.firstChild(current);
    const moves: Record<string, () => number | null> = {
      ArrowUp: upward ? inward : outward,
      ArrowDown: upward ? outward : inward,
      ArrowLeft: () => scene.sibling(current, -1),
      ArrowRight: () => scene.sibling(current, 1),
      Home: () => WHOLE,
    };
    if (moves[event.key]) {
      const next = moves[event.key]();
      if (next !== null) {
        props.onSelect(next);
        const row = next === WHOLE ? 0 : scene.tree.depth[next] + 1;
        const frame = box.current!;
        frame.scrollTop = Math.min(y(row), Math.max(frame.scrollTop, y(row) + ROW - frame.clientHeight));
      }
    } else if (event.key === 'Enter') {
      props.onZoom(current);
    } else if (event.key === 'Escape' || event.key === 'Backspace') {
      props.onZoom(scene.parent(zoom));
    } else {
      return;
    }
    event.preventDefault();
  };

  return (
    <>
      <div class="flame" ref={box} tabIndex={0} role="application" onKeyDown={onKeyDown}
           aria-label={`${upward ? 'Flame graph' : 'Icicle'} of contexts. Arrow keys walk the tree, Enter zooms in, Escape zooms out.`}
           aria-describedby="flame-detail" data-theme-of={theme} data-rows={rows}
           style={{ height: `${height + 2}px` }}
           onScroll={draw} onMouseMove={hover} onMouseLeave={leave}
           onClick={(event) => {
             const node = at(event);
             if (node !== null) props.onZoom(node);
           }}>
        <div class="space" style={{ height: `${height}px` }}>
          <canvas ref={canvas} />
        </div>
      </div>
      {tip && <Tooltip tip={tip} lines={props.describe(tip.node)} />}
    </>
  );
}

function Tooltip({ tip, lines }: { tip: Tip; lines: string[] }) {
  const self = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const { offsetWidth, offsetHeight } = self.current!;
    const left = Math.max(4, Math.min(tip.x + 14, innerWidth - offsetWidth - 8));
    const top = tip.y + 18 + offsetHeight > innerHeight ? tip.y - offsetHeight - 10 : tip.y + 18;
    self.current!.style.transform = `translate(${left}px, ${Math.max(4, top)}px)`;
  });
  return (
    <div class="tooltip" ref={self} aria-hidden="true">
      {lines.map((line, i) => <div key={i} class={i ? 'quiet' : 'first'}>{line}</div>)}
    </div>
  );
}

function paintFlame(surface: HTMLCanvasElement, frame: HTMLElement, props: FlameProps, view: View,
                    width: number, y: (row: number) => number, hovered: number | null): void {
  const { scene, matches } = props;
  const ratio = devicePixelRatio || 1;
  const height = frame.clientHeight;
  if (surface.width !== Math.round(width * ratio) || surface.height !== Math.round(height * ratio)) {
    surface.width = Math.round(width * ratio);
    surface.height = Math.round(height * ratio);
    surface.style.width = `${width}px`;
    surface.style.height = `${height}px`;
  }
  const style = getComputedStyle(frame);
  const ink = style.getPropertyValue('--ink').trim(), accent = style.getPropertyValue('--match').trim();
  const pen = surface.getContext('2d')!;
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, height);
  pen.font = `11.5px ${style.getPropertyValue('--mono')}`;
  pen.textBaseline = 'middle';
  const letter = pen.measureText('M').width;
  const scale = width / (view.to - view.from);
  const scroll = frame.scrollTop;

  const box = (node: number, row: number, colors: Paint) => {
    const top = y(row) - scroll;
    if (top > height || top + ROW < 0) return;
    const extent = scene.extent(node);
    const x0 = Math.max(0, (extent.from - view.from) * scale);
    const x1 = Math.min(width, (extent.to - view.from) * scale);
    const w = x1 - x0;
    const matched = matches && node !== WHOLE && matches[scene.tree.method[node]];
    pen.globalAlpha = matches && !matched && node !== WHOLE ? 0.42 : 1;
    pen.fillStyle = matched ? accent : colors.fill;
    pen.fillRect(x0, top, Math.max(w - (w > 3 ? 1 : 0), 0.6), ROW - 1);
    const room = Math.floor((w - 8) / letter);
    if (room >= 3) {
      const label = props.label(node);
      pen.fillStyle = matched ? '#1b1305' : colors.text;
      pen.fillText(label.length <= room ? label : `${label.slice(0, room - 1)}…`, x0 + 4, top + ROW / 2);
    }
    if (node === props.selected || node === hovered) {
      pen.globalAlpha = 1;
      pen.strokeStyle = ink;
      pen.lineWidth = node === props.selected ? 2 : 1;
      pen.strokeRect(x0 + 1, top + 1, Math.max(w - 3, 1), ROW - 3);
    }
  };
  box(WHOLE, 0, props.paint(WHOLE));
  scene.walk(view, LEAST / scale, (node) => box(node, scene.tree.depth[node] + 1, props.paint(node)));
  pen.globalAlpha = 1;
}
