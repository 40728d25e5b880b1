import { DEFAULT_INTERVAL, type KeepAliveOptions, unresponsiveError } from '../conversation/keep-alive.js';
import type { PingOptions } from '../conversation/service.js';
import type { Dialect } from '../dialects/dialect.js';
import type { Clock } from '../jsonrpc/clock.js';
import { TenonError } from '../jsonrpc/error.js';
import type { Peer } from '../jsonrpc/peer.js';

const TIMEOUT = 5_000;

/** Pings the client of a session. A ping that is not answered in time ends the connection. */
export async function pingClient(peer: Peer, dialect: Dialect | undefined, options: PingOptions = {}): Promise<void> {
  const { timeout = TIMEOUT, signal } = options;
  if (dialect === undefined)
    throw new TenonError('connection/not-open', 'the client has opened no session', {
      peer: peer.peer,
      method: 'ping',
      next: 'wait for `initialize`; a client of requests that stand alone has no session and cannot be pinged',
    });
  try {
    await peer.call('ping', undefined, { idleTimeout: timeout, signal });
  } catch (error) {
    if (TenonError.is(error) && error.code === 'call/timeout') void peer.channel.close();
    throw error;
  }
}

/** Pings the silent clients of all sessions by one timer: many sessions idle, and a timer for each would cost more than the session. */
export class SessionPings {
  readonly #clock: Clock;
  readonly #options: KeepAliveOptions | false | undefined;
  readonly #problem: (error: TenonError) => void;
  readonly #peers = new Set<Peer>();
  readonly #pinging = new Set<Peer>();
  #cancelTimer: (() => void) | undefined;

  constructor(clock: Clock, options: KeepAliveOptions | false | undefined, problem: (error: TenonError) => void) {
    this.#clock = clock;
    this.#options = options;
    this.#problem = problem;
  }

  /** Watches a client; by default only where a stream over a network is open between calls. */
  add(peer: Peer): void {
    if (this.#options === false || (this.#options === undefined && peer.channel.listening === undefined)) return;
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
    const isSilent = !peer.takeSign();
    // A client that waits for an answer notices a broken link itself, so it is not pinged.
    const isLongLived = peer.channel.listening !== false && peer.inFlight === 0;
    if (isSilent && isLongLived && !this.#pinging.has(peer)) void this.#ping(peer);
  }

  async #ping(peer: Peer): Promise<void> {
    const { timeout = TIMEOUT } = this.#options || {};
    this.#pinging.add(peer);
    try {
      await peer.call('ping', undefined, { idleTimeout: timeout });
    } catch (error) {
      // Any other failure is an answer, or one that the connection sees to itself.
      if (!this.#peers.has(peer) || !TenonError.is(error) || error.code !== 'call/timeout') return;
      this.#problem(unresponsiveError(peer.peer, timeout));
      void peer.channel.close();
    } finally {
      this.#pinging.delete(peer);
    }
  }
}
