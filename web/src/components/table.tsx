// A sortable table that draws only the rows on screen: 100,000 rows scroll with the page. Arrow
// keys, Page Up/Down, Home and End move; Enter opens.
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useKept } from '../store';
import * as format from '../format';

export interface Column {
  key: string;
  label: string;
  title?: string;
  width: string;              // track of the grid
  narrow?: string;            // the same on narrow screens, where it differs
  end?: boolean;              // figures stand at the right
  wide?: boolean;             // left out on narrow screens
  value?: (id: number) => number | string;  // makes it sortable
  cell: (id: number) => ComponentChildren;
}

interface Sort { key: string; down: boolean }

interface Props {
  name: string;               // for assistive technology and as key of what is kept
  columns: Column[];
  rows: ArrayLike<number>;    // ids in their natural order
  sort?: string;              // column in whose descending order `rows` already is
  open?: (id: number) => void;
  empty?: string;
  tall?: boolean;             // two lines per row on narrow screens
  stacked?: boolean;          // two lines per row everywhere
}

function sorted(rows: ArrayLike<number>, column: Column | undefined, sort: Sort, given?: string) {
  if (!column?.value || (sort.key === given && sort.down)) return rows;
  const value = column.value;
  const ids = Array.from(rows as ArrayLike<number>);
  const keys = new Map<number, number | string>();
  for (const id of ids) keys.set(id, value(id));
  const sign = sort.down ? -1 : 1;
  return ids.sort((a, b) => {
    const x = keys.get(a)!, y = keys.get(b)!;
    return x < y ? -sign : x > y ? sign : a - b;
  });
}

function useNarrow(): boolean {
  const [narrow, setNarrow] = useState(() => matchMedia('(max-width: 720px)').matches);
  useEffect(() => {
    const query = matchMedia('(max-width: 720px)');
    const follow = () => setNarrow(query.matches);
    query.addEventListener('change', follow);
    return () => query.removeEventListener('change', follow);
  }, []);
  return narrow;
}

// The range of rows near the window, as the page scrolls.
function useWindow(count: number, height: number) {
  const body = useRef<HTMLDivElement>(null);
  const [range, setRange] = useState<[number, number]>([0, Math.min(count, 60)]);
  useLayoutEffect(() => {
    let asked = 0;
    const update = () => {
      asked = 0;
      if (!body.current) return;
      const top = body.current.getBoundingClientRect().top;
      const first = Math.max(0, Math.floor(-top / height) - 12);
      const last = Math.min(count, Math.ceil((innerHeight - top) / height) + 12);
      setRange((old) => (old[0] === first && old[1] === last ? old : [first, Math.max(first, last)]));
    };
    const ask = () => { asked ||= requestAnimationFrame(update); };
    update();
    addEventListener('scroll', ask, { passive: true });
    addEventListener('resize', ask);
    return () => {
      cancelAnimationFrame(asked);
      removeEventListener('scroll', ask);
      removeEventListener('resize', ask);
    };
  }, [count, height]);
  return { body, range };
}

