import {
  type Clock,
  type ErrorObject,
  INTERNAL_ERROR,
  isForPeer,
  type JsonObject,
  rpcError,
  runPeriodically,
  type Stores,
  TenonError,
  toTypedValues,
  type Values,
} from '@tenon/base';
import type { ActiveCalls } from 'tenon/proxy';
import { toPeerError } from './peer-error.js';

declare const crypto: { randomUUID(): string };

/** Interval at which a process reads the store for messages that the bus has lost, in milliseconds. */
const POLL_INTERVAL = 1000;
/** Time in which a process with an active call takes an input request, in milliseconds. */
const TAKE_TIME = 3000;
/** Lifetime of an input request whose process does not renew it, and of a response that nobody reads, in milliseconds. */
const LEASE = 30_000;

/** An input request in the store: as it was received, taken by a process with an active call, or with its response. */
type StoredInputRequest =
  | { readonly state: 'received'; readonly method: string; readonly params: JsonObject }
  | { readonly state: 'taken' }
  | { readonly state: 'result'; readonly result: JsonObject }
  | { readonly state: 'error'; readonly error: ErrorObject };

/** Calls of a connection, which can pass on input requests that other processes received in the same session. */
export type InputRequestTaker = Pick<ActiveCalls, 'canAsk' | 'ask'>;

export interface InputRequestForwardingOptions {
  readonly stores: Stores;
  /** Identifies the host in keys, because other hosts may use the same stores. */
  readonly scope: string;
  readonly clock: Clock;
  readonly onError: (error: TenonError) => void;
}

/**
 * Passes an input request to the process that runs the call to which it may belong. A server that does not name the call
 * sends the request on the stream of the session, which one process holds. The request and the response are values in
 * the store, and the bus only announces them.
 */
export class InputRequestForwarding {
  readonly #options: InputRequestForwardingOptions;
  readonly #values: Values<StoredInputRequest>;
  /** Calls of the connections of this process, by the keys of their sessions. */
  readonly #takers = new Map<string, Set<InputRequestTaker>>();
  /** Functions that wake the waiting input requests of this process, by their IDs. */
  readonly #waiting = new Map<string, () => void>();
  /** Input requests of other processes that this process has taken, by their IDs. */
  readonly #taken = new Map<string, AbortController>();
  #stop: (() => void) | undefined;

  constructor(options: InputRequestForwardingOptions) {
    this.#options = options;
    this.#values = toTypedValues<StoredInputRequest>(options.stores.values);
  }

