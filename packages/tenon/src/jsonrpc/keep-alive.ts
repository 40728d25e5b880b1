import type { Clock } from '../cancellation/clock.js';
import { TenonError } from './error.js';

/** Pings that check if the peer still responds. */
export interface KeepAliveOptions {
  /**
   * Time without a message from the peer before it is pinged, in milliseconds. Default 30,000. `Infinity` sends no
   * pings.
   */
  readonly interval?: number | undefined;
  /** Time that the answer to a ping may take before the connection is ended, in milliseconds. Default 5,000. */
  readonly timeout?: number | undefined;
}

/** In milliseconds. */
export const DEFAULT_INTERVAL = 30_000;
/** Intervals without a byte after which a stream counts as dead. */
export const SILENT_INTERVALS = 3;
const DEFAULT_TIMEOUT = 5_000;

/** A connection whose peer is monitored. */
export interface WatchedConnection {
  /** Name of the peer in errors. */
  readonly peer: string;
  /** Tells if a message came since the last call of this function. */
  takeActivity(): boolean;
  /** Tells if there is a stream that could break unnoticed. */
  isLongLived(): boolean;
  /** Counts one interval of the streams that may be broken although the peer answers pings. */
  checkStreams?(): void;
  /** Sends a ping. Rejects with `call/timeout` when no answer comes in time. */
  ping(timeout: number): Promise<unknown>;
  /** Ends the connection, because the peer no longer responds. */
  fail(error: TenonError): void;
}

/** Pings the peer of one connection when it is silent, or when there is reason to doubt it. */
export class KeepAlive {
  readonly #clock: Clock;
  readonly #interval: number;
  readonly #timeout: number;
  readonly #connection: WatchedConnection;
  #verification: Promise<void> | undefined;
  #cancelTimer: (() => void) | undefined;
  #stopped = false;

  constructor(clock: Clock, options: KeepAliveOptions, connection: WatchedConnection) {
    this.#clock = clock;
    this.#interval = options.interval ?? DEFAULT_INTERVAL;
    this.#timeout = options.timeout ?? DEFAULT_TIMEOUT;
    this.#connection = connection;
  }

  /** Settled when it is known if the peer responds. Undefined while there is no doubt. Does not reject. */
  get verification(): Promise<void> | undefined {
    return this.#verification;
  }

  start(): void {
    if (this.#stopped || this.#cancelTimer || this.#interval === Number.POSITIVE_INFINITY) return;
    this.#cancelTimer = this.#clock.after(this.#interval, () => this.#checkActivity());
  }

  stop(): void {
    this.#stopped = true;
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }

  /** Sends one ping for all concurrent callers, and ends the connection when no answer comes. */
  verify(): Promise<void> {
    this.#verification ??= this.#ping().finally(() => {
      this.#verification = undefined;
    });
    return this.#verification;
  }

  #checkActivity(): void {
    this.#cancelTimer = undefined;
    this.#connection.checkStreams?.();
    const silent = !this.#connection.takeActivity();
    if (silent && this.#connection.isLongLived()) void this.verify().then(() => this.start());
    else this.start();
  }

  async #ping(): Promise<void> {
    try {
      await this.#connection.ping(this.#timeout);
    } catch (error) {
      // Any other failure is an answer, or one that the connection sees to itself.
      if (this.#stopped || !TenonError.is(error) || error.code !== 'call/timeout') return;
      this.#connection.fail(createUnresponsiveError(this.#connection.peer, this.#timeout));
    }
  }
}

/** Creates the error of a connection whose peer does not answer pings. */
export function createUnresponsiveError(peer: string, timeout?: number): TenonError {
  const time = timeout === undefined ? 'in time' : `within ${timeout} ms`;
  return new TenonError('connection/unresponsive', `the peer did not answer a ping ${time}`, {
    peer,
    hint: 'raise `keepAlive.timeout` if the peer can be busy for that long',
  });
}
