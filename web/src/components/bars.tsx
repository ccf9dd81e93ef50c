import * as format from '../format';

// Share of the whole as a bar with its figure.
export function ShareBar({ share, max = 1 }: { share: number; max?: number }) {
  const width = max > 0 ? Math.max(0, Math.min(1, share / max)) * 100 : 0;
  return (
    <span class="share">
      <span class="track" aria-hidden="true"><span class="fill" style={{ width: `${width}%` }} /></span>
      <span class="num">{format.percent(share)}</span>
    </span>
  );
}

// A change around zero: left shrank, right grew.
export function ChangeBar({ change, max, text }: { change: number; max: number; text: string }) {
  const width = max > 0 ? Math.min(1, Math.abs(change) / max) * 50 : 0;
  const side = change > 0 ? { left: '50%' } : { right: '50%' };
  return (
    <span class="share">
      <span class="track both" aria-hidden="true">
        <span class={change > 0 ? 'fill grew' : 'fill shrank'} style={{ width: `${width}%`, ...side }} />
      </span>
      <span class={change > 0 ? 'num grew' : change < 0 ? 'num shrank' : 'num'}>{text}</span>
    </span>
  );
}

// How a whole divides: the largest parts in tones of one colour, the rest plain.
export function Distribution({ parts }: { parts: number[] }) {
  const sum = parts.reduce((a, b) => a + b, 0);
  if (!(sum > 0)) return <span class="dist" />;
  return (
    <span class="dist" aria-hidden="true">
      {parts.slice(0, 6).map((part, i) => (
        <span key={i} class={`part p${i}`} style={{ width: `${(part / sum) * 100}%` }} />
      ))}
    </span>
  );
}
