import { isAuthError, LazyAbortSignal, TenonError } from '@tenon/base';
import type { PausableClock } from '../calls/call-deadline.js';
import type { ClientEmitter } from '../emitter.js';
import type { ClientOptions, ConnectionState } from '../options.js';
import { Connection, type ConnectionEvents } from './connection.js';
import { openEndpoint, type ServerEndpoint } from './endpoint.js';
import { getRefusalTimeout, repeatWhileRefused } from './refusal-wait.js';
import { negotiateConnection } from './version-negotiator.js';

/**
 * Keeps one connection open. When the connection ends, the next call opens another one, which all waiting calls share.
 * A closed client stays closed.
 */
export class ConnectionManager {
  readonly #endpoint: ServerEndpoint;
  readonly #options: ClientOptions;
  readonly #emitter: ClientEmitter;
  readonly #events: ConnectionEvents;
  readonly #clock: PausableClock;
  #connection: Connection | undefined;
  /** The connection that was created last. It may still be negotiating its version. */
  #created: Connection | undefined;
  readonly #retired = new Set<Connection>();
  readonly #closing = new Set<Promise<void>>();
  #opening: Promise<Connection> | undefined;
  #state: ConnectionState = 'connecting';
  #finishSignIn: () => void = () => {};
  #closed: Promise<void> | undefined;
  /** Ends the wait for a server that refuses connections for now. */
  readonly #ending = new LazyAbortSignal();

  constructor(
    endpoint: ServerEndpoint,
    options: ClientOptions,
    emitter: ClientEmitter,
    events: Pick<ConnectionEvents, 'onNotification' | 'onError'>,
    clock: PausableClock,
  ) {
    this.#endpoint = endpoint;
    this.#options = options;
    this.#emitter = emitter;
    this.#clock = clock;
    this.#events = {
      ...events,
      onCreated: connection => {
        this.#created = connection;
        this.#checkOpen();
      },
      onClose: (connection, error) => this.#onConnectionClosed(connection, error),
      onSessionLost: connection => this.#retire(connection),
    };
    endpoint.onSigningIn?.(isSigningIn => (isSigningIn ? this.#startSignIn() : this.#finishSignIn()));
  }

  get state(): ConnectionState {
    return this.#state;
  }

  /** The current connection, or the last one if none is open. */
  get lastConnection(): Connection {
    if (this.#connection) return this.#connection;
    throw new TenonError('connection/not-open', 'the connection is not open yet', {
      hint: 'await `connect` before the first call',
    });
  }

  /** The current connection. Undefined if none is open. */
  get openConnection(): Connection | undefined {
    return this.#state === 'closed' || this.#connection?.ended || this.#connection?.verification
      ? undefined
      : this.#connection;
  }

  /** Returns the current connection, or opens a new one. */
  async getConnection(): Promise<Connection> {
    this.#checkOpen();
    // A call to a server that no longer responds would be lost.
    await this.#connection?.verification;
    if (this.openConnection) return this.openConnection;
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  #checkOpen(): void {
    if (this.#state === 'closed')
      throw new TenonError('connection/closed', 'the client is closed', { hint: 'call `connect` again' });
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#setState('closed');
    this.#ending.abort();
    // Otherwise closing would wait for a server that does not answer.
    if (this.#opening) await this.#created?.close();
    await this.#opening?.catch(() => {});
    await Promise.all([this.#connection, ...this.#retired].map(connection => connection?.close()));
    await Promise.all(this.#closing);
  }

  async #open(): Promise<Connection> {
    this.#setState(this.#connection ? 'reconnecting' : 'connecting');
    try {
      const connection = await this.#openWhenAccepted();
      if (this.#state === ('closed' as ConnectionState)) await connection.close();
      this.#checkOpen();
      this.#connection = connection;
      if (connection.sessionError) this.#retire(connection);
      else this.#setState(connection.ended ? 'reconnecting' : 'connected');
      return connection;
    } catch (error) {
      if (this.#state !== ('closed' as ConnectionState)) this.#setState('failed');
      throw error;
    }
  }

  /** Opens a connection, and again each time that the server has asked to wait, within the time for one response. */
  #openWhenAccepted(): Promise<Connection> {
    const { getOpenSignal, openTimeout, idleTimeout, totalTimeout } = this.#options;
    // All attempts have one signal, so that its timeout counts from the first.
    let signal: AbortSignal | undefined;
    const options = getOpenSignal && {
      ...this.#options,
      getOpenSignal: (hasProgress: () => boolean) => {
        signal ??= getOpenSignal(hasProgress);
        return signal;
      },
    };
    const open = () => this.#openOnce(options ?? this.#options);
    const until = this.#clock.elapsed() + (openTimeout ?? getRefusalTimeout(idleTimeout, totalTimeout));
    return open().catch(error =>
      repeatWhileRefused(error, open, {
        clock: this.#clock,
        until,
        signals: [this.#ending, signal],
        // A connection attempt sends a refresh token once.
        mayRepeat: refusal => !isAuthError(refusal),
      }),
    );
  }

  /** Opens a connection to the server. It continues the session of other processes, if there is one. */
  async #openOnce(options: ClientOptions): Promise<Connection> {
    this.#checkOpen();
    const endpoint = this.#endpoint;
    const events = this.#events;
    const clock = this.#clock;
    const { sharedSession } = options;
    const negotiate = () => negotiateConnection(endpoint, options, events, clock);
    if (sharedSession === undefined || endpoint.kind !== 'http') return negotiate();
    return sharedSession.openConnection(negotiate, async continued => {
      const connection = new Connection(endpoint, await openEndpoint(endpoint), options, events, clock, continued);
      await connection.open();
      return connection;
    });
  }

  /** Pauses all timeouts while the user signs in. */
  #startSignIn(): void {
    if (this.#state === 'closed') return;
    const previous = this.#state;
    const resume = this.#clock.pause();
    this.#finishSignIn = () => {
      this.#finishSignIn = () => {};
      resume();
      if (this.#state === 'signing-in') this.#setState(previous);
    };
    this.#setState('signing-in');
  }

  #onConnectionClosed(connection: Connection, error: TenonError | undefined): void {
    if (this.#connection !== connection || this.#state === 'closed') return;
    if (error) this.#emitter.emit('error', error);
    this.#trackClosing(connection.close());
    this.#setState('reconnecting');
    // Reconnect now, because otherwise the change notifications would stop unnoticed.
    if (error?.code === 'connection/unresponsive') void this.getConnection().catch(() => {});
  }

  /** Tracks a closing connection, so that closing the client waits for it. */
  #trackClosing(closed: Promise<void>): void {
    const closing = closed.catch(() => {}).finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }

  /**
   * Replaces a connection whose session the server no longer knows. Calls in progress may still get their responses.
   */
  #retire(connection: Connection): void {
    if (this.#connection !== connection || this.#state === 'closed') return;
    this.#retired.add(connection);
    this.#trackClosing(connection.retire().finally(() => this.#retired.delete(connection)));
    this.#setState('reconnecting');
  }

  #setState(state: ConnectionState): void {
    if (this.#state === state) return;
    this.#state = state;
    this.#emitter.emit('state', state);
  }
}
