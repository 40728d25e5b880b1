import { INVALID_PARAMS } from '../../jsonrpc/codes.js';
import { TenonError } from '../../jsonrpc/error.js';
import type { TaskState } from '../../model/tasks.js';
import type { Caller } from '../caller.js';

/** What the loss of a road looks like, after which there may be another. */
const LOST =
  /^(connection\/(closed|send)|http\/(unreachable|interrupted)|stdio\/exited|session\/gone|call\/(timeout|outcome-unknown))$/;
/** What a server, or whoever stands before it, says when it is to be asked again later. */
const LATER: ReadonlySet<number> = new Set([408, 429, 502, 503, 504]);

/** Whether asking again later may help: a task outlives the connection. */
export function passes({ lifeline }: Caller, error: unknown): error is TenonError {
  if (!TenonError.is(error) || lifeline.state === 'closed') return false;
  if (error.status !== undefined && LATER.has(error.status)) return true;
  return error.rpc === undefined && LOST.test(error.code);
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

export function cancelledTask({ taskId, statusMessage }: TaskState, peer: string): TenonError {
  const said = statusMessage ? `: ${statusMessage}` : '';
  return new TenonError('task/cancelled', `the task ${shown(taskId)} was cancelled${said}`, { peer, data: { taskId } });
}

export function expiredTask({ taskId, ttlMs, status }: TaskState, peer: string): TenonError {
  return new TenonError(
    'task/expired',
    `the task ${shown(taskId)} has not ended within the time for which it is kept`,
    {
      peer,
      expected: `an end within ${ttlMs} ms`,
      got: `the status ${status}`,
      data: { taskId },
    },
  );
}

export function outOfReach(taskId: string, cause: TenonError, tries: number): TenonError {
  return new TenonError('task/out-of-reach', `the server could not be asked about the task ${shown(taskId)}`, {
    peer: cause.peer,
    got: `${tries} failures in a row`,
    next: 'the task may go on: come back to it by `client.tasks.resume(id)`',
    data: { taskId },
    cause,
  });
}

export function clientClosed(taskId: string): TenonError {
  return new TenonError('connection/closed', `the client was closed while it waited for the task ${shown(taskId)}`, {
    next: 'the task may go on: connect again, and come back to it by `client.tasks.resume(id)`',
    data: { taskId },
  });
}

/** The error that the call would have been answered with. */
export function failedTask({ error, statusMessage }: TaskState, peer: string): TenonError {
  const { code: rpc, message, data } = error ?? { code: undefined, message: statusMessage ?? 'the task failed' };
  return new TenonError('peer/error', message, { rpc, data, peer, method: 'tools/call' });
}

function shown(taskId: string): string {
  return JSON.stringify(taskId.slice(0, 80));
}
