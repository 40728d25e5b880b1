import { type Clock, rpcError, type TenonError, TOO_MANY_REQUESTS } from '@tenon/base';

/** Maximum time that a start waits for another process to become idle, in milliseconds. */
const MAX_WAIT = 5000;
/** Time between checks, in milliseconds. */
const INTERVAL = 50;
/** Time after which a refused call may be retried, in milliseconds. */
export const RETRY_AFTER = 1000;

/** Connection that owns a process. */
export interface ProcessOwner {
  readonly server: string;
  /** True if a call, a subscription or a start currently needs the process. */
  readonly isBusy: boolean;
  stop(): Promise<void>;
}

/** Limits the number of concurrent processes of a host, over all servers. */
export class ProcessLimit {
  readonly #max: number;
  readonly #clock: Clock;
  /** Running processes, in the order of their last use. */
  readonly #running = new Set<ProcessOwner>();
  #waitingCount = 0;

  constructor(max: number, clock: Clock) {
    this.#max = max;
    this.#clock = clock;
  }

  /** Number of starts that wait until a process becomes idle. */
  get waitingCount(): number {
    return this.#waitingCount;
  }

  /** Marks a process as used, so that less recently used ones are stopped first. */
  markUsed(owner: ProcessOwner): void {
    if (this.#running.delete(owner)) this.#running.add(owner);
  }

  /**
   * Reserves a process. At the limit, it stops the process that has been idle for the longest time. If all are busy, it
   * waits until one becomes idle.
   *
   * @throws TenonError `rpc/error` with code 429 and `retryAfterMs` when all processes stay busy.
   */
  async acquire(owner: ProcessOwner): Promise<void> {
    if (this.#running.has(owner)) return;
    const until = this.#clock.elapsed() + MAX_WAIT;
    let idlest: ProcessOwner | undefined;
    while (this.#running.size >= this.#max && idlest === undefined) {
      idlest = this.#takeIdlest();
      if (idlest !== undefined) break;
      if (this.#clock.elapsed() >= until) throw this.#createLimitError();
      this.#waitingCount += 1;
      await new Promise<void>(resolve => void this.#clock.after(INTERVAL, resolve));
      this.#waitingCount -= 1;
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
