import { type Clock, requireKnownOptions, TenonError } from '@tenon/base';
import { createUnresponsiveError, DEFAULT_INTERVAL, type KeepAliveOptions } from '../../jsonrpc/keep-alive.js';
import type { Id } from '../../jsonrpc/message.js';
import type { Peer } from '../../jsonrpc/peer.js';
import type { PingOptions } from '../../protocol/request-handler.js';
import type { Dialect } from '../../protocol/versions/dialect.js';

const PING_TIMEOUT = 5_000;

/** Options of the pings of a server. */
export interface ServerKeepAliveOptions extends KeepAliveOptions {
  /**
   * True to end a session over Streamable HTTP whose client does not answer a ping. Otherwise its streams end and its open
   * requests fail, and the client can use the session until `limits.sessionIdleTimeout`. It is the first to be ended when
   * the limit of sessions is reached.
   * @default false
   */
  readonly endSession?: boolean | undefined;
}

/**
 * Pings the client of a session. If no response arrives in time, its streams end and its requests fail. Without a session
 * that outlives a connection, the connection is closed.
 */
export async function pingClient(
  peer: Peer,
  dialect: Dialect | undefined,
  options: PingOptions & Pick<ServerKeepAliveOptions, 'endSession'> = {},
  relatedTo?: Id,
): Promise<void> {
  requireKnownOptions('ping', options, { timeout: true, signal: true, endSession: true });
  if (dialect === undefined)
    throw new TenonError('connection/not-open', 'the client has no open session', {
      peer: peer.peer,
      method: 'ping',
      hint: 'wait for `initialize`',
    });
  // The ping would wait for a stream, and the session would end although the client may respond.
  if (relatedTo === undefined && peer.transport.hasOpenStream === false)
    throw new TenonError('connection/not-open', 'cannot send a ping to the client without an open stream', {
      peer: peer.peer,
      method: 'ping',
      hint: 'send the ping during a request of the client',
    });
  await sendPing(peer, options, relatedTo);
}

/** Sends a ping. If no response arrives in time, it calls `onTimeout` and ends the requests or the connection. */
async function sendPing(
  peer: Peer,
  { timeout = PING_TIMEOUT, signal, endSession = false }: PingOptions & Pick<ServerKeepAliveOptions, 'endSession'>,
  relatedTo?: Id,
  onTimeout?: () => void,
): Promise<void> {
  try {
    await peer.call('ping', undefined, { idleTimeout: timeout, signal, send: { relatedTo } });
  } catch (error) {
    if (TenonError.is(error) && error.code === 'call/timeout') {
      onTimeout?.();
      if (peer.transport.endRequests && !endSession) {
        peer.transport.endRequests();
        peer.failRequests(createUnresponsiveError(peer.peer, timeout));
      } else if (peer.transport.endStreams) {
        // A shared session continues, because the client may reach another process although this one is cut off.
        peer.transport.endStreams();
      } else void peer.close();
    }
    throw error;
  }
}

/** Creates the error for a ping to a client without a session. */
export function createNoPingError({ protocolVersion, sessionMethods }: Dialect): TenonError {
  const isSessionless = sessionMethods !== undefined;
  return new TenonError(
    'client/no-session',
    isSessionless
      ? 'the server runs without sessions'
      : `protocol version ${protocolVersion} has no ping from the server`,
    {
      method: 'ping',
      expected: 'a request in a session',
      received: 'a stateless request',
      hint: isSessionless
        ? 'enable sessions if the server must detect disconnected clients'
        : 'report progress instead, because a disconnected client aborts `ctx.signal`',
    },
  );
}

/**
 * Pings the silent clients of all sessions with one timer. Many sessions are idle, and a timer for each would need more
 * memory than the session.
 */
export class SessionPings {
  readonly #clock: Clock;
  readonly #options: ServerKeepAliveOptions | false | undefined;
  readonly #onError: (error: TenonError) => void;
  readonly #peers = new Set<Peer>();
  readonly #pinging = new Set<Peer>();
  #cancelTimer: (() => void) | undefined;

  constructor(clock: Clock, options: ServerKeepAliveOptions | false | undefined, onError: (error: TenonError) => void) {
    this.#clock = clock;
    this.#options = options;
    this.#onError = onError;
  }

  /** Watches a client. By default, only clients with an open network stream between calls are watched. */
  add(peer: Peer): void {
    if (this.#options === false || (this.#options === undefined && peer.transport.hasOpenStream === undefined)) return;
    this.#peers.add(peer);
    this.#startTimer();
  }

  remove(peer: Peer): void {
    this.#peers.delete(peer);
    if (this.#peers.size > 0) return;
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }

  #startTimer(): void {
    const { interval = DEFAULT_INTERVAL } = this.#options || {};
    if (this.#cancelTimer || interval === Number.POSITIVE_INFINITY) return;
    this.#cancelTimer = this.#clock.after(interval, () => {
      this.#cancelTimer = undefined;
      for (const peer of [...this.#peers]) this.#check(peer);
      if (this.#peers.size > 0) this.#startTimer();
    });
  }

  #check(peer: Peer): void {
    const isSilent = !peer.takeActivity();
    // A client that waits for a response detects a broken connection itself, so it is not pinged.
    const isLongLived = peer.transport.hasOpenStream !== false && peer.inFlight === 0;
    if (isSilent && isLongLived && !this.#pinging.has(peer)) void this.#ping(peer);
  }

  async #ping(peer: Peer): Promise<void> {
    const { timeout = PING_TIMEOUT, endSession } = this.#options || {};
    this.#pinging.add(peer);
    const report = () => this.#peers.has(peer) && this.#onError(createUnresponsiveError(peer.peer, timeout));
    // Any other error shows that the client responds, or the connection handles it.
    await sendPing(peer, { timeout, endSession }, undefined, report).catch(() => {});
    this.#pinging.delete(peer);
  }
}
