import { useMemo } from 'preact/hooks';
import { calls, getCallRows, rowChanges, servers } from '../console-state.js';
import type { FilterValues } from '../filter/complete-filter.js';
import { CALL_STATES } from '../filter/filter-keys.js';
import { createCallFilter } from '../filter/match-filter.js';
import { parseFilter } from '../filter/parse-filter.js';
import { useTextSearch } from '../filter/use-filter.js';
import { formatCount, formatDuration, formatTime } from '../format.js';
import { CallHeading, CallPanel, CallState } from '../parts/call-panel.js';
import { FilterField } from '../parts/filter-field.js';
import { Name, Text } from '../parts/text.js';
import { route, setQuery } from '../route.js';

/** One call with its rounds. */
export function CallPage({ id }: { readonly id: number }) {
  const call = calls.value.get(id);
  return (
    <main class="view pane">
      {call ? (
        <>
          <CallHeading call={call} />
          <CallPanel call={call} />
        </>
      ) : (
        <p class="empty">
          No call {id}. <a href="/calls">See all calls</a>
        </p>
      )}
    </main>
  );
}

/** Maximum number of calls in the table. */
const MAX_SHOWN = 200;

/** Returns the values of the calls for completion. */
function readCallValues(): FilterValues {
  const all = [...calls.value.values()];
  return {
    method: [...new Set(all.map(({ method }) => method))],
    name: [...new Set(all.map(({ name }) => name))],
    version: [...new Set(all.map(({ protocolVersion }) => protocolVersion))],
    server: [...servers.value.keys()],
    is: CALL_STATES,
  };
}

/** All calls, the newest first. */
export function CallsPage() {
  const filter = route.value.query.get('filter') ?? '';
  const parsed = useMemo(() => parseFilter(filter), [filter]);
  const search = useTextSearch(parsed, rowChanges.value);
  const hasText = (call: number, text: string) => getCallRows(call).some(({ seq }) => search.hasText(seq, text));
  const found = [...calls.value.values()].filter(createCallFilter(parsed.terms, hasText)).sort((a, b) => b.id - a.id);
  if (calls.value.size === 0)
    return (
      <main class="view">
        <h1 class="for-readers">Calls</h1>
        <p class="empty">
          No calls yet. Press <kbd>b</kbd>, choose a server and a tool.
        </p>
      </main>
    );
  return (
    <main class="view board">
      <h1 class="for-readers">Calls</h1>
      <div class="filters">
        <FilterField
          label="Filter of calls"
          value={filter}
          onChange={text => setQuery({ filter: text })}
          issues={parsed.issues}
          readValues={readCallValues}
        />
        <span class="dim figures">
          {found.length > MAX_SHOWN ? `the newest ${MAX_SHOWN} of ` : ''}
          {formatCount(found.length, 'call')}
        </span>
      </div>
      <table class="rows">
        <thead>
          <tr>
            <th>call</th>
            <th>state</th>
            <th>name</th>
            <th>server</th>
            <th class="number">took</th>
            <th class="number">messages</th>
            <th>version</th>
            <th class="wide">started</th>
          </tr>
        </thead>
        <tbody>
          {found.slice(0, MAX_SHOWN).map(call => (
            <tr key={call.id}>
              <td>
                <a href={`/call/${call.id}`} class="strong">
                  call {call.id}
                </a>
              </td>
              <td>
                <CallState call={call} />
              </td>
              <td class="mono">
                <Name value={call.name} />
              </td>
              <td>
                <Text value={call.server} />
              </td>
              <td class="number">{call.took === null ? '–' : formatDuration(call.took)}</td>
              <td class="number">{call.messages.toLocaleString('en')}</td>
              <td class="mono">{call.protocolVersion}</td>
              <td class="dim wide">{formatTime(call.startedAt)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </main>
  );
}
