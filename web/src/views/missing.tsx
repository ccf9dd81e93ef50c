// What the profile does not show: events lost by reason, methods that were left alone and why.
import { useMemo } from 'preact/hooks';
import { Filter, Table, type Column } from '../components/table';
import { useModel } from '../context';
import type { ProfileData } from '../data';
import * as format from '../format';
import { outOfSight } from '../metadata';
import { useKept } from '../store';
import { Facts } from './summary';

export function MissingView() {
  const model = useModel();
  return (
    <section>
      <h1>Not seen</h1>
      <p class="lede">A profile is only as good as what it admits to have missed.</p>
      {model.profiles.map((p, i) => (
        <div key={i}>
          {model.comparing && <h2>{['Before', 'After'][i]} <span class="quiet">{p.name}</span></h2>}
          <Missing profile={p} index={i} />
        </div>
      ))}
    </section>
  );
}

function Missing({ profile, index }: { profile: ProfileData; index: number }) {
  const model = useModel();
  const { totals } = profile;
  const lost = Object.entries(profile.lost).filter(([, n]) => n > 0).sort((a, b) => b[1] - a[1]);
  const cut: [string, string][] = [];
  if (totals.cutEdges) cut.push(['edges too cold for this page', `${format.exact(totals.cutEdges)} with ${format.percent(model.share(totals.cutWeight, index))} of the calls`]);
  if (totals.cutNodes) cut.push(['contexts too cold for this page', format.exact(totals.cutNodes)]);
  if (totals.cutSources) cut.push(['source lines', 'some left out for size']);
  for (const t of profile.tables) if (t.cutRows) cut.push([`rows of ${t.name}`, format.exact(t.cutRows)]);
  const unmet = outOfSight(profile);
  return (
    <>
      {unmet.length > 0 && <section class="panel"><h2>Calls that samples do not meet</h2><Facts rows={unmet} /></section>}
      <section class="panel">
        <h2>Lost events</h2>
        {lost.length ? <Facts rows={lost.map(([k, n]) => [k, format.exact(n)])} />
                     : <p class="empty">No event was lost.</p>}
      </section>
      {cut.length > 0 && <section class="panel"><h2>In the profile, not on this page</h2><Facts rows={cut} /></section>}
      <section class="panel">
        <h2>Methods left as they are</h2>
        {profile.skipped.method.length ? <Skipped profile={profile} index={index} />
          : <p class="empty">No method was left out.</p>}
      </section>
    </>
  );
}

function Skipped({ profile, index }: { profile: ProfileData; index: number }) {
  const model = useModel();
  const [query, setQuery] = useKept(`filter skipped ${index}`, '');
  const { method, reason } = profile.skipped;
  const rows = useMemo(() => {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    return method.map((_, i) => i).filter((i) => {
      const text = `${model.text(method[i])} ${model.text(reason[i])}`.toLowerCase();
      return words.every((w) => text.includes(w));
    });
  }, [query]);
  const columns = useMemo<Column[]>(() => [
    { key: 'method', label: 'Method', width: 'minmax(0, 1.4fr)', value: (i) => model.text(method[i]),
      cell: (i) => <span class="mono clip" title={model.text(method[i])}>{model.text(method[i])}</span> },
    { key: 'reason', label: 'Reason', width: 'minmax(0, 1fr)', value: (i) => model.text(reason[i]),
      cell: (i) => <span class="clip" title={model.text(reason[i])}>{model.text(reason[i])}</span> },
  ], []);
  return (
    <>
      <Filter value={query} onChange={setQuery} shown={rows.length} all={method.length} what="methods" />
      <Table name={`Skipped methods ${index}`} columns={columns} rows={rows} />
    </>
  );
}
