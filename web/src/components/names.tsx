import { useModel } from '../context';
import { methodHref } from '../router';

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
