import { findRow } from '../console-state.js';
import { formatTime } from '../format.js';
import { ComparedVersions } from '../parts/compared-versions.js';
import { MessageDiff } from '../parts/json-diff.js';
import { Text } from '../parts/text.js';
import { readNumber, route } from '../route.js';

/** Two messages (`a`, `b`), or one call on several protocol versions (`call`, `versions`). */
export function ComparePage() {
  const { query } = route.value;
  const [a, b, call] = ['a', 'b', 'call'].map(name => readNumber(query.get(name)));
  if (call) return <ComparedVersions id={call} versions={(query.get('versions') ?? '').split(',').filter(Boolean)} />;
  if (a && b)
    return (
      <main class="view pane compare">
        <h1>Difference of two messages</h1>
        <MessageLine sign="−" seq={a} />
        <MessageLine sign="+" seq={b} />
        <MessageDiff a={a} b={b} />
      </main>
    );
  return (
    <main class="view">
      <h1 class="for-readers">Comparison</h1>
      <p class="empty">
        Nothing to compare. Open a <a href="/calls">call</a> and press <kbd>v</kbd>, or choose two messages in the{' '}
        <a href="/wire">wire</a>.
      </p>
    </main>
  );
}

function MessageLine({ sign, seq }: { readonly sign: string; readonly seq: number }) {
  const row = findRow(seq);
  return (
    <p class="mono">
      {sign} <a href={`/wire?at=${seq}`}>message {seq}</a>{' '}
      {row && (
        <>
          {row.from === 'client' ? '→' : '←'} <Text value={`${row.method} ${row.name ?? ''} ${row.kind}`} />{' '}
          <span class="dim">
            <Text value={row.server} /> {formatTime(row.time)}
          </span>
        </>
      )}
    </p>
  );
}
