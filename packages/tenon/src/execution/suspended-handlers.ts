import { type Clock, type JsonObject, SharedMap } from '@tenon/base';
import type { ResumableContext } from './handler-run.js';
import type { JournaledExecution } from './journaled-execution.js';
import type { Suspension } from './suspension.js';

/** A handler that waits in memory for the answers to its input requests. */
export interface SuspendedHandler {
  readonly run: JournaledExecution;
  readonly suspension: Suspension;
  readonly context: ResumableContext;
  readonly work: Promise<JsonObject>;
}

/**
 * The suspended handlers, by the state that their client received. Their number and waiting time are limited, without
 * timers. Beyond the maximum number, the handler of the caller with the most handlers is removed.
 */
export class SuspendedHandlers {
  readonly #maxSuspended: number;
  readonly #timeout: number;
  readonly #clock: Clock;
  readonly #handlers: SharedMap<{ readonly handler: SuspendedHandler; readonly expiresAt: number }>;

  constructor(maxSuspended: number, timeout: number, clock: Clock) {
    this.#maxSuspended = maxSuspended;
    this.#timeout = timeout;
    this.#clock = clock;
    this.#handlers = new SharedMap(maxSuspended);
  }

  get size(): number {
    return this.#handlers.size;
  }

  put(id: string, handler: SuspendedHandler, caller: string): void {
    if (this.#maxSuspended === 0) return;
    const now = this.#clock.now();
    for (const [oldest, { expiresAt }] of this.#handlers) {
      if (expiresAt > now) break;
      this.#handlers.delete(oldest);
    }
    this.#handlers.set(id, { handler, expiresAt: now + this.#timeout }, caller);
  }

  /** Removes and returns a handler, so that it resumes only once. */
  take(id: string): SuspendedHandler | undefined {
    const entry = this.#handlers.get(id);
    this.#handlers.delete(id);
    return entry && entry.expiresAt > this.#clock.now() ? entry.handler : undefined;
  }
}
