import { inputRequests, openRequests } from '../console-state.js';
import { formatTime } from '../format.js';
import { LazyInputForm } from '../parts/lazy-input-form.js';
import { Text } from '../parts/text.js';

/** Input requests of all servers: the open ones first, then the last answered ones. */
export function InboxPage() {
  const open = openRequests.value;
  const over = [...inputRequests.value.values()].filter(({ state }) => state !== 'open').sort((a, b) => b.id - a.id);
  return (
    <main class="view pane inbox">
      <h1 class="for-readers">Input requests</h1>
      {open.length === 0 && <p class="empty">Nobody waits for you.</p>}
      {open.map(request => (
        <LazyInputForm key={request.id} request={request} />
      ))}
      {over.length > 0 && (
        <section>
          <h3>Answered</h3>
          <table class="rows">
            <tbody>
              {over.slice(0, 50).map(({ id, createdAt, kind, server, message, state, action }) => (
                <tr key={id}>
                  <td class="dim">{formatTime(createdAt)}</td>
                  <td>{kind}</td>
                  <td>
                    <Text value={server} />
                  </td>
                  <td>{action ?? state}</td>
                  <td class="wide">
                    <Text value={message} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </main>
  );
}
