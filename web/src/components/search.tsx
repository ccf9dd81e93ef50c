// The search in the header: any method by parts of its name, hottest first; Enter opens it.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useModel } from '../context';
import * as format from '../format';
import { go } from '../router';

const SHOWN = 12;

export function Search() {
  const model = useModel();
  const [query, setQuery] = useState('');
  const [open, setOpen] = useState(false);
  const [active, setActive] = useState(0);
  const input = useRef<HTMLInputElement>(null);
  const weight = (m: number) => model.callsTo[model.focus][m] + model.callsFrom[model.focus][m];
  const found = useMemo(() => {
    const match = model.names.matching(query);
    if (!match) return [];
    const ids: number[] = [];
    match.forEach((flag, m) => { if (flag) ids.push(m); });
    // An exact method or class name comes before names that merely contain it.
    const word = query.trim().toLowerCase();
    const rank = (m: number) => (model.names.method(m).toLowerCase() === word ||
                                 model.names.simpleClass(m).toLowerCase() === word ? 1 : 0);
    return ids.sort((a, b) => rank(b) - rank(a) || weight(b) - weight(a)).slice(0, SHOWN);
  }, [query, model]);

  useEffect(() => {
    const focus = (event: KeyboardEvent) => {
      const typing = (event.target as Element).closest('input, textarea, select');
      if (event.key !== '/' || typing || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      input.current?.focus();
      input.current?.select();
    };
    addEventListener('keydown', focus);
    return () => removeEventListener('keydown', focus);
  }, []);

  const choose = (m: number) => {
    setOpen(false);
    setQuery('');
    input.current?.blur();
    go('method', m);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') setActive(Math.min(found.length - 1, active + 1));
    else if (event.key === 'ArrowUp') setActive(Math.max(0, active - 1));
    else if (event.key === 'Enter' && found[active] !== undefined) choose(found[active]);
    else if (event.key === 'Escape') { setOpen(false); input.current?.blur(); }
    else return;
    event.preventDefault();
  };
  const listed = open && query.trim() !== '';
  return (
    <div class="search">
      <input ref={input} type="text" role="combobox" value={query} placeholder="Find a method  /"
             aria-label="Find a method" aria-expanded={listed} aria-controls="found" aria-autocomplete="list"
             aria-activedescendant={listed && found.length ? `found-${active}` : undefined}
             autocomplete="off" spellcheck={false}
             onInput={(e) => { setQuery(e.currentTarget.value); setActive(0); setOpen(true); }}
             onFocus={() => setOpen(true)} onBlur={() => setOpen(false)} onKeyDown={onKeyDown} />
      {listed && (
        <ul id="found" role="listbox" aria-label="Methods found">
          {found.map((m, i) => (
            <li key={m} id={`found-${i}`} role="option" aria-selected={i === active}
                onMouseDown={(e) => { e.preventDefault(); choose(m); }} onMouseMove={() => setActive(i)}>
              <span class="name" title={model.names.full(m)}>
                <span class="cls">{model.names.simpleClass(m) && `${model.names.simpleClass(m)}.`}</span>
                <span class="mth">{model.names.method(m)}</span>
                <span class="pkg">{model.names.packageName(m)}</span>
              </span>
              <span class="num quiet">{format.count(model.callsTo[model.focus][m])}</span>
            </li>
          ))}
          {!found.length && <li class="empty">No method has a name like that.</li>}
        </ul>
      )}
    </div>
  );
}
