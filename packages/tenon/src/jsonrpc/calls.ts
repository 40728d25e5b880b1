import type { SendOptions } from './channel.js';
import type { Clock } from './clock.js';
import { TenonError } from './error.js';
import type { Id, JsonObject, Response } from './message.js';
import { Roster } from './roster.js';

/** How long a caller waits. */
export interface Patience {
  /** Milliseconds without a sign of life (progress) before the call is given up. Infinity: no limit. Default 60,000. */
  readonly idleTimeout?: number | undefined;
  /** Milliseconds in all before the call is given up. Default: no limit. */
  readonly totalTimeout?: number | undefined;
}

export interface Wait extends Patience {
  readonly signal?: AbortSignal | undefined;
  /** Called with the params of each progress notification of the peer, until the answer. */
  onProgress?(params: JsonObject): void;
  /** Called when the caller has given up, so that the peer can be told. */
  onAbandoned?(id: Id, error: TenonError): void;
}

export interface CallOptions extends Wait {
  readonly send?: SendOptions;
}

/** The params of a request; a function where they name its id, as a progress token does. */
export type ParamsOf = JsonObject | undefined | ((id: Id) => JsonObject);

/** The other end, as errors name it. */
interface Named {
  readonly peer: string;
}

interface Pending {
  readonly resolve: (result: JsonObject) => void;
  readonly reject: (error: TenonError) => void;
  readonly method: string;
  readonly wait: Wait;
  readonly started: number;
  readonly total: number;
  readonly onAbort: (() => void) | undefined;
  idle: number;
}

const IDLE_TIMEOUT = 60_000;
/** Nothing else may keep the process alive that waits for the outcome of a call: in memory there is no socket. */
const HOLD = { hold: true } as const;

/**
 * The requests that wait for an answer. One timer serves them all: it is set for the earliest deadline and, when it
 * fires, looks through what waits. Most calls are answered long before, and pay for no timer of their own.
 */
export class Calls {
  readonly #clock: Clock;
  readonly #other: Named;
  readonly #pending = new Roster<Pending>();
  #last = 0;
  #alarm: { at: number; off: () => void } | undefined;

  constructor(clock: Clock, other: Named) {
    this.#clock = clock;
    this.#other = other;
  }

  nextId(): number {
    this.#last += 1;
    return this.#last;
  }

  wait(id: Id, method: string, wait: Wait): Promise<JsonObject> {
    return new Promise((resolve, reject) => {
      const { signal } = wait;
      if (signal?.aborted) return reject(this.#aborted(method, wait));
      const started = this.#clock.now();
      const onAbort = signal && (() => this.#abandon(id, this.#aborted(method, wait)));
      signal?.addEventListener('abort', onAbort as () => void, { once: true });
      const total = started + (wait.totalTimeout ?? Number.POSITIVE_INFINITY);
      const idle = started + (wait.idleTimeout ?? IDLE_TIMEOUT);
      this.#pending.set(id, { resolve, reject, method, wait, started, total, idle, onAbort });
      this.#rouseAt(Math.min(total, idle), started);
    });
  }

  has(id: Id): boolean {
    return this.#pending.has(id);
  }

  /** How many wait. */
  get size(): number {
    return this.#pending.size;
  }

  /** False when nobody waits for this answer. */
  settle(response: Response): boolean {
    const pending = this.#take(response.id as Id);
    if (pending === undefined) return false;
    if ('result' in response) pending.resolve(response.result);
    else pending.reject(this.#peerError(response.error, pending.method));
    return true;
  }

  /** False when nobody waits for it. */
  fail(id: Id, error: TenonError): boolean {
    const pending = this.#take(id);
    pending?.reject(error);
    return pending !== undefined;
  }

  failAll(error: TenonError): void {
    for (const [id] of this.#pending.entries()) this.fail(id, error);
  }

  /** False when nobody waits for it. */
  touch(id: Id, progress?: JsonObject): boolean {
    const pending = this.#pending.get(id);
    if (pending === undefined) return false;
    pending.idle = this.#clock.now() + (pending.wait.idleTimeout ?? IDLE_TIMEOUT);
    if (progress) pending.wait.onProgress?.(progress);
    return true;
  }

  #take(id: Id): Pending | undefined {
    const pending = this.#pending.get(id);
    if (pending === undefined) return undefined;
    this.#pending.delete(id);
    if (pending.onAbort) pending.wait.signal?.removeEventListener('abort', pending.onAbort);
    if (this.#pending.size === 0) this.#rest();
    return pending;
  }

  #abandon(id: Id, error: TenonError): void {
    const pending = this.#take(id);
    if (pending === undefined) return;
    pending.wait.onAbandoned?.(id, error);
    pending.reject(error);
  }

  #rouseAt(at: number, now: number): void {
    // On Workers a timer ends with the request that set it: one that is overdue is set anew.
    const set = this.#alarm && this.#alarm.at <= at && this.#alarm.at >= now;
    if (at === Number.POSITIVE_INFINITY || set) return;
    this.#alarm?.off();
    this.#alarm = { at, off: this.#clock.after(Math.max(0, at - now), () => this.#sweep(), HOLD) };
  }

  #rest(): void {
    this.#alarm?.off();
    this.#alarm = undefined;
  }

  #sweep(): void {
    this.#alarm = undefined;
    const now = this.#clock.now();
    let next = Number.POSITIVE_INFINITY;
    for (const [id, pending] of this.#pending.entries()) {
      const deadline = Math.min(pending.total, pending.idle);
      if (deadline <= now) this.#abandon(id, this.#timedOut(pending, now));
      else next = Math.min(next, deadline);
    }
    this.#rouseAt(next, now);
  }

  #peerError({ code, message, data }: { code: number; message: string; data?: unknown }, method: string): TenonError {
    return new TenonError('peer/error', message, { rpc: code, data, peer: this.#other.peer, method });
  }

  #aborted(method: string, { signal }: Wait): TenonError {
    const { peer } = this.#other;
    return new TenonError('call/aborted', 'the caller gave the call up', { method, peer, cause: signal?.reason });
  }

  #timedOut({ method, started, total }: Pending, now: number): TenonError {
    const limit = total <= now ? 'totalTimeout' : 'idleTimeout';
    return new TenonError('call/timeout', `no answer after ${now - started} ms`, {
      method,
      peer: this.#other.peer,
      next: `raise \`${limit}\`, or let the server report progress, which restarts the idle time`,
    });
  }
}
