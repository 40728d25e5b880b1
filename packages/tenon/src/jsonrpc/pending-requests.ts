import {
  type AbortSignalLike,
  type Clock,
  CompactMap,
  createPeerError,
  type JsonObject,
  LATE_TIMER,
  setNewest,
  TenonError,
} from '@tenon/base';
import type { Id, JsonRpcResponse } from './message.js';
import { readNumericId } from './numeric-id.js';
import { type NamedPeer, withNames } from './peer-errors.js';
import type { SendOptions } from './transport.js';

/** Timeouts of a request. */
export interface RequestTimeouts {
  /**
   * Maximum time without a progress notification, in milliseconds. After it the request fails. `Infinity`: no limit.
   * @default 60,000
   */
  readonly idleTimeout?: number | undefined;
  /**
   * Maximum total time of the request, in milliseconds. After it the request fails.
   * @default no limit
   */
  readonly totalTimeout?: number | undefined;
}

export interface PendingOptions extends RequestTimeouts {
  readonly signal?: AbortSignalLike | undefined;
  /** Called with the params of each progress notification of the peer, until the response arrives. */
  readonly onProgress?: ((params: JsonObject) => void) | undefined;
  /** Replaces the idle timeout when `start` resolves, and counts from that moment. */
  readonly laterIdleTimeout?: { readonly start: Promise<void>; readonly timeout: number } | undefined;
  /** Called with the response if it arrives after the request has timed out. */
  readonly onLateResponse?: ((response: JsonRpcResponse) => void) | undefined;
  /** Called when the caller has cancelled the request, so that the peer can be notified. */
  readonly onAbandoned?: ((id: Id, error: TenonError) => void) | undefined;
}

export interface PeerCallOptions extends PendingOptions {
  readonly send?: SendOptions | undefined;
  /** Trace of the call of which the request is a round. Absent without telemetry. */
  readonly trace?: CallTrace | undefined;
}

/** Trace of a call, over its rounds. */
export interface CallTrace {
  /** Number of the current round, from 1. */
  round: number;
  /** Context in which later rounds are traced. The telemetry sets it. */
  context?: unknown;
}

/** Params of a request. A function gets the ID of the request, for example for a progress token. */
export type LazyParams = JsonObject | undefined | ((id: Id) => JsonObject);

interface PendingRequest {
  readonly resolve: (result: JsonObject) => void;
  readonly reject: (error: TenonError) => void;
  readonly method: string;
  readonly wait: PendingOptions;
  readonly startedAt: number;
  readonly totalDeadline: number;
  readonly onAbort: (() => void) | undefined;
  idleDeadline: number;
}

/** Time without a response after which a request fails by default, in milliseconds. */
export const IDLE_TIMEOUT = 60_000;
/** Maximum number of requests whose late responses are ignored. Responses to earlier ones are reported. */
const MAX_ABANDONED = 100;
/** A timer keeps the process alive while a caller waits for a response, because the memory transport has no socket. */
const KEEP_PROCESS_ALIVE = { hold: true } as const;

/**
 * The requests that wait for a response. One timer is set to the earliest deadline and checks all requests when it
 * fires. Most requests end long before, so they need no timer of their own.
 */
export class PendingRequests {
  readonly #clock: Clock;
  readonly #peer: NamedPeer;
  readonly #requests = new CompactMap<PendingRequest>();
  readonly #idPrefix: string | undefined;
  #lastId = 0;
  /** The requests that nobody waits for any more, although their responses may come. */
  readonly #abandoned = new Map<unknown, PendingOptions['onLateResponse']>();
  #timer: { dueAt: number; cancel: () => void } | undefined;

  constructor(clock: Clock, peer: NamedPeer, idPrefix?: string) {
    this.#clock = clock;
    this.#peer = peer;
    this.#idPrefix = idPrefix;
  }

  allocateId(): Id {
    this.#lastId += 1;
    return this.#idPrefix === undefined ? this.#lastId : `${this.#idPrefix}${this.#lastId}`;
  }

