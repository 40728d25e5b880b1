import { createPeerError, isObject, type JsonObject, TenonError } from '@tenon/base';
import { RELATED_TASK } from '../../protocol/meta.js';
import { checkDetailedTask, isTerminal, type TaskState } from '../../protocol/tasks.js';
import type { CallOptions } from '../call-options.js';
import type { CallContext } from '../calls/call-context.js';
import type { PausableClock } from '../calls/call-deadline.js';
import { checkShape, checkStructuredContent, createInvalidResultError } from '../calls/results.js';
import {
  createCancelledTaskError,
  createClientClosedError,
  createExpiredTaskError,
  createUnknownTaskError,
  createUnreachableTaskError,
  isRetryable,
  isUnknownTask,
} from './task-errors.js';
import { TaskInputRequests } from './task-input-requests.js';
import type { TaskSnapshot } from './task-snapshot.js';
import { Waker } from './waker.js';

const INITIAL_DELAY = 1000;
const MAX_DELAY = 30_000;
/** Maximum number of consecutive failed attempts to reach the server. They take about eight minutes. */
const MAX_FAILURES = 20;

/** Tracks one task until it ends or no caller waits for it. */
export interface TaskTracking {
  readonly pipeline: CallContext;
  readonly snapshot: TaskSnapshot;
  /** Name of the called tool. Undefined if it is not known. */
  readonly tool: string | undefined;
  readonly idleTimeout: number | undefined;
  /** Clock that is paused while the user answers an input request. */
  readonly clock: PausableClock;
  /** Signal that is aborted when no caller waits for the task. */
  readonly signal: AbortSignal;
}

/** Waits for the end of a task and answers its input requests meanwhile. Resolves with the result of the call. */
export async function trackUntilEnd(tracking: TaskTracking): Promise<JsonObject> {
  const { pipeline, snapshot, clock, signal } = tracking;
  const waker = new Waker(pipeline.clock, signal);
  const inputRequests = new TaskInputRequests({
    pipeline,
    taskId: snapshot.taskId,
    clock,
    deliver: answers => deliver(tracking, waker, answers),
    onError: error => waker.fail(error),
  });
  const unsubscribes = [
    pipeline.emitter.on('notification', ({ method, params }) => {
      if (/^notifications\/tasks(\/status)?$/.test(method) && snapshot.updateFromNotification(params)) waker.wake();
    }),
    pipeline.emitter.on('state', state => state === 'closed' && waker.fail(createClientClosedError(snapshot.taskId))),
  ];
  try {
    if (tracking.tool !== undefined) await pipeline.loadTools(await pipeline.connections.getConnection(), {});
    const result = await waitForEnd(tracking, inputRequests, waker);
    const connection = pipeline.connections.lastConnection;
    const checked = checkShape(connection, 'tools/call', result, 'the result of the task');
    return checkStructuredContent(pipeline, connection, checked, tracking.tool);
  } finally {
    inputRequests.close();
    for (const each of unsubscribes) each();
  }
}

async function waitForEnd(tracking: TaskTracking, inputRequests: TaskInputRequests, waker: Waker): Promise<JsonObject> {
  const { pipeline, snapshot } = tracking;
  const { state: known } = snapshot;
  // The response that creates a task contains no part of its result.
  const isPayloadMissing =
    known === undefined ||
    (isByExtension(pipeline) && known.status !== 'working' && checkDetailedTask(known) !== undefined);
  if (isPayloadMissing) await refresh(tracking, waker);
  let next = pipeline.clock.elapsed() + snapshot.interval;
  for (;;) {
    const state = snapshot.state as TaskState;
    if (isTerminal(state.status)) return getResult(tracking, waker, state);
    if (snapshot.remaining <= 0) throw createExpiredTaskError(state, pipeline.connections.lastConnection.peer);
    if (state.status !== 'input_required') inputRequests.update({});
    else if (isByExtension(pipeline)) inputRequests.update(state.inputRequests ?? {});
    else return waitForBlockedResult(tracking, waker);
    const now = pipeline.clock.elapsed();
    if (await waker.waitForWake(Math.min(next - now, Math.max(snapshot.remaining, 0)))) continue;
    await refresh(tracking, waker);
    next = pipeline.clock.elapsed() + snapshot.interval;
  }
}

/** Requests the state of the task. */
async function refresh(tracking: TaskTracking, waker: Waker): Promise<void> {
  const { pipeline, snapshot } = tracking;
  const params = { taskId: snapshot.taskId };
  // A resumed task may belong to a server without tasks.
  const first = snapshot.state === undefined;
  const send = (options: CallOptions) =>
    first ? pipeline.call('tasks/get', params, options) : pipeline.sendTaskRequest('tasks/get', params, options);
  snapshot.update(
    checkTask(
      pipeline,
      snapshot,
      await withUnknownTaskError(snapshot, () => retryWhileUnreachable(tracking, waker, send)),
    ),
  );
}

