import type { Clock } from '../../jsonrpc/clock.js';
import type { JsonObject } from '../../jsonrpc/message.js';
import { SharedMap } from '../../jsonrpc/shared-map.js';
import type { Seat } from './asking.js';
import type { Entered } from './entered.js';
import type { Pause } from './pause.js';

/** A handler that waits in memory for the answers to what it asked. */
export interface HeldHandler {
  readonly run: Entered;
  readonly pause: Pause;
  readonly seat: Seat;
  readonly work: Promise<JsonObject>;
}

/**
 * The handlers that wait, by the state that their client was given. Bounded in number and in time; no timers run. Beyond
 * the number, a handler of the caller that has most gives way.
 */
export class Held {
  readonly #most: number;
  readonly #time: number;
  readonly #clock: Clock;
  readonly #waiting: SharedMap<{ readonly held: HeldHandler; readonly until: number }>;

  constructor(most: number, time: number, clock: Clock) {
    this.#most = most;
    this.#time = time;
    this.#clock = clock;
    this.#waiting = new SharedMap(most);
  }

  get size(): number {
    return this.#waiting.size;
  }

  put(id: string, held: HeldHandler, caller: string): void {
    if (this.#most === 0) return;
    const now = this.#clock.now();
    for (const [oldest, { until }] of this.#waiting) {
      if (until > now) break;
      this.#waiting.delete(oldest);
    }
    this.#waiting.set(id, { held, until: now + this.#time }, caller);
  }

  /** Takes it out: one goes on once. */
  take(id: string): HeldHandler | undefined {
    const found = this.#waiting.get(id);
    this.#waiting.delete(id);
    return found && found.until > this.#clock.now() ? found.held : undefined;
  }
}
