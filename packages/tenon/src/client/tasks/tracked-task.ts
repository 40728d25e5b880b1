import { type AbortSignalLike, type JsonObject, runWithTimeout, TenonError, toAbortSignal } from '@tenon/base';
import { isTerminal, type TaskState } from '../../protocol/tasks.js';
import type { CallContext } from '../calls/call-context.js';
import { type CallDeadline, createPausableClock, type PausableClock } from '../calls/call-deadline.js';
import { adviseOutcome } from '../calls/call-outcome.js';
import { createCallAbortedError } from '../server-requests/input-requests.js';
import { cancelQuietly } from './task-calls.js';
import type { WaitOptions } from './task-handle.js';
import { TaskSnapshot } from './task-snapshot.js';
import { trackUntilEnd } from './task-tracking.js';

/** Maximum number of unread states. Beyond it, the oldest is dropped. */
const MAX_UNREAD = 100;

/** Origin of a task, with the values for tracking it. */
export interface TaskOrigin {
  readonly tool?: string | undefined;
  readonly idleTimeout?: number | undefined;
  readonly onTask?: ((task: TaskState) => void) | undefined;
  /** True if a repetition of the call is harmless. */
  readonly idempotent?: boolean | undefined;
  /** Stops the progress reports of the task. */
  readonly stopProgress?: (() => void) | undefined;
  /** Remaining time of the call that became the task. */
  readonly deadline?: CallDeadline | undefined;
}

/** Creates the tracked task that a call became. */
export function trackTask(pipeline: CallContext, result: JsonObject, origin: TaskOrigin): TrackedTask {
  const task = new TrackedTask(pipeline, result.taskId as string, origin);
  task.snapshot.update(result);
  return task;
}

/** Tells if the wait for a task ended before the task. */
export function isAbandoned(error: unknown): error is TenonError {
  return TenonError.is(error) && /^call\/(aborted|timeout|unanswered-request|too-many-rounds)$/.test(error.code);
}

/** A task that several callers may wait for. The client polls it while at least one caller waits. */
export class TrackedTask {
  readonly snapshot: TaskSnapshot;
  readonly #pipeline: CallContext;
  readonly #origin: TaskOrigin;
  readonly #clock: PausableClock;
  #waiters = 0;
  #tracking: { readonly result: Promise<JsonObject>; readonly stop: AbortController } | undefined;

  constructor(pipeline: CallContext, taskId: string, origin: TaskOrigin) {
    this.#pipeline = pipeline;
    this.#origin = origin;
    this.#clock = createPausableClock(pipeline.pausableClock);
    this.snapshot = new TaskSnapshot(taskId, pipeline.clock);
    const { onTask, stopProgress } = origin;
    this.snapshot.onChange(state => {
      if (isTerminal(state.status)) stopProgress?.();
      if (onTask) this.#notify(onTask, state);
    });
  }

  /** Waits for the result of a call. If the wait ends before the task, the task is cancelled. */
  async waitForCall(signal: AbortSignalLike | undefined): Promise<JsonObject> {
    const { deadline, stopProgress } = this.#origin;
    try {
      return await this.wait({
        ...(signal ? { signal: toAbortSignal(signal) } : {}),
        totalTimeout: deadline?.remaining ?? Number.POSITIVE_INFINITY,
      });
    } catch (error) {
      if (!isAbandoned(error) || this.snapshot.ended) throw error;
      void cancelQuietly(this.#pipeline, this.snapshot.taskId);
      // A call whose repetition is harmless needs no advice.
      if (this.#origin.idempotent) throw error;
      throw adviseOutcome(error, 'tools/call');
    } finally {
      stopProgress?.();
    }
  }

  /** Waits for the result of the task. */
  async wait(options: WaitOptions): Promise<JsonObject> {
    const { signal, totalTimeout = Number.POSITIVE_INFINITY, idleTimeout, onTask } = options;
    const { peer } = this.#pipeline.connections.lastConnection;
    const unsubscribe = onTask && this.snapshot.onChange(state => this.#notify(onTask, state));
    if (onTask && this.snapshot.state) this.#notify(onTask, this.snapshot.state);
    const { result, leave } = this.#join(idleTimeout);
    const timeouts = {
      clock: this.#clock,
      timeout: totalTimeout,
      signal,
      onTimeout: () => {
        throw this.#createTimeoutError(totalTimeout);
      },
      onAbort(cause: unknown) {
        throw createCallAbortedError(peer, cause);
      },
    };
    return runWithTimeout(() => result, timeouts).finally(() => {
      unsubscribe?.();
      leave();
    });
  }

  async *states(signal: AbortSignal | undefined): AsyncGenerator<TaskState> {
    const unread = this.snapshot.state ? [this.snapshot.state] : [];
    let wake = () => {};
    let ended: { readonly error?: unknown } | undefined;
    const cancel = this.snapshot.onChange(state => {
      if (unread.push(state) > MAX_UNREAD) unread.shift();
      wake();
    });
    const { result, leave } = this.#join(undefined);
    const abort = () => wake();
    signal?.addEventListener('abort', abort, { once: true });
    result
      .then(
        () => (ended = {}),
        error => (ended = { error }),
      )
      .finally(() => wake());
    try {
      while (!signal?.aborted) {
        for (let state = unread.shift(); state; state = unread.shift()) {
          yield state;
          if (isTerminal(state.status)) return;
        }
        if (ended?.error !== undefined && !this.snapshot.ended) throw ended.error;
        if (ended) return;
        if (signal?.aborted) return;
        await new Promise<void>(resolve => {
          wake = resolve;
          if (unread.length > 0 || ended) resolve();
        });
      }
    } finally {
      signal?.removeEventListener('abort', abort);
      cancel();
      leave();
    }
  }

  /** Joins the tracking, or starts it. The last caller that leaves stops it. */
  #join(idleTimeout = this.#origin.idleTimeout): { readonly result: Promise<JsonObject>; leave(): void } {
    this.#tracking ??= this.#begin(idleTimeout);
    const tracking = this.#tracking;
    this.#waiters += 1;
    return {
      result: tracking.result,
      leave: () => {
        this.#waiters -= 1;
        if (this.#waiters === 0) tracking.stop.abort();
        if (tracking.stop.signal.aborted && this.#tracking === tracking) this.#tracking = undefined;
      },
    };
  }

  #begin(idleTimeout: number | undefined) {
    const stop = new AbortController();
    const { tool } = this.#origin;
    const { snapshot } = this;
    const tracking = { pipeline: this.#pipeline, snapshot, tool, idleTimeout, clock: this.#clock, signal: stop.signal };
    const result = trackUntilEnd(tracking);
    // The waiting callers already got the error.
    result.catch(() => {});
    return { result, stop };
  }

  #notify(listener: (state: TaskState) => void, state: TaskState): void {
    try {
      listener(state);
    } catch (error) {
      this.#pipeline.emitter.emit('error', TenonError.from(error, 'listener/threw', { method: 'tasks/get' }));
    }
  }

  #createTimeoutError(ms: number): TenonError {
    return new TenonError('call/timeout', `the task timed out after ${ms} ms`, {
      peer: this.#pipeline.connections.lastConnection.peer,
      hint: 'raise `totalTimeout` if the task needs more time',
      data: { taskId: this.snapshot.taskId },
    });
  }
}
