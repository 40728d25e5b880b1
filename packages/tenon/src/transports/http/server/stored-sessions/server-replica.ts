import type { Clock } from '../../../../cancellation/clock.js';
import { isObject, type JsonObject } from '../../../../jsonrpc/message.js';
import type { AuthInfo } from '../../../../jsonrpc/transport.js';
import type { SharedStores } from '../../../../protocol/request-handler.js';
import { createStoredId } from './stored-id.js';

/** Time after which a process that does not renew its lease counts as stopped, in milliseconds. */
const REPLICA_LEASE = 10_000;
/** Time for which a message to another process is kept, in milliseconds. */
const MAIL_TTL = 60_000;
/** Receiver of messages to all processes. */
const EVERYONE = 'all';

/** A message that another process received for a session. */
export interface ForwardedMessage {
  readonly session: string;
  readonly message: unknown;
  readonly auth?: AuthInfo | undefined;
}

export interface ReplicaHandlers {
  /** Another process received a message that this one may wait for. */
  onMessage(forwarded: ForwardedMessage): void;
  /** Another process changed or deleted a session. */
  onSessionChange(session: string): void;
  /** Another process continues a stream. */
  onStreamResumed(session: string, stream: string): void;
  /** Reports an error that no client gets. */
  report(error: unknown): void;
}

/**
 * One process among those that serve the same sessions. It holds a lease, from which the others see that it runs. Messages
 * for another process are values in the store; the bus only says that there is one.
 */
export class ServerReplica {
  readonly id = createStoredId();
  readonly #stores: SharedStores;
  readonly #clock: Clock;
  readonly #handlers: ReplicaHandlers;
  #joined: Promise<void> | undefined;
  #stopListening: (() => void) | undefined;
  #cancelTimer: (() => void) | undefined;
  #lastMail: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(stores: SharedStores, clock: Clock, handlers: ReplicaHandlers) {
    this.#stores = stores;
    this.#clock = clock;
    this.#handlers = handlers;
  }

  /** Takes the lease and listens to the others, unless this has been done. */
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
    this.#scheduleRenewal();
  }

  /** Tells if a process holds its lease, by the clock of the store. */
  async isRunning(replica: string): Promise<boolean> {
    return replica === this.id || (await this.#stores.values.get(this.#toLeaseKey(replica))) !== undefined;
  }

  /** Passes a message of a client to the process that waits for it; without one, to all. */
  async forward(forwarded: ForwardedMessage, replica: string = EVERYONE): Promise<void> {
    const key = `${this.#toMailPrefix(replica)}${createStoredId()}${createStoredId()}`;
    const { session, message, auth } = forwarded;
    await this.#stores.values.put(key, { session, message, ...(auth && { auth }) }, { ttl: MAIL_TTL });
    await this.#stores.bus.publish(this.#topic, { from: this.id, kind: 'mail', to: replica, session, key });
  }

  /** Tells the other processes to read a session again. */
  announceChange(session: string): Promise<void> {
    return this.#stores.bus.publish(this.#topic, { from: this.id, kind: 'changed', session });
  }

  /** Tells the process that writes a stream that its client has another connection. */
  announceResumption(session: string, stream: string): Promise<void> {
    return this.#stores.bus.publish(this.#topic, { from: this.id, kind: 'resumed', session, stream });
  }

  /** Gives up the lease. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#cancelTimer?.();
    this.#stopListening?.();
    if (this.#joined !== undefined) await this.#stores.values.delete(this.#toLeaseKey(this.id)).catch(() => {});
  }

  get #topic(): string {
    return `sessions/${this.#stores.scope}`;
  }

  #toLeaseKey(replica: string): string {
    return `replica/${this.#stores.scope}/${replica}`;
  }

  #toMailPrefix(replica: string): string {
    return `mail/${this.#stores.scope}/${replica}/`;
  }

  async #renew(): Promise<void> {
    await this.#stores.values.put(this.#toLeaseKey(this.id), {}, { ttl: REPLICA_LEASE });
  }

  #scheduleRenewal(): void {
    if (this.#isClosed) return;
    this.#cancelTimer = this.#clock.after(REPLICA_LEASE / 3, () => {
      // The bus may have lost messages: they are found here.
      Promise.all([this.#renew(), this.#readMissedMail(this.id), this.#readMissedMail(EVERYONE)])
        .catch(error => this.#isClosed || this.#handlers.report(error))
        .finally(() => this.#scheduleRenewal());
    });
  }

  async #readMissedMail(replica: string): Promise<void> {
    for (const { key } of await this.#stores.values.list(this.#toMailPrefix(replica), { limit: 100 }))
      this.#takeMail(key, replica);
  }

  #receive({ from, kind, session, ...rest }: JsonObject): void {
    if (from === this.id || typeof session !== 'string') return;
    if (kind === 'changed') this.#handlers.onSessionChange(session);
    else if (kind === 'resumed') this.#handlers.onStreamResumed(session, String(rest.stream));
    else if (kind === 'mail' && (rest.to === this.id || rest.to === EVERYONE))
      this.#takeMail(String(rest.key), rest.to);
  }

  /** Handles the message with this key once, after those that came before. What all get stays for the others. */
  #takeMail(key: string, to: string): void {
    if (!key.startsWith(this.#toMailPrefix(to))) return;
    const taken = this.#stores.values.get(key).then(async stored => {
      const isOwn = to === EVERYONE || (stored && (await this.#stores.values.delete(key, stored.version)));
      return isOwn ? stored?.value : undefined;
    });
    const handle = async () => {
      const value = await taken;
      if (value === undefined || typeof value.session !== 'string') return;
      // Only processes of this server write under this key.
      const auth = isObject(value.auth) ? (value.auth as JsonObject & AuthInfo) : undefined;
      this.#handlers.onMessage({ session: value.session, message: value.message, auth });
    };
    this.#lastMail = this.#lastMail.then(handle).catch(error => this.#handlers.report(error));
  }
}
