import { type JsonObject, rejectOnAbort, TenonError } from '@tenon/base';
import { hasCapability } from '../../protocol/missing-capabilities.js';
import type { TaskParams } from '../../protocol/tasks.js';
import type { CallContext } from '../calls/call-context.js';
import type { Connection } from '../connection/connection.js';
import type { SendParameters } from '../connection/outgoing-request.js';
import { createCallAbortedError } from '../server-requests/input-requests.js';

/** Tells if the client decides which calls of this server's tools become tasks. */
export function canCreateTasks(connection: Connection): boolean {
  return (
    connection.dialect.tasks === 'by-parameter' &&
    hasCapability(connection.server.capabilities, 'tasks.requests.tools.call')
  );
}

/**
 * Returns the `task` parameter of a call. If the tool requires a task, there is a default.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks#tool-level-negotiation
 */
export function getTaskParams(
  { options, toolCache }: CallContext,
  connection: Connection,
  { name, task }: JsonObject,
  requested: TaskParams | undefined,
): TaskParams | undefined {
  if (options.tasks === false || !canCreateTasks(connection)) return undefined;
  const support = toolCache.get(name as string)?.taskSupport;
  const taskParams = requested ?? (task as TaskParams | undefined);
  if (support === 'required') return taskParams ?? {};
  return support === 'optional' ? taskParams : undefined;
}

/**
 * Sends a call that becomes a task. If the call is aborted early, the task is cancelled as soon as its ID is known,
 * because the request itself cannot be cancelled.
 */
export async function callAsTask(
  pipeline: CallContext,
  connection: Connection,
  params: JsonObject,
  parameters: SendParameters,
): Promise<JsonObject> {
  const { signal, ...rest } = parameters;
  if (signal?.aborted) throw createCallAbortedError(connection.peer, signal.reason);
  const response = connection.call('tools/call', params, { ...rest, silentAbort: true });
  try {
    return await rejectOnAbort(response, signal, cause => createCallAbortedError(connection.peer, cause));
  } catch (error) {
    if (signal?.aborted) void response.then(({ taskId }) => cancelQuietly(pipeline, taskId)).catch(() => {});
    throw error;
  }
}

/** Cancels a task without waiting for the result. Reports an error of the cancellation. */
export async function cancelQuietly(pipeline: CallContext, taskId: unknown): Promise<void> {
  if (typeof taskId !== 'string') return;
  const { lastConnection } = pipeline.connections;
  const canCancel =
    lastConnection.dialect.tasks === 'by-extension' ||
    hasCapability(lastConnection.server.capabilities, 'tasks.cancel');
  if (!canCancel) return;
  try {
    await pipeline.sendTaskRequest('tasks/cancel', { taskId }, {});
  } catch (error) {
    if (TenonError.is(error) && error.rpcCode === undefined) pipeline.emitter.emit('error', error);
  }
}
