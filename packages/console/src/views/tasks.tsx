import { useState } from 'preact/hooks';
import type { CallView, ServerView, TaskView } from '../api.js';
import { calls, takesCalls } from '../console-state.js';
import { formatDuration, formatTime } from '../format.js';
import { CallState } from '../parts/call-panel.js';
import { FeatureList } from '../parts/feature-list.js';
import { ForOperator } from '../parts/for-operator.js';
import { ProgressLine } from '../parts/ladder.js';
import { RequestError, useRequest } from '../parts/request-error.js';
import { Text } from '../parts/text.js';
import { callApi, toServerApi } from '../request.js';

const ENDED = /^(?:completed|failed|cancelled)$/;

/** Calls that became tasks, with their states over time, and the tasks that the server lists. */
export function TasksView({ server }: { readonly server: ServerView }) {
  const own = [...calls.value.values()]
    .filter(call => call.server === server.name && call.task !== null)
    .sort((a, b) => b.id - a.id);
  return (
    <main class="view split at-detail">
      <FeatureList server={server} feature="tasks" items={[]} chosen={undefined} />
      <div class="pane server-panel">
        <h1>Tasks</h1>
        {own.length === 0 && <p class="dim">No call of this console became a task.</p>}
        {own.slice(0, 50).map(call => (
          <TaskOfCall key={call.id} server={server} call={call} />
        ))}
        {server.capabilities.includes('tasks') ? (
          <ForOperator>
            <ListedTasks server={server} />
          </ForOperator>
        ) : (
          <p class="dim">The server declares no list of its tasks.</p>
        )}
      </div>
    </main>
  );
}

function TaskOfCall({ server, call }: { readonly server: ServerView; readonly call: CallView }) {
  const { task, took } = call;
  if (!task) return null;
  const [first] = task.states;
  return (
    <section class="task">
      <header class="call-head">
        <b class="mono">
          <Text value={call.name} />
        </b>
        <CallState call={call} />
        <span class="mono dim">
          <Text value={task.taskId} />
        </span>
        <span class="actions">
          {took === null && (
            <ForOperator>
              <CancelTask server={server} taskId={task.taskId} />
            </ForOperator>
          )}
          <a href={`/call/${call.id}`}>{took === null ? `call ${call.id}` : `result, call ${call.id}`}</a>
        </span>
      </header>
      <ol class="states">
        {task.states.map(({ time, status, message }, index) => (
          <li key={index}>
            <span class="offset">+{formatDuration(time - (first?.time ?? time))}</span>{' '}
            <span class="mono">
              <Text value={status} />
            </span>{' '}
            <span class="dim">
              <Text value={message} />
            </span>
          </li>
        ))}
      </ol>
      <ProgressLine call={call} />
    </section>
  );
}

function CancelTask({ server, taskId }: { readonly server: ServerView; readonly taskId: string }) {
  const [error, run] = useRequest();
  const cancel = () =>
    run(async () => {
      await callApi('POST', toServerApi(server.name, 'cancel-task'), { taskId });
    });
  return (
    <>
      {error !== '' && (
        <span class="issue">
          <Text value={error} />
        </span>
      )}
      <button type="button" onClick={() => void cancel()}>
        Cancel task
      </button>
    </>
  );
}

/** The tasks that the server still has, on request. */
function ListedTasks({ server }: { readonly server: ServerView }) {
  const [tasks, setTasks] = useState<readonly TaskView[] | null>(null);
  const [error, run] = useRequest();
  const list = () =>
    run(async () => {
      setTasks((await callApi<{ tasks: readonly TaskView[] }>('POST', toServerApi(server.name, 'tasks'))).tasks);
    });
  return (
    <section>
      <button type="button" onClick={() => void list()} disabled={!takesCalls(server)}>
        List the tasks of the server
      </button>
      <RequestError error={error} />
      {tasks?.length === 0 && <p class="dim">The server has no tasks.</p>}
      {tasks && tasks.length > 0 && (
        <table class="rows">
          <tbody>
            {tasks.map(({ taskId, status, message, createdAt }) => (
              <tr key={taskId}>
                <td class="mono">
                  <Text value={taskId} />
                </td>
                <td>
                  <Text value={status} />
                </td>
                <td class="dim">{formatTime(Date.parse(createdAt))}</td>
                <td>{!ENDED.test(status) && <CancelTask server={server} taskId={taskId} />}</td>
                <td class="wide">
                  <Text value={message} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