export function Table({ name, columns, rows, sort: given, open, empty, tall, stacked }: Props) {
  const [sort, setSort] = useKept<Sort>(`sort ${name}`, { key: given ?? '', down: true });
  const [active, setActive] = useState(-1);
  const order = useMemo(() => sorted(rows, columns.find((c) => c.key === sort.key), sort, given),
                        [rows, columns, sort.key, sort.down]);
  const narrow = useNarrow();
  const height = stacked ? 44 : narrow && tall ? 52 : 30;
  const { body, range } = useWindow(order.length, height);
  const id = `table-${name.replace(/\W+/g, '-')}`;
  const tracks = (all: boolean) =>
    columns.filter((c) => all || !c.wide).map((c) => (all ? c.width : c.narrow ?? c.width)).join(' ');
  useEffect(() => setActive(-1), [rows]);

  const move = (to: number) => {
    const row = Math.max(0, Math.min(order.length - 1, to));
    setActive(row);
    const top = body.current!.getBoundingClientRect().top + row * height;
    const header = 110;  // sticky header of the page and of the table
    if (top < header) scrollBy(0, top - header);
    else if (top + height > innerHeight - 8) scrollBy(0, top + height - innerHeight + 8);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const page = Math.max(1, Math.floor((innerHeight - 160) / height));
    const steps: Record<string, number> = {
      ArrowDown: active + 1, ArrowUp: active - 1, PageDown: active + page, PageUp: active - page,
      Home: 0, End: order.length - 1, j: active + 1, k: active - 1,
    };
    if (event.ctrlKey || event.metaKey || event.altKey || !order.length) return;
    if (event.key in steps) move(steps[event.key]);
    else if (event.key === 'Enter' && active >= 0 && open) open(order[active]);
    else return;
    event.preventDefault();
  };
  const resort = (column: Column) =>
    setSort({ key: column.key, down: sort.key === column.key ? !sort.down : true });

  const shown: ComponentChildren[] = [];
  for (let i = range[0]; i < Math.min(range[1], order.length); i++) {
    const row = order[i];
    shown.push(
      <div key={row} id={`${id}-${i}`} role="row" aria-rowindex={i + 2}
           aria-selected={open ? i === active : undefined}
           class={i === active ? 'row active' : 'row'}
           style={{ transform: `translateY(${i * height}px)`, height: `${height}px` }}
           onClick={(event) => {
             setActive(i);
             if (open && !(event.target as Element).closest('a,button')) open(row);
           }}>
        {columns.map((c) => (
          <div key={c.key} role="gridcell"
               class={`cell${c.end ? ' end' : ''}${c.wide ? ' wide' : ''}`}>{c.cell(row)}</div>
        ))}
      </div>,
    );
  }
  return (
    <div class={`table${open ? ' opens' : ''}${tall ? ' tall' : ''}${stacked ? ' stacked' : ''}`} role="grid" aria-label={name}
         aria-rowcount={order.length + 1} data-table={name} data-rows={order.length}
         tabIndex={0} onKeyDown={onKeyDown}
         aria-activedescendant={active >= 0 ? `${id}-${active}` : undefined}
         style={{ '--tracks': tracks(true), '--tracks-narrow': tracks(false) }}>
      <div class="row head" role="row" aria-rowindex={1}>
        {columns.map((c) => (
          <div key={c.key} role="columnheader" title={c.title}
               class={`cell${c.end ? ' end' : ''}${c.wide ? ' wide' : ''}`}
               aria-sort={sort.key === c.key ? (sort.down ? 'descending' : 'ascending') : undefined}>
            {c.value
              ? <button type="button" onClick={() => resort(c)}>{c.label}
                  <span class="arrow" aria-hidden="true">
                    {sort.key === c.key ? (sort.down ? '↓' : '↑') : ''}</span></button>
              : c.label}
          </div>
        ))}
      </div>
      <div class="body" role="rowgroup" ref={body} style={{ height: `${order.length * height}px` }}>
        {shown}
      </div>
      {order.length === 0 && <p class="empty">{empty ?? 'Nothing here.'}</p>}
    </div>
  );
}

// The line above a table: filter and how much of the table is left.
export function Filter({ value, onChange, shown, all, what, children }: {
  value: string; onChange: (value: string) => void; shown: number; all: number; what: string;
  children?: ComponentChildren;
}) {
  return (
    <div class="filter">
      <input type="search" value={value} placeholder="Filter by package, class, method…"
             aria-label={`Filter ${what}`} spellcheck={false}
             onInput={(e) => onChange(e.currentTarget.value)} />
      {children}
      <span class="count" role="status">
        {shown === all ? format.plural(all, what.replace(/s$/, ''), what)
                       : `${format.exact(shown)} of ${format.plural(all, what.replace(/s$/, ''), what)}`}
      </span>
    </div>
  );
}

export function Choice<T extends string>({ label, value, options, onChange }: {
  label: string; value: T; options: readonly (readonly [T, string])[]; onChange: (value: T) => void;
}) {
  return (
    <div class="choice" role="group" aria-label={label}>
      {options.map(([key, text]) => (
        <button key={key} type="button" aria-pressed={key === value} onClick={() => onChange(key)}>
          {text}
        </button>
      ))}
    </div>
  );
}
