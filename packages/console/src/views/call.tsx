import { calls } from '../console-state.js';
import { formatDuration, formatTime } from '../format.js';
import { CallPanel, CallState } from '../parts/call-panel.js';
import { Text } from '../parts/text.js';
import { toServerPath } from '../route.js';

/** One call with its rounds. */
export function CallPage({ id }: { readonly id: number }) {
  const call = calls.value.get(id);
  return (
    <main class="view pane">
      {call ? (
        <>
          <h1 class="mono">
            <a href={toServerPath(call.server)}>
              <Text value={call.server} />
            </a>{' '}
            {call.method === 'tools/call' ? (
              <a href={toServerPath(call.server, call.name)}>
                <Text value={call.name} />
              </a>
            ) : (
              <Text value={`${call.method} ${call.name}`} />
            )}
          </h1>
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

/** All calls, the newest first. */
export function CallsPage() {
  const all = [...calls.value.values()].sort((a, b) => b.id - a.id);
  if (all.length === 0)
    return (
      <main class="view">
        <p class="empty">
          No calls yet. Press <kbd>b</kbd>, choose a server and a tool.
        </p>
      </main>
    );
  return (
    <main class="view board">
      <table class="rows">
        <thead>
          <tr>
            <th>call</th>
            <th>state</th>
            <th>server</th>
            <th>name</th>
            <th class="number">took</th>
            <th class="number">messages</th>
            <th>version</th>
            <th class="wide">started</th>
          </tr>
        </thead>
        <tbody>
          {all.slice(0, 200).map(call => (
            <tr key={call.id}>
              <td>
                <a href={`/call/${call.id}`} class="strong">
                  call {call.id}
                </a>
              </td>
              <td>
                <CallState call={call} />
              </td>
              <td>
                <Text value={call.server} />
              </td>
              <td class="mono">
                <Text value={call.name} />
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