  /** Makes the calls of a connection take the input requests of its session. Returns a function that ends this. */
  addTaker(session: string, taker: InputRequestTaker): () => void {
    this.#stop ??= this.#options.stores.bus.subscribe(this.#topic, message => this.#receive(message));
    const all = this.#takers.get(session) ?? new Set();
    this.#takers.set(session, all.add(taker));
    return () => {
      all.delete(taker);
      if (all.size === 0 && this.#takers.get(session) === all) this.#takers.delete(session);
    };
  }

  close(): void {
    this.#stop?.();
    for (const controller of this.#taken.values()) controller.abort();
  }

  /**
   * Passes an input request to another process, and waits for the response. Returns `undefined` if no process has an
   * active call in the session.
   * @throws TenonError `rpc/error` with the error of the caller, or if the process that took the request has stopped.
   */
  async forward(
    session: string,
    method: string,
    params: JsonObject,
    signal: AbortSignal,
  ): Promise<JsonObject | undefined> {
    const { clock } = this.#options;
    const id = crypto.randomUUID();
    const key = this.#toKey(id);
    await this.#values.put(key, { state: 'received', method, params }, { ttl: LEASE });
    const startedAt = clock.elapsed();
    let hasFault = false;
    const wake = () => this.#waiting.get(id)?.();
    signal.addEventListener('abort', wake);
    try {
      for (;;) {
        const woken = this.#waitForNews(id);
        signal.throwIfAborted();
        // The user may be answering, so a store that does not respond is read again.
        const stored = await this.#values.get(key).catch(error => {
          if (!hasFault) this.#report(error);
          hasFault = true;
          return 'unknown' as const;
        });
        if (stored === undefined) throw rpcError(INTERNAL_ERROR, 'The process that passed on the request has stopped');
        const value = stored === 'unknown' ? undefined : stored.value;
        if (value?.state === 'result') return value.result;
        if (value?.state === 'error') throw rpcError(value.error.code, value.error.message, value.error.data);
        if (stored !== 'unknown' && value?.state === 'received') {
          const isLate = clock.elapsed() - startedAt >= TAKE_TIME;
          if (isLate && (await this.#values.delete(key, stored.version))) return undefined;
          await this.#publish({ kind: 'request', session, id });
        }
        await woken;
      }
    } finally {
      signal.removeEventListener('abort', wake);
      wake();
      this.#waiting.delete(id);
      if (signal.aborted) await this.#publish({ kind: 'cancel', id });
      this.#values.delete(key).catch(this.#report);
    }
  }

  /** Resolves when another process announces news, or after an interval. */
  #waitForNews(id: string): Promise<void> {
    return new Promise(resolve => {
      const cancel = this.#options.clock.after(POLL_INTERVAL, resolve);
      this.#waiting.set(id, () => {
        cancel();
        resolve();
      });
    });
  }

  #receive({ kind, session, id }: JsonObject): void {
    if (kind === 'response') this.#waiting.get(String(id))?.();
    else if (kind === 'cancel') this.#taken.get(String(id))?.abort();
    else {
      const taker = [...(this.#takers.get(String(session)) ?? [])].find(each => each.canAsk);
      if (taker) this.#take(String(id), taker).catch(this.#report);
    }
  }

  /** Takes an input request from the store, unless another process has, and stores the response. */
  async #take(id: string, taker: InputRequestTaker): Promise<void> {
    const { clock } = this.#options;
    const key = this.#toKey(id);
    const stored = await this.#values.get(key);
    if (stored?.value.state !== 'received') return;
    const { method, params } = stored.value;
    let state: StoredInputRequest = { state: 'taken' };
    let version = await this.#values.put(key, state, { version: stored.version, ttl: LEASE });
    if (version === undefined) return;
    const controller = new AbortController();
    this.#taken.set(id, controller);
    // Also stores the response, again if the store does not respond.
    const renewal = runPeriodically({ clock, interval: LEASE / 3, onError: this.#report }, async () => {
      const written = state;
      version = version && (await this.#values.put(key, written, { version, ttl: LEASE }));
      // The process that received the request no longer waits.
      if (version === undefined) controller.abort();
      if (written.state === 'taken' && version !== undefined) return;
      void renewal.stop();
      await this.#publish({ kind: 'response', id });
    });
    state = await taker.ask(method, params, controller).then(
      (result): StoredInputRequest => ({ state: 'result', result }),
      (error): StoredInputRequest => ({ state: 'error', error: toStoredError(toPeerError(error, params)) }),
    );
    this.#taken.delete(id);
    await renewal.runNow();
  }

  async #publish(message: JsonObject): Promise<void> {
    await this.#options.stores.bus.publish(this.#topic, message).catch(this.#report);
  }

  get #topic(): string {
    return `input-request/${this.#options.scope}`;
  }

  #toKey(id: string): string {
    return `${this.#topic}/${id}`;
  }

  readonly #report = (error: unknown): void => this.#options.onError(TenonError.from(error, 'store/failed'));
}

/** Only an error of the caller goes to the server. Others may reveal details of the host. */
function toStoredError(error: unknown): ErrorObject {
  if (!isForPeer(error)) return { code: INTERNAL_ERROR, message: 'Internal error' };
  const { rpcCode: code, message, data } = error;
  return data === undefined ? { code, message } : { code, message, data };
}
