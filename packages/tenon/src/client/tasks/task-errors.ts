import { INVALID_PARAMS, isUnavailableStatus, TenonError } from '@tenon/base';
import type { TaskState } from '../../protocol/tasks.js';
import type { CallContext } from '../calls/call-context.js';

/** Codes of errors after which a new connection may help. */
const CONNECTION_LOST =
  /^(connection\/(closed|send)|http\/(unreachable|interrupted)|stdio\/exited|session\/gone|call\/(timeout|outcome-unknown))$/;

/** Tells if a later retry may help, because a task outlives the connection. */
export function isRetryable({ connections }: CallContext, error: unknown): error is TenonError {
  if (!TenonError.is(error) || connections.state === 'closed') return false;
  const { status = 0 } = error;
  if (isUnavailableStatus(status)) return true;
  return error.rpcCode === undefined && CONNECTION_LOST.test(error.code);
}

/** Tells if an error means that the task does not exist. Servers use the same error for a deleted task. */
export function isUnknownTask(error: unknown): error is TenonError {
  return TenonError.is(error) && error.rpcCode === INVALID_PARAMS;
}

export function createUnknownTaskError(taskId: string, cause: TenonError): TenonError {
  const { peer, method, rpcCode, data } = cause;
  return new TenonError('task/unknown', `task ${quoteTaskId(taskId)} not found on the server`, {
    peer,
    method,
    received: cause.message,
    hint: 'check the id: the task may have expired, or belong to another user',
    rpcCode,
    data,
    cause,
  });
}

export function createCancelledTaskError({ taskId, statusMessage }: TaskState, peer: string): TenonError {
  const reason = statusMessage ? `: ${statusMessage}` : '';
  return new TenonError('task/cancelled', `the task ${quoteTaskId(taskId)} was cancelled${reason}`, {
    peer,
    data: { taskId },
  });
}

export function createExpiredTaskError({ taskId, ttlMs, status }: TaskState, peer: string): TenonError {
  return new TenonError('task/expired', `the task ${quoteTaskId(taskId)} did not end within its lifetime`, {
    peer,
    expected: `a final status within ${ttlMs} ms`,
    received: `the status ${status}`,
    data: { taskId },
  });
}

export function createUnreachableTaskError(taskId: string, cause: TenonError, attempts: number): TenonError {
  return new TenonError('task/unreachable', `cannot read the status of the task ${quoteTaskId(taskId)}`, {
    peer: cause.peer,
    received: `${attempts} failures in a row`,
    hint: 'call `client.tasks.resume(id)` later, because the task may still run',
    data: { taskId },
    cause,
  });
}

export function createClientClosedError(taskId: string): TenonError {
  return new TenonError(
    'connection/closed',
    `the client was closed during the wait for the task ${quoteTaskId(taskId)}`,
    {
      hint: 'connect again and call `client.tasks.resume(id)`, because the task may still run',
      data: { taskId },
    },
  );
}

function quoteTaskId(taskId: string): string {
  return JSON.stringify(taskId.slice(0, 80));
}
