import { type AuthInfo, type Clock, isObject, type JsonObject, type PeriodicRun, runPeriodically } from '@tenon/base';
import type { SharedStores } from '../../../../protocol/request-handler.js';
import { createStoredId } from './stored-id.js';

/** Time after which a process that does not renew its lease counts as stopped, in milliseconds. */
const REPLICA_LEASE = 10_000;
/** Lifetime of a message to another process, in milliseconds. */
const MAIL_TTL = 60_000;
/** Number of handled messages whose keys are kept. */
const MAX_HANDLED = 10_000;
/** Receiver of messages for all processes. */
const EVERYONE = 'all';

/** A message that another process received for a session. */
export interface ForwardedMessage {
  readonly session: string;
  readonly message: unknown;
  readonly auth?: AuthInfo | undefined;
}

export interface ReplicaHandlers {
  /** Called when another process received a message that this process may wait for. */
  onMessage(forwarded: ForwardedMessage): void;
  /** Called when another process changed or deleted a session. */
  onSessionChange(session: string): void;
  /** Called when another process continues a stream that this process began. */
  onStreamResumed(session: string, stream: string): void;
  /** Reports an error that no client gets. */
  report(error: unknown): void;
}

/**
 * One of several processes that handle the same sessions. It has a lease, by which the other processes know that it
 * runs. Messages for another process are values in the store, and the bus only announces them.
 */
export class ServerReplica {
  readonly id = createStoredId();
  readonly #stores: SharedStores;
  readonly #clock: Clock;
  readonly #handlers: ReplicaHandlers;
  #joined: Promise<void> | undefined;
  #stopListening: (() => void) | undefined;
  #renewal: PeriodicRun | undefined;
  #lastMail: Promise<unknown> = Promise.resolve();
  /** Keys of the last messages that this process has handled. They may still be in the store. */
  readonly #handledMail = new Set<string>();
  #isClosed = false;

  constructor(stores: SharedStores, clock: Clock, handlers: ReplicaHandlers) {
    this.#stores = stores;
    this.#clock = clock;
    this.#handlers = handlers;
  }

  /** Acquires the lease and subscribes to messages of the other processes, unless already done. */
  join(): Promise<void> {
    this.#joined ??= this.#join().catch(error => {
      this.#joined = undefined;
      throw error;
    });
    return this.#joined;
  }

  async #join(): Promise<void> {
    this.#stopListening ??= this.#stores.bus.subscribe(this.#topic, message => this.#receive(message));
    await this.#renew();
    if (this.#isClosed) return;
    const options = { clock: this.#clock, interval: REPLICA_LEASE / 3, onError: this.#handlers.report };
    this.#renewal = runPeriodically(options, async () => {
      // Reading the store finds messages that the bus has lost.
      await Promise.all([this.#renew(), this.#readMissedMail(this.id), this.#readMissedMail(EVERYONE)]);
    });
  }

  /** Tells if the lease of a process is active, by the clock of the store. */
  async isRunning(replica: string): Promise<boolean> {
    return replica === this.id || (await this.#findLease(replica)) !== undefined;
  }

  /** Tells if a process renews its lease. The lease of one that was killed is active for a while. */
  async isRenewing(replica: string): Promise<boolean> {
    const version = await this.#findLease(replica);
    if (version === undefined) return false;
    await new Promise<void>(resolve => this.#clock.after(REPLICA_LEASE / 2, resolve));
    return ((await this.#findLease(replica)) ?? version) !== version;
  }

  /** Passes a message of a client to the process that waits for it. Without `replica`, all processes get it. */
  async forward(forwarded: ForwardedMessage, replica: string = EVERYONE): Promise<void> {
    const key = this.#toKey('mail', replica, createStoredId() + createStoredId());
    const { session, message, auth } = forwarded;
    await this.#stores.values.put(key, { session, message, ...(auth && { auth }) }, { ttl: MAIL_TTL });
    await this.#publish({ kind: 'mail', to: replica, session, key });
  }

  /** Notifies the other processes that they must read a session again. */
  announceChange(session: string): Promise<void> {
    return this.#publish({ kind: 'changed', session });
  }

  /** Notifies the process that writes a stream that its client has another connection. */
  async announceResumption(session: string, stream: string, writer: string): Promise<void> {
    if (writer !== this.id) await this.#publish({ kind: 'resumed', to: writer, session, stream });
  }

  #publish(message: JsonObject): Promise<void> {
    return this.#stores.bus.publish(this.#topic, { from: this.id, ...message });
  }

  /** Releases the lease. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    void this.#renewal?.stop();
    this.#stopListening?.();
    if (this.#joined !== undefined) await this.#stores.values.delete(this.#toKey('replica', this.id)).catch(() => {});
  }

  get #topic(): string {
    return `sessions/${this.#stores.scope}`;
  }

  #toKey(kind: string, ...rest: string[]): string {
    return [kind, this.#stores.scope, ...rest].join('/');
  }

  /** Returns the version of the lease of a process, if it is active by the clock of the store. */
  async #findLease(replica: string): Promise<number | undefined> {
    return (await this.#stores.values.get(this.#toKey('replica', replica)))?.version;
  }

  async #renew(): Promise<void> {
    await this.#stores.values.put(this.#toKey('replica', this.id), {}, { ttl: REPLICA_LEASE });
  }

  async #readMissedMail(replica: string): Promise<void> {
    for (const { key } of await this.#stores.values.list(this.#toKey('mail', replica, ''), { limit: 100 }))
      this.#takeMail(key, replica);
  }

  #receive({ from, kind, session, ...rest }: JsonObject): void {
    if (from === this.id || typeof session !== 'string') return;
    if (kind === 'changed') this.#handlers.onSessionChange(session);
    else if (rest.to !== this.id && rest.to !== EVERYONE) return;
    else if (kind === 'resumed') this.#handlers.onStreamResumed(session, String(rest.stream));
    else if (kind === 'mail') this.#takeMail(String(rest.key), rest.to);
  }

  /**
   * Handles the message with this key once, after earlier messages, and deletes it. One for all processes stays in the
   * store until it expires.
   */
  #takeMail(key: string, to: string): void {
    if (!key.startsWith(this.#toKey('mail', to, '')) || this.#handledMail.has(key)) return;
    const [oldest = ''] = this.#handledMail.add(key);
    if (this.#handledMail.size > MAX_HANDLED) this.#handledMail.delete(oldest);
    const reading = this.#stores.values.get(key);
    const handle = async () => {
      const value = (await reading)?.value;
      if (value === undefined || typeof value.session !== 'string') return;
      // Only processes of this server write under this key.
      const auth = isObject(value.auth) ? (value.auth as JsonObject & AuthInfo) : undefined;
      this.#handlers.onMessage({ session: value.session, message: value.message, auth });
    };
    reading
      .then(
        () => (to === EVERYONE ? undefined : this.#stores.values.delete(key)),
        // It is read again later.
        () => this.#handledMail.delete(key),
      )
      .catch(this.#handlers.report);
    this.#lastMail = this.#lastMail.then(handle).catch(this.#handlers.report);
  }
}
