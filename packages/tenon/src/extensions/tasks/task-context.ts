import type { JsonObject } from '@tenon/base';
import type { InputStrategy } from '../../execution/handler-run.js';
import { isId } from '../../jsonrpc/message.js';
import type { Dialect } from '../../protocol/versions/dialect.js';
import type { ClientSession, RequestContext } from '../../server/request-context.js';
import type { TaskRecord } from './task-record.js';

/** Creates the request context of a handler that runs in a task. Its client may have disconnected. */
export function createTaskContext(
  record: TaskRecord,
  dialect: Dialect,
  signal: AbortSignal,
  notify: (method: string, params: JsonObject) => void,
  begunIn: () => ClientSession | undefined,
  reportError: RequestContext['reportError'],
): RequestContext {
  const { client, capabilities, auth } = record.caller;
  return {
    id: record.id,
    dialect,
    caller: { client, capabilities, auth },
    logLevel: undefined,
    signal,
    onCancel(listener) {
      if (signal.aborted) listener();
      else signal.addEventListener('abort', listener, { once: true });
    },
    request: undefined,
    subscriptions: undefined,
    get originSession() {
      return begunIn();
    },
    reportError,
    notify,
    createInputStrategy: (): InputStrategy => {
      throw new Error('a task is entered by its worker');
    },
  };
}

/** Returns the progress token of the client, if it sent one. */
export function getProgressToken({ params }: Pick<TaskRecord, 'params'>): string | number | undefined {
  const token = params._meta?.progressToken;
  return isId(token) ? token : undefined;
}

/**
 * Creates the params of the handler. They always contain a progress token, because progress becomes the status message
 * of the task.
 */
export function createHandlerParams(record: TaskRecord): JsonObject {
  const { id, params } = record;
  if (getProgressToken(record) !== undefined) return params;
  return { ...params, _meta: { ...params._meta, progressToken: id } };
}
