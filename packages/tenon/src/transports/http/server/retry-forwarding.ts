import {
  createUnknownOutcomeError,
  type JsonObject,
  type PeriodicRun,
  rpcError,
  runPeriodically,
  TenonError,
} from '@tenon/base';
import type { JsonRpcNotification, JsonRpcRequest, JsonRpcResponse } from '../../../jsonrpc/message.js';
import type {
  ReceivedRetry,
  RequestIO,
  RetryForwarder,
  RetryForwardingOptions,
} from '../../../protocol/request-handler.js';
import { retryStoreFaults } from '../../../stores/fault-retry.js';

declare const crypto: { randomUUID(): string };

/** Interval at which a process reads the store for messages that the bus has lost, in milliseconds. */
const POLL_INTERVAL = 1000;
/** Time after which a process that does not renew its lease counts as stopped, in milliseconds. */
const LEASE = 10_000;
/** Lifetime of a retry and its replies in the store, in milliseconds. */
const MESSAGE_TTL = 60_000;

/** A retry in the store, until its process takes it. `from` is the process that received it. */
interface StoredRetry {
  readonly from: string;
  readonly request: JsonRpcRequest;
  readonly auth?: RequestIO['auth'];
  readonly address?: string | undefined;
}

/** A message for the client, or the response. */
type StoredReply = { readonly notification: JsonRpcNotification } | { readonly response: JsonRpcResponse };

/**
 * Passes a retry to the process in whose memory its handler waits. The retry and the replies are values in the store,
 * and the bus only announces them.
 */
export class RetryForwarding implements RetryForwarder {
  /** Identifies this process in sealed states. */
  readonly id = crypto.randomUUID();
  readonly #options: RetryForwardingOptions;
  /** Functions that wake the waiting retries of this process, by their IDs. */
  readonly #waiting = new Map<string, () => void>();
  /** Functions that cancel the retries of other processes that run here, by their IDs. */
  readonly #running = new Map<string, () => void>();
  #heldUntil = 0;
  /** The first write of the lease. Undefined while no handler waits or runs here. */
  #leased: Promise<void> | undefined;
  #isListening = false;
  #renewal: PeriodicRun | undefined;

  constructor(options: RetryForwardingOptions) {
    this.#options = options;
  }

  /**
   * Makes the other processes pass retries to this one for some time, in milliseconds, because a handler waits here.
   * Resolves when they know.
   */
  hold(time: number): Promise<void> {
    this.#listen();
    this.#heldUntil = Math.max(this.#heldUntil, this.#options.clock.elapsed() + time);
    this.#leased ??= this.#startRenewal();
    return this.#leased;
  }