  waitForResponse(id: Id, method: string, wait: PendingOptions): Promise<JsonObject> {
    return new Promise((resolve, reject) => {
      const { signal } = wait;
      if (signal?.aborted) return reject(this.#createAbortError(method, wait));
      const startedAt = this.#clock.elapsed();
      const onAbort = signal && (() => this.#abandon(id, this.#createAbortError(method, wait)));
      if (onAbort) signal.addEventListener('abort', onAbort, { once: true });
      const totalDeadline = startedAt + (wait.totalTimeout ?? Number.POSITIVE_INFINITY);
      const idleDeadline = startedAt + (wait.idleTimeout ?? IDLE_TIMEOUT);
      this.#requests.set(id, {
        resolve,
        reject,
        method,
        wait,
        startedAt,
        totalDeadline,
        idleDeadline,
        onAbort,
      });
      this.#scheduleCheck(Math.min(totalDeadline, idleDeadline), startedAt);
      const { laterIdleTimeout: later } = wait;
      if (later) void later.start.then(() => this.#setIdleTimeout(id, later.timeout));
    });
  }

  has(id: Id): boolean {
    return this.#requests.has(id);
  }

  /** Returns the numeric ID of the request that a response with the text of that ID answers. */
  findByText(id: unknown): { readonly id: number; readonly method: string | undefined } | undefined {
    const numericId = readNumericId(id);
    if (numericId === undefined) return undefined;
    const pending = this.#requests.get(numericId);
    return pending || this.#abandoned.has(numericId) ? { id: numericId, method: pending?.method } : undefined;
  }

  /** Number of pending requests. */
  get size(): number {
    return this.#requests.size;
  }

  /** True while a request waits whose time is limited, and until its deadline if others without a limit wait. */
  get hasDeadline(): boolean {
    return this.#timer !== undefined;
  }

  /** Completes the request of a response. Returns false if no request waits for it, or did. */
  completeRequest(response: JsonRpcResponse): boolean {
    const pending = this.#take(response.id as Id);
    if (pending === undefined) return this.#takeLate(response);
    if ('result' in response) pending.resolve(response.result);
    else pending.reject(createPeerError(response.error, { peer: this.#peer.peer, method: pending.method }));
    return true;
  }

  #takeLate(response: JsonRpcResponse): boolean {
    this.#abandoned.get(response.id)?.(response);
    return this.#abandoned.delete(response.id);
  }

  /** Rejects the request with an ID or the text of it. Returns false when no caller waits for its response. */
  fail(id: Id, error: TenonError): boolean {
    const pending = this.#take(this.findByText(id)?.id ?? id);
    pending?.reject(withNames(error, this.#peer, pending.method));
    return pending !== undefined;
  }

  failAll(error: TenonError): void {
    for (const [id] of this.#requests.entries()) this.fail(id, error);
  }

  /** Restarts the idle timeout of a request. Returns false when no caller waits for its response. */
  resetIdleTimeout(id: Id, progress?: JsonObject): boolean {
    const pending = this.#requests.get(id);
    if (pending === undefined) return false;
    pending.idleDeadline = this.#clock.elapsed() + (pending.wait.idleTimeout ?? IDLE_TIMEOUT);
    if (progress) pending.wait.onProgress?.(progress);
    return true;
  }

  #setIdleTimeout(id: Id, timeout: number): void {
    const pending = this.#requests.get(id);
    if (pending === undefined) return;
    const now = this.#clock.elapsed();
    pending.idleDeadline = now + timeout;
    this.#scheduleCheck(pending.idleDeadline, now);
  }

  #take(id: Id): PendingRequest | undefined {
    const pending = this.#requests.get(id);
    if (pending === undefined) return undefined;
    this.#requests.delete(id);
    if (this.#requests.size === 0) this.#clearTimer();
    if (pending.onAbort) pending.wait.signal?.removeEventListener('abort', pending.onAbort);
    return pending;
  }

  #abandon(id: Id, error: TenonError): void {
    const pending = this.#take(id);
    if (pending === undefined) return;
    setNewest(this.#abandoned, id, pending.wait.onLateResponse, MAX_ABANDONED);
    pending.wait.onAbandoned?.(id, error);
    pending.reject(error);
  }

  #scheduleCheck(dueAt: number, now: number): void {
    const current = this.#timer;
    if (current && current.dueAt < now) {
      // The process did not run. Or it is a Worker, where a timer ends together with the request that set it.
      dueAt = Math.min(dueAt, now + LATE_TIMER);
    } else if ((current && current.dueAt <= dueAt) || dueAt === Number.POSITIVE_INFINITY) return;
    current?.cancel();
    const cancel = this.#clock.after(Math.max(0, dueAt - now), () => this.#failExpired(), KEEP_PROCESS_ALIVE);
    this.#timer = { dueAt, cancel };
  }

  #clearTimer(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #failExpired(): void {
    this.#timer = undefined;
    const now = this.#clock.elapsed();
    let next = Number.POSITIVE_INFINITY;
    for (const [id, pending] of this.#requests.entries()) {
      const deadline = Math.min(pending.totalDeadline, pending.idleDeadline);
      if (deadline <= now) this.#abandon(id, this.#createTimeoutError(pending, now));
      else next = Math.min(next, deadline);
    }
    this.#scheduleCheck(next, now);
  }

  #createAbortError(method: string, { signal }: PendingOptions): TenonError {
    const { peer } = this.#peer;
    return new TenonError('call/aborted', 'the call was cancelled', { method, peer, cause: signal?.reason });
  }

  #createTimeoutError({ method, startedAt, totalDeadline }: PendingRequest, now: number): TenonError {
    return new TenonError('call/timeout', `timed out after ${now - startedAt} ms`, {
      method,
      peer: this.#peer.peer,
      hint: totalDeadline <= now ? 'raise `totalTimeout`' : 'raise `idleTimeout`, or report progress in the server',
    });
  }
}
