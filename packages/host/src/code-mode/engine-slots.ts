import { rpcError, SharedLimit, TOO_MANY_REQUESTS } from '@tenon/base';

/** Maximum number of programs that wait for room. */
const MAX_WAITING = 1000;

interface WaitingProgram {
  readonly caller: string;
  readonly start: () => void;
}

/** Limits the number of programs in memory, with a share for each caller. */
export class EngineSlots {
  readonly #limit: SharedLimit;
  #waiting: WaitingProgram[] = [];

  constructor(maxPrograms: number) {
    this.#limit = new SharedLimit(maxPrograms);
  }

  /** Resolves when a program of the caller may be in memory. */
  async take(caller: string): Promise<void> {
    if (this.#limit.take(caller)) return;
    if (this.#waiting.length >= MAX_WAITING)
      throw rpcError(TOO_MANY_REQUESTS, 'Too many requests: too many programs wait', { retryAfterMs: 1000 });
    await new Promise<void>(resolve => {
      this.#waiting.push({ caller, start: resolve });
    });
  }

  release(caller: string): void {
    this.#limit.release(caller);
    for (;;) {
      const next = this.#waiting.find(each => this.#limit.canTake(each.caller));
      if (next === undefined) return;
      this.#limit.take(next.caller);
      this.#waiting = this.#waiting.filter(each => each !== next);
      next.start();
    }
  }
}
