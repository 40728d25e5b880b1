import type { Clock } from '../../cancellation/clock.js';
import { rpcError, type TenonError } from '../../jsonrpc/error.js';
import { TOO_MANY_REQUESTS } from '../../jsonrpc/error-codes.js';

/** Maximum time that a start waits for another process to become idle, in milliseconds. */
const MAX_WAIT = 5000;
/** Time between checks, in milliseconds. */
const INTERVAL = 50;
/** After how many milliseconds a call that was refused may be tried again. */
const RETRY_AFTER = 1000;

/** A connection that runs a process. */
export interface ProcessOwner {
  readonly server: string;
  /** True if a call, a subscription or a start needs the process now. */
  readonly isBusy: boolean;
  stop(): Promise<void>;
}

/** Bounds the processes that a host runs at once, of all its servers together. */
export class ProcessLimit {
  readonly #max: number;
  readonly #clock: Clock;
  /** In the order of their last use. */
  readonly #running = new Set<ProcessOwner>();

  constructor(max: number, clock: Clock) {
    this.#max = max;
    this.#clock = clock;
  }

  /** Notes that a process is used, so that it is stopped after those that were used longer ago. */
  markUsed(owner: ProcessOwner): void {
    if (this.#running.delete(owner)) this.#running.add(owner);
  }

  /**
   * Makes room for one more process: stops the process that has been unused for the longest time. If all are in use,
   * waits a while for one.
   *
   * @throws 429 with `retryAfterMs` when all stay in use.
   */
  async acquire(owner: ProcessOwner): Promise<void> {
    if (this.#running.has(owner)) return;
    const until = this.#clock.now() + MAX_WAIT;
    let idlest: ProcessOwner | undefined;
    while (this.#running.size >= this.#max && idlest === undefined) {
      idlest = this.#takeIdlest();
      if (idlest !== undefined) break;
      if (this.#clock.now() >= until) throw this.#createLimitError();
      await new Promise<void>(resolve => void this.#clock.after(INTERVAL, resolve));
    }
    this.#running.add(owner);
    await idlest?.stop();
  }

  release(owner: ProcessOwner): void {
    this.#running.delete(owner);
  }

  #takeIdlest(): ProcessOwner | undefined {
    for (const owner of this.#running) {
      if (owner.isBusy) continue;
      this.#running.delete(owner);
      return owner;
    }
    return undefined;
  }

  #createLimitError(): TenonError {
    return rpcError(
      TOO_MANY_REQUESTS,
      `Too many processes: all ${this.#max} processes are in use. Try again later, or raise \`maxProcesses\``,
      { retryAfterMs: RETRY_AFTER },
    );
  }
}