/** Checks that the server sent the complete state of a task. */
export function checkTask(
  pipeline: CallContext,
  { taskId }: { readonly taskId: string },
  task: JsonObject,
): JsonObject {
  const connection = pipeline.connections.lastConnection;
  const issue = isByExtension(pipeline) ? checkDetailedTask(task) : undefined;
  if (issue) throw createInvalidResultError(connection, 'tasks/get', `the task is malformed: ${issue}`);
  if (task.taskId !== taskId)
    throw createInvalidResultError(connection, 'tasks/get', 'the response is about another task');
  return task;
}

/** Retries while the server cannot be reached, because a task outlives the connection. */
async function retryWhileUnreachable(
  tracking: TaskTracking,
  waker: Waker,
  send: (options: CallOptions) => Promise<JsonObject>,
): Promise<JsonObject> {
  const { pipeline, snapshot, idleTimeout } = tracking;
  let delay = INITIAL_DELAY;
  for (let failures = 1; ; failures++) {
    try {
      return await waker.raceFailure(send(idleTimeout === undefined ? {} : { idleTimeout }));
    } catch (error) {
      if (!isRetryable(pipeline, error)) throw error;
      if (snapshot.state && snapshot.remaining <= 0)
        throw createExpiredTaskError(snapshot.state, pipeline.connections.lastConnection.peer);
      if (failures === MAX_FAILURES) throw createUnreachableTaskError(snapshot.taskId, error, failures);
      pipeline.emitter.emit('error', error);
      await waker.sleep(delay);
      delay = Math.min(delay * 2, MAX_DELAY);
    }
  }
}

async function deliver(tracking: TaskTracking, waker: Waker, inputResponses: JsonObject): Promise<void> {
  const { pipeline, snapshot } = tracking;
  const params = { taskId: snapshot.taskId, inputResponses };
  try {
    await retryWhileUnreachable(tracking, waker, options => pipeline.sendTaskRequest('tasks/update', params, options));
  } catch (error) {
    if (!isUnknownTask(error)) throw error;
    // A task that has ended meanwhile accepts no more answers.
    await refresh(tracking, waker);
    if (!snapshot.ended) throw error;
    waker.wake();
  }
}

/** Returns the result of a task that has ended. */
async function getResult(tracking: TaskTracking, waker: Waker, state: TaskState): Promise<JsonObject> {
  const { pipeline, snapshot } = tracking;
  const { peer } = pipeline.connections.lastConnection;
  if (state.status === 'cancelled') throw createCancelledTaskError(state, peer);
  if (isByExtension(pipeline)) {
    if (state.status === 'failed') {
      const error = state.error ?? { message: state.statusMessage ?? 'the task failed' };
      throw createPeerError(error, { peer, method: 'tools/call' });
    }
    return state.result as JsonObject;
  }
  const fetchPayload = () => retryWhileUnreachable(tracking, waker, options => fetchResult(tracking, options));
  // A failed task rejects with its own error, with any code.
  return state.status === 'failed' ? fetchPayload() : withUnknownTaskError(snapshot, fetchPayload);
}

/**
 * Waits for the result with a request that stays open. It serves versions in which the server sends requests to the
 * client that waits.
 */
async function waitForBlockedResult(tracking: TaskTracking, waker: Waker): Promise<JsonObject> {
  const { pipeline, snapshot } = tracking;
  try {
    const options = { idleTimeout: Number.POSITIVE_INFINITY, totalTimeout: snapshot.remaining };
    const result = await retryWhileUnreachable(tracking, waker, () => fetchResult(tracking, options));
    const { statusMessage: _, ...rest } = snapshot.state as TaskState;
    snapshot.update({ ...rest, status: result.isError ? 'failed' : 'completed' });
    return result;
  } catch (error) {
    if (!TenonError.is(error) || error.rpcCode === undefined) throw error;
    await refresh(tracking, waker);
    if (snapshot.state?.status === 'cancelled')
      throw createCancelledTaskError(snapshot.state, pipeline.connections.lastConnection.peer);
    throw error;
  }
}

/** Fetches the result of the call, without the metadata with the task ID. */
async function fetchResult(
  { pipeline, snapshot, tool, signal }: TaskTracking,
  options: CallOptions,
): Promise<JsonObject> {
  const result = await pipeline.sendTaskRequest(
    'tasks/result',
    { taskId: snapshot.taskId },
    { ...options, signal },
    tool,
  );
  if (!isObject(result._meta) || !(RELATED_TASK in result._meta)) return result;
  const { _meta, ...rest } = result;
  const { [RELATED_TASK]: _, ...meta } = _meta as JsonObject;
  return Object.keys(meta).length === 0 ? rest : { ...rest, _meta: meta };
}

async function withUnknownTaskError<T>({ taskId }: TaskSnapshot, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw isUnknownTask(error) ? createUnknownTaskError(taskId, error) : error;
  }
}

function isByExtension({ connections }: CallContext): boolean {
  return connections.lastConnection.dialect.tasks === 'by-extension';
}
