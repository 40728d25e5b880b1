import { TenonError } from '../../jsonrpc/error.js';
import type { JsonObject } from '../../jsonrpc/message.js';
import { isTerminal, type TaskState } from '../../model/tasks.js';
import { type Allowance, type PausingClock, pausingClock } from '../allowance.js';
import type { Caller } from '../caller.js';
import { unlessAborted } from '../questions.js';
import { quietlyCancel } from './calling.js';
import { follow } from './following.js';
import type { WaitOptions } from './handle.js';
import { Sight } from './sight.js';

/** States that nobody has read yet, at the most: beyond it the first are left out. */
const MAX_UNREAD = 100;

/** What is to be known for following a task. */
export interface Origin {
  readonly tool?: string | undefined;
  readonly idleTimeout?: number | undefined;
  readonly onTask?: ((task: TaskState) => void) | undefined;
  /** Ends the hearing of its progress. */
  readonly forget?: (() => void) | undefined;
  /** What is left of the time for the call that has become the task. */
  readonly allowance?: Allowance | undefined;
}

/** The task that a call has become. */
export function followed(caller: Caller, made: JsonObject, origin: Origin): Followed {
  const task = new Followed(caller, made.taskId as string, origin);
  task.sight.see(made);
  return task;
}

/** Tells whether the wait for a task ended before the task did, for good: nobody comes back to it. */
export function isGivenUp(error: unknown): boolean {
  return TenonError.is(error) && /^call\/(aborted|timeout|cannot-answer|too-many-rounds)$/.test(error.code);
}

/** A task that several may wait for at once: while somebody does, it is looked after. */
export class Followed {
  readonly sight: Sight;
  readonly #caller: Caller;
  readonly #origin: Origin;
  readonly #clock: PausingClock;
  #waiting = 0;
  #following: { readonly result: Promise<JsonObject>; readonly stop: AbortController } | undefined;

  constructor(caller: Caller, taskId: string, origin: Origin) {
    this.#caller = caller;
    this.#origin = origin;
    this.#clock = pausingClock(caller.patience);
    this.sight = new Sight(taskId, caller.clock);
    const { onTask, forget } = origin;
    this.sight.onChange(state => {
      if (isTerminal(state.status)) forget?.();
      if (onTask) this.#tell(onTask, state);
    });
  }

  /** Waits as the call would: whatever ends the wait before the task has ended cancels it. */
  async settled(signal: AbortSignal | undefined): Promise<JsonObject> {
    const { allowance, forget } = this.#origin;
    try {
      return await this.wait({
        ...(signal ? { signal } : {}),
        totalTimeout: allowance?.left ?? Number.POSITIVE_INFINITY,
      });
    } catch (error) {
      if (isGivenUp(error) && !this.sight.ended) void quietlyCancel(this.#caller, this.sight.taskId);
      throw error;
    } finally {
      forget?.();
    }
  }

  /** Waits for what the task comes to. */
  async wait(options: WaitOptions): Promise<JsonObject> {
    const { signal, totalTimeout = Number.POSITIVE_INFINITY, idleTimeout, onTask } = options;
    const { peer } = this.#caller.lifeline.last;
    const deaf = onTask && this.sight.onChange(state => this.#tell(onTask, state));
    if (onTask && this.sight.state) this.#tell(onTask, this.sight.state);
    const { result, leave } = this.#join(idleTimeout);
    let off = () => {};
    const late = new Promise<never>((_, reject) => {
      if (totalTimeout === Number.POSITIVE_INFINITY) return;
      off = this.#clock.after(totalTimeout, () => reject(this.#late(totalTimeout)));
    });
    return unlessAborted(Promise.race([result, late]), signal, peer).finally(() => {
      off();
      deaf?.();
      leave();
    });
  }

  async *states(signal: AbortSignal | undefined): AsyncGenerator<TaskState> {
    const unread = this.sight.state ? [this.sight.state] : [];
    let wake = () => {};
    let over: { readonly error?: unknown } | undefined;
    const off = this.sight.onChange(state => {
      if (unread.push(state) > MAX_UNREAD) unread.shift();
      wake();
    });
    const { result, leave } = this.#join(undefined);
    const abort = () => wake();
    signal?.addEventListener('abort', abort, { once: true });
    result
      .then(
        () => (over = {}),
        error => (over = { error }),
      )
      .finally(() => wake());
    try {
      while (!signal?.aborted) {
        for (let state = unread.shift(); state; state = unread.shift()) {
          yield state;
          if (isTerminal(state.status)) return;
        }
        if (over?.error !== undefined && !this.sight.ended) throw over.error;
        if (over) return;
        if (signal?.aborted) return;
        await new Promise<void>(resolve => {
          wake = resolve;
          if (unread.length > 0 || over) resolve();
        });
      }
    } finally {
      signal?.removeEventListener('abort', abort);
      off();
      leave();
    }
  }

  /** Takes part in the one following; the last to leave ends it. */
  #join(idleTimeout = this.#origin.idleTimeout): { readonly result: Promise<JsonObject>; leave(): void } {
    this.#following ??= this.#begin(idleTimeout);
    const following = this.#following;
    this.#waiting += 1;
    return {
      result: following.result,
      leave: () => {
        this.#waiting -= 1;
        if (this.#waiting === 0) following.stop.abort();
        if (following.stop.signal.aborted && this.#following === following) this.#following = undefined;
      },
    };
  }

  #begin(idleTimeout: number | undefined) {
    const stop = new AbortController();
    const { tool } = this.#origin;
    const { sight } = this;
    const course = { caller: this.#caller, sight, tool, idleTimeout, clock: this.#clock, signal: stop.signal };
    const result = follow(course);
    // Whoever waits has been told.
    result.catch(() => {});
    return { result, stop };
  }

  #tell(listener: (state: TaskState) => void, state: TaskState): void {
    try {
      listener(state);
    } catch (error) {
      this.#caller.emitter.emit('problem', TenonError.from(error, 'listener/threw', { method: 'tasks/get' }));
    }
  }

  #late(ms: number): TenonError {
    return new TenonError('call/timeout', `the task has not ended after ${ms} ms`, {
      peer: this.#caller.lifeline.last.peer,
      next: 'raise `totalTimeout` if it may take that long',
      data: { taskId: this.sight.taskId },
    });
  }
}
