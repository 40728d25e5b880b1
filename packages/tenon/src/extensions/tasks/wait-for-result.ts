import { type AbortSignalLike, INVALID_PARAMS, type JsonObject, rpcError } from '@tenon/base';
import { RELATED_TASK, readMeta } from '../../protocol/meta.js';
import { isTerminal } from '../../protocol/tasks.js';
import type { RequestContext } from '../../server/request-context.js';
import { retryStoreFaults } from '../../stores/fault-retry.js';
import type { TaskInputDelivery } from './input-delivery.js';
import type { TaskRuntime } from './task-creation.js';
import type { TaskRecord } from './task-record.js';
import type { TaskStore } from './task-store.js';

/** Time without a notification after which a task is read again, in milliseconds. */
const CHECK_INTERVAL = 5000;

/**
 * Waits for a task to end, and sends its input requests meanwhile. `find` reads the task and throws when it does not
 * exist.
 */
export async function waitForResult(
  runtime: TaskRuntime,
  store: TaskStore,
  delivery: TaskInputDelivery,
  taskId: string,
  context: RequestContext,
  find: () => Promise<TaskRecord>,
): Promise<JsonObject> {
  const requested = new Set<string>();
  for (;;) {
    const change = waitForChange(runtime, store, taskId, context.signal);
    const findUnlessAborted = () => (context.signal.aborted ? Promise.reject(createAbortedError()) : find());
    // The end of this request would withdraw the input requests on its stream.
    const record = await retryStoreFaults(findUnlessAborted, { clock: runtime.host.clock }).catch(error => {
      change.stop();
      throw error;
    });
    if (isTerminal(record.status)) {
      change.stop();
      runtime.worker.emitEvent('read', record);
      const { id, result, error } = record;
      if (error) throw rpcError(error.code, error.message, error.data);
      if (result === undefined)
        throw rpcError(INVALID_PARAMS, 'Invalid params: the task was cancelled and has no result');
      const _meta = { ...readMeta(result), [RELATED_TASK]: { taskId: id } };
      return runtime.host.markToolResult(record.params.name, { ...result, _meta });
    }
    for (const key of Object.keys(record.questions)) {
      if (requested.has(key)) continue;
      requested.add(key);
      delivery.deliver(record, key, context);
    }
    await change.happened;
  }
}

/** Waits for the next change of a task, or until it is time to read the task again. */
function waitForChange({ host }: TaskRuntime, store: TaskStore, taskId: string, signal: AbortSignalLike) {
  let stop: () => void = () => {};
  const happened = new Promise<void>((resolve, reject) => {
    const unsubscribe = store.onChange(id => id === taskId && finish());
    const cancelTimer = host.clock.after(CHECK_INTERVAL, () => finish());
    const abort = () => finish(createAbortedError());
    const finish = (error?: unknown) => {
      unsubscribe();
      cancelTimer();
      signal.removeEventListener('abort', abort);
      if (error) reject(error);
      else resolve();
    };
    stop = () => finish();
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
  });
  happened.catch(() => {});
  return { happened, stop };
}

const createAbortedError = () => rpcError(INVALID_PARAMS, 'The client cancelled the request');
