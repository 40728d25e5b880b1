import { TenonError } from '../jsonrpc/error.js';
import type { PausingClock } from './allowance.js';
import type { LinkEvents } from './connection-events.js';
import type { Emitter } from './emitter.js';
import type { Endpoint } from './endpoint.js';
import type { Link } from './link.js';
import { openLink } from './opening.js';
import type { ClientOptions, State } from './options.js';

/**
 * Keeps one link open: when it ends, the next call opens another, once for all that wait. A client that was closed
 * stays closed.
 */
export class Lifeline {
  readonly #endpoint: Endpoint;
  readonly #options: ClientOptions;
  readonly #emitter: Emitter;
  readonly #events: LinkEvents;
  readonly #clock: PausingClock;
  #link: Link | undefined;
  readonly #retired = new Set<Link>();
  readonly #leaving = new Set<Promise<void>>();
  #opening: Promise<Link> | undefined;
  #state: State = 'connecting';
  #signedIn: () => void = () => {};

  constructor(
    endpoint: Endpoint,
    options: ClientOptions,
    emitter: Emitter,
    events: Pick<LinkEvents, 'notification' | 'problem'>,
    clock: PausingClock,
  ) {
    this.#endpoint = endpoint;
    this.#options = options;
    this.#emitter = emitter;
    this.#clock = clock;
    this.#events = {
      ...events,
      closed: (link, error) => this.#ended(link, error),
      onSessionLost: link => this.#retire(link),
    };
    endpoint.onSigningIn?.(begins => (begins ? this.#signingIn() : this.#signedIn()));
  }

  get state(): State {
    return this.#state;
  }

  /** The link that is or was last open. */
  get last(): Link {
    if (this.#link) return this.#link;
    throw new TenonError('connection/not-open', 'the connection is not open yet');
  }

  /** The link, while it is open. */
  get open(): Link | undefined {
    return this.#state === 'closed' || this.#link?.ended || this.#link?.verifying ? undefined : this.#link;
  }

  /** The open link, or a new one. */
  async link(): Promise<Link> {
    if (this.#state === 'closed')
      throw new TenonError('connection/closed', 'the client is closed', { next: 'connect again' });
    // A call that is sent to a server that no longer responds would be lost with it.
    await this.#link?.verifying;
    if (this.open) return this.open;
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  async close(): Promise<void> {
    if (this.#state === 'closed') return;
    this.#become('closed');
    await this.#opening?.catch(() => {});
    await Promise.all([this.#link, ...this.#retired].map(link => link?.close()));
    await Promise.all(this.#leaving);
  }

  async #open(): Promise<Link> {
    this.#become(this.#link ? 'reconnecting' : 'connecting');
    try {
      const link = await openLink(this.#endpoint, this.#options, this.#events, this.#clock);
      if (this.#state === ('closed' as State)) {
        await link.close();
        throw new TenonError('connection/closed', 'the client was closed while it connected');
      }
      this.#link = link;
      if (link.sessionError) this.#retire(link);
      else this.#become(link.ended ? 'reconnecting' : 'connected');
      return link;
    } catch (error) {
      if (this.#state !== ('closed' as State)) this.#become('failed');
      throw error;
    }
  }

  /** While the user signs in, no patience runs out. */
  #signingIn(): void {
    if (this.#state === 'closed') return;
    const before = this.#state;
    const goOn = this.#clock.hold();
    this.#signedIn = () => {
      this.#signedIn = () => {};
      goOn();
      if (this.#state === 'signing-in') this.#become(before);
    };
    this.#become('signing-in');
  }

  #ended(link: Link, error: TenonError | undefined): void {
    if (this.#link !== link || this.#state === 'closed') return;
    if (error) this.#emitter.emit('problem', error);
    this.#letGo(link.close());
    this.#become('reconnecting');
    // Nobody else would notice that changes are no longer announced.
    if (error?.code === 'connection/unresponsive') void this.link().catch(() => {});
  }

  /** Waits for what is left of a link when the client is closed. */
  #letGo(gone: Promise<void>): void {
    const leaving = gone.catch(() => {}).finally(() => this.#leaving.delete(leaving));
    this.#leaving.add(leaving);
  }

  /** The server no longer knows the session: calls on their way may still be answered, the next one opens another link. */
  #retire(link: Link): void {
    if (this.#link !== link || this.#state === 'closed') return;
    this.#retired.add(link);
    this.#letGo(link.retire().finally(() => this.#retired.delete(link)));
    this.#become('reconnecting');
  }

  #become(state: State): void {
    if (this.#state === state) return;
    this.#state = state;
    this.#emitter.emit('state', state);
  }
}
