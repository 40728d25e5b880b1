import { INVALID_PARAMS } from '../../jsonrpc/codes.js';
import { TenonError } from '../../jsonrpc/error.js';
import type { JsonObject } from '../../jsonrpc/message.js';
import { detailedTask } from '../../model/tasks.js';
import type { Caller } from '../caller.js';
import { invalid } from '../results.js';
import type { Sight } from './sight.js';

/** The server has to say all there is to know of it. */
export function checked(caller: Caller, { taskId }: { readonly taskId: string }, told: JsonObject): JsonObject {
  const link = caller.lifeline.last;
  const problem = isByExtension(caller) ? detailedTask(told) : undefined;
  if (problem) throw invalid(link, 'tasks/get', `the task is malformed: ${problem}`);
  if (told.taskId !== taskId) throw invalid(link, 'tasks/get', 'the answer tells of another task');
  return told;
}

/** Takes note of what the server tells by itself, and calls `news` when it is any. Returns the function that stops it. */
export function hear(caller: Caller, sight: Sight, news: () => void): () => void {
  return caller.emitter.on('notification', ({ method, params }) => {
    if (/^notifications\/tasks(\/status)?$/.test(method) && sight.overhear(params)) news();
  });
}

/** Servers say in one and the same way that they never had a task, and that they have it no longer. */
export function isUnknown(error: unknown): error is TenonError {
  return TenonError.is(error) && error.rpc === INVALID_PARAMS;
}

export function unknownTask(taskId: string, cause: TenonError): TenonError {
  const { peer, method, rpc, data } = cause;
  return new TenonError('task/unknown', `the server knows no task ${shown(taskId)}`, {
    peer,
    method,
    got: cause.message,
    next: 'it may have been kept for its time and no longer, or belong to somebody else',
    rpc,
    data,
    cause,
  });
}

export function isByExtension({ lifeline }: Caller): boolean {
  return lifeline.last.dialect.tasks === 'by-extension';
}

export function shown(taskId: string): string {
  return JSON.stringify(taskId.slice(0, 80));
}
