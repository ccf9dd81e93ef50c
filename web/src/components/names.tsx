import { useModel } from '../context';
import { methodHref, siteHref } from '../router';

// "HashMap.getNode java.util": the short name first, the package in a quieter tone. Parts that can
// be cut off come last; the whole name is in the tooltip.
export function MethodName({ id, link = true }: { id: number; link?: boolean }) {
  const { names } = useModel();
  const simple = names.simpleClass(id);
  const inner = (
    <>
      {simple && <span class="cls">{simple}.</span>}
      <span class="mth">{names.method(id)}</span>
      <span class="pkg">{names.packageName(id)}</span>
    </>
  );
  return link
    ? <a class="name" href={methodHref(id)} title={names.full(id)} tabIndex={-1}>{inner}</a>
    : <span class="name" title={names.full(id)}>{inner}</span>;
}

// Where a call is made: "HashMap.java:568". The file gives way before the line number does.
export function Place({ caller, line, bci, link = false }: {
  caller: number; line: number; bci: number; link?: boolean;
}) {
  const text = useModel().place(caller, line, bci);
  const colon = text.lastIndexOf(':');
  const inner = colon < 0 ? <span>{text}</span>
    : <><span class="file">{text.slice(0, colon)}</span><span>{text.slice(colon)}</span></>;
  return link ? <a class="place at" title={text} tabIndex={-1} href={siteHref(caller, bci)}>{inner}</a>
              : <span class="place" title={text}>{inner}</span>;
}
