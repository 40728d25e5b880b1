import { type Clock, TenonError } from '@tenon/base';

/** Options of the pings that check if the peer still responds. */
export interface KeepAliveOptions {
  /**
   * Time without a message from the peer after which it is pinged, in milliseconds. `Infinity` sends no pings.
   * @default 30,000
   */
  readonly interval?: number | undefined;
  /**
   * Maximum time to wait for the response to a ping, in milliseconds. After it the connection is closed.
   * @default 5,000
   */
  readonly timeout?: number | undefined;
}

/** Default interval between pings, in milliseconds. */
export const DEFAULT_INTERVAL = 30_000;
/** Number of intervals without a byte after which a stream counts as broken. */
export const SILENT_INTERVALS = 3;
const DEFAULT_TIMEOUT = 5_000;

/** A connection whose peer is pinged. */
export interface WatchedConnection {
  /** Name of the peer in errors. */
  readonly peer: string;
  /** Tells if a message arrived since the last call of this function. */
  takeActivity(): boolean;
  /** Tells if the connection has a stream that could break unnoticed. */
  isLongLived(): boolean;
  /** Counts one interval for streams that may be broken although the peer responds to pings. */
  checkStreams?(): void;
  /** Sends a ping. Rejects with `call/timeout` when no response arrives in time. */
  ping(timeout: number): Promise<unknown>;
  /** Ends the connection, because the peer no longer responds. */
  fail(error: TenonError): void;
}

/** Pings the peer of one connection when it sends nothing, or when the connection may be broken. */
export class KeepAlive {
  readonly #clock: Clock;
  readonly #interval: number;
  readonly #timeout: number;
  readonly #connection: WatchedConnection;
  /** Resolves when the result of the ping in progress is known. Undefined if no ping is in progress. Never rejects. */
  verification: Promise<void> | undefined;
  #cancelTimer: (() => void) | undefined;
  #stopped = false;

  constructor(clock: Clock, options: KeepAliveOptions, connection: WatchedConnection) {
    this.#clock = clock;
    this.#interval = options.interval ?? DEFAULT_INTERVAL;
    this.#timeout = options.timeout ?? DEFAULT_TIMEOUT;
    this.#connection = connection;
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

  /** Sends one ping for all concurrent callers. Closes the connection when no response arrives. */
  verify(): Promise<void> {
    this.verification ??= this.#ping().finally(() => {
      this.verification = undefined;
    });
    return this.verification;
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
      // Any other error shows that the peer responds, or the connection handles it.
      if (this.#stopped || !TenonError.is(error) || error.code !== 'call/timeout') return;
      this.#connection.fail(createUnresponsiveError(this.#connection.peer, this.#timeout));
    }
  }
}

/** Creates the error of a connection whose peer does not respond to pings. */
export function createUnresponsiveError(peer: string, timeout?: number): TenonError {
  const time = timeout === undefined ? 'in time' : `within ${timeout} ms`;
  return new TenonError('connection/unresponsive', `the peer did not answer a ping ${time}`, {
    peer,
    hint: 'raise `keepAlive.timeout` if the peer is busy',
  });
}