  /**
   * Passes a retry to another process, and waits for its result. Returns `undefined` if that process has stopped before
   * it took the retry.
   * @throws TenonError `rpc/error` with the error of the other process, or with an unknown outcome when it stops
   * before it responds.
   */
  async forward(holder: string, { request, io, onCancel }: ReceivedRetry): Promise<JsonObject | undefined> {
    let recoveredAt = Number.NEGATIVE_INFINITY;
    /** Waits out the faults of the store, because the user has responded, and a refused response would be lost. */
    const waitForStore = <R>(attempt: () => Promise<R>): Promise<R> => {
      let hasFault = false;
      const onFault = (error: TenonError) => {
        hasFault = true;
        this.#report(error);
      };
      const { clock } = this.#options;
      return retryStoreFaults(attempt, { clock, onFault }).finally(() => {
        if (hasFault) recoveredAt = clock.elapsed();
      });
    };
    if (!(await waitForStore(() => this.#isRunning(holder)))) return undefined;
    this.#listen();
    const { values } = this.#options.stores;
    const id = crypto.randomUUID();
    const key = this.#toKey('retry-mail', holder, id);
    const { auth, address } = io;
    const mail = { from: this.id, request, auth, address };
    const version = await values.put(key, mail as unknown as JsonObject, { ttl: MESSAGE_TTL });
    const announce = (kind: string) => this.#publish({ kind, to: holder, id });
    onCancel(() => announce('cancel').catch(this.#report));
    // The other process also reads the store for retries whose announcement the bus has lost.
    await announce('retry').catch(this.#report);
    try {
      for (;;) {
        const woken = this.#waitForReply(id);
        // The lease is read first, because the last reply is stored while it is active.
        const isRunning = await waitForStore(() => this.#isRunning(holder));
        const response = await waitForStore(() => this.#readReplies(id, io));
        if (response !== undefined) {
          if ('result' in response) return response.result;
          throw rpcError(response.error.code, response.error.message, response.error.data);
        }
        // During a fault of the store, the other process could not renew its lease.
        if (isRunning || this.#options.clock.elapsed() - recoveredAt < LEASE) await woken;
        else if (await waitForStore(() => values.delete(key, version))) return undefined;
        else
          throw createUnknownOutcomeError(
            'The outcome of the call is unknown, because its process has stopped. It may have taken effect',
          );
      }
    } finally {
      this.#waiting.delete(id);
    }
  }

  /** Sends the stored notifications, and returns the response if it is stored. */
  async #readReplies(id: string, io: ReceivedRetry['io']): Promise<JsonRpcResponse | undefined> {
    const { values } = this.#options.stores;
    for (const { key, value } of await values.list(`${this.#toKey('retry-reply', id)}/`)) {
      await values.delete(key);
      // Only processes of this server write under the prefix.
      const reply = value as unknown as StoredReply;
      if ('response' in reply) return reply.response;
      void io.send(reply.notification);
    }
    return undefined;
  }

  /** Resolves when the other process announces a reply, or after an interval. */
  #waitForReply(id: string): Promise<void> {
    return new Promise(resolve => {
      const cancel = this.#options.clock.after(POLL_INTERVAL, resolve);
      this.#waiting.set(id, () => {
        cancel();
        resolve();
      });
    });
  }

  /** Tells if the lease of a process is active, by the clock of the store. */
  async #isRunning(holder: string): Promise<boolean> {
    return (await this.#options.stores.values.get(this.#toKey('retry-holder', holder))) !== undefined;
  }

  /** Renews the lease while a handler waits or runs here, and takes the retries whose announcement the bus has lost. */
  #startRenewal(): Promise<void> {
    const { stores, clock } = this.#options;
    const renewal = runPeriodically({ clock, interval: LEASE / 3, onError: this.#report }, async () => {
      if (this.#heldUntil <= clock.elapsed() && this.#running.size === 0) {
        this.#leased = undefined;
        return void renewal.stop();
      }
      await stores.values.put(this.#toKey('retry-holder', this.id), {}, { ttl: LEASE });
      const prefix = `${this.#toKey('retry-mail', this.id)}/`;
      for (const { key } of await stores.values.list(prefix)) void this.#take(key.slice(prefix.length));
    });
    this.#renewal = renewal;
    return renewal.runNow();
  }

  /** Receives the messages of other processes. */
  #listen(): void {
    if (this.#isListening) return;
    this.#isListening = true;
    const stop = this.#options.stores.bus.subscribe(this.#toKey('retries'), ({ kind, to, id }) => {
      if (to !== this.id) return;
      if (kind === 'retry') void this.#take(String(id));
      else if (kind === 'reply') this.#waiting.get(String(id))?.();
      else if (kind === 'cancel') this.#running.get(String(id))?.();
    });
    this.#options.onListening(() => {
      stop();
      void this.#renewal?.stop();
      const { values } = this.#options.stores;
      values.delete(this.#toKey('retry-holder', this.id)).catch(this.#report);
    });
  }

  /** Takes a retry from the store and handles it, once. */
  async #take(id: string): Promise<void> {
    const { values } = this.#options.stores;
    const key = this.#toKey('retry-mail', this.id, id);
    try {
      const mail = await values.get(key);
      if (mail === undefined || !(await values.delete(key, mail.version))) return;
      // Only processes of this server write under the key.
      await this.#handle(id, mail.value as unknown as StoredRetry);
    } catch (error) {
      this.#report(error);
    }
  }

  async #handle(id: string, { request, from, auth, address }: StoredRetry): Promise<void> {
    const { stores, clock } = this.#options;
    let count = 0;
    let sent: Promise<unknown> = Promise.resolve();
    const reply = (value: StoredReply): Promise<unknown> => {
      count += 1;
      const key = `${this.#toKey('retry-reply', id)}/${String(count).padStart(9, '0')}`;
      const put = () => stores.values.put(key, value as unknown as JsonObject, { ttl: MESSAGE_TTL });
      sent = sent
        .then(() => retryStoreFaults(put, { clock }))
        .then(() => this.#publish({ kind: 'reply', to: from, id }));
      return sent;
    };
    this.#running.set(id, () => {});
    try {
      const response = await this.#options.answer(request, {
        auth,
        address,
        send: notification => reply({ notification }).then(() => {}),
        onClientClosed: listener => this.#running.set(id, listener),
      });
      await reply({ response });
    } finally {
      this.#running.delete(id);
    }
  }

  #publish(message: JsonObject): Promise<void> {
    return this.#options.stores.bus.publish(this.#toKey('retries'), message);
  }

  #toKey(kind: string, ...rest: string[]): string {
    return [kind, this.#options.stores.scope, ...rest].join('/');
  }

  readonly #report = (error: unknown): void => this.#options.onError(TenonError.from(error, 'store/failed'));
}
