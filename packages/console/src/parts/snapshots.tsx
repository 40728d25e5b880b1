import { useEffect, useState } from 'preact/hooks';
import type { ServerView, SnapshotsView } from '../api.js';
import { formatCount } from '../format.js';
import { callApi, toServerApi } from '../request.js';
import { DriftLines, toPlainTitle } from './drift-lines.js';
import { RequestError, useRequest } from './request-error.js';
import { Text } from './text.js';

/** The changes of the definitions of a server between two times. A server that has not changed shows none. */
export function Snapshots({ server: { name, listing } }: { readonly server: ServerView }) {
  const [view, setView] = useState<SnapshotsView | null>(null);
  const [error, run] = useRequest();
  const read = (before?: string, after?: string) =>
    run(async () => {
      const query = before === undefined || after === undefined ? '' : `?before=${before}&after=${after}`;
      setView(await callApi<SnapshotsView>('GET', toServerApi(name, `snapshots${query}`)));
    });
  useEffect(() => void read(), [name, listing]);
  if (!view || view.snapshots.length < 2) return <RequestError error={error} />;
  const { snapshots, before, after, count, changes } = view;
  const choose = (label: string, chosen: number | null, onChoose: (id: string) => void) => (
    <label>
      {label}{' '}
      <select value={chosen ?? ''} onChange={event => onChoose(event.currentTarget.value)}>
        {snapshots.map(({ id, time }) => (
          <option key={id} value={id}>
            {new Date(time).toLocaleTimeString()}
          </option>
        ))}
      </select>
    </label>
  );
  return (
    <section aria-label="Changes of the definitions">
      <h2>changes of the definitions</h2>
      <div class="actions">
        {choose('from', before, id => void read(id, String(after)))}
        {choose('to', after, id => void read(String(before), id))}
        <span class="dim" role="status">
          {formatCount(count, 'change')}
          {count > changes.length ? `, the first ${changes.length}` : ''}
        </span>
      </div>
      <RequestError error={error} />
      {changes.map(({ id, title, lines }) => (
        <section key={id} class="drift" aria-label={toPlainTitle(title)}>
          <b>
            <Text value={toPlainTitle(title)} />
          </b>
          <DriftLines lines={lines} />
        </section>
      ))}
    </section>
  );
}
