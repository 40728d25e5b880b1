import type { Clock } from '../../jsonrpc/clock.js';
import { TenonError } from '../../jsonrpc/error.js';

/** What those who wait are woken by: the time, a ring, a failure elsewhere, or that there is nothing to wait for. */
export class Bell {
  readonly #clock: Clock;
  readonly #signals: readonly AbortSignal[];
  readonly #failed = new AbortController();
  #rang = false;
  #wake: (() => void) | undefined;

  constructor(clock: Clock, signal: AbortSignal) {
    this.#clock = clock;
    this.#signals = [signal, this.#failed.signal];
  }

  /** Wakes who waits for a ring, or will next. */
  ring(): void {
    this.#rang = true;
    this.#wake?.();
  }

  /** Whoever waits, or will, gets this error. */
  fail(error: unknown): void {
    this.#failed.abort(error);
  }

  /** Waits so long, or until it rings. Says whether it rang. */
  async rung(ms: number): Promise<boolean> {
    const ringing = new Promise<void>(resolve => {
      this.#wake = resolve;
      if (this.#rang) resolve();
    });
    await this.pause(ms, ringing);
    const rang = this.#rang;
    this.#rang = false;
    return rang;
  }

  /** Waits so long, or until something else is there. */
  async pause(ms: number, unless: Promise<void> = new Promise(() => {})): Promise<void> {
    let off: () => void = () => {};
    const over = new Promise<void>(resolve => {
      // Who waits for a task wants to live until it is there.
      off = this.#clock.after(Math.max(0, ms), resolve, { hold: true });
    });
    await this.unlessFailed(Promise.race([over, unless])).finally(off);
  }

  /** The work, unless something fails before it is done, or nobody waits any longer. */
  unlessFailed<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const stop = () => reject(this.#reason());
      const rest = () => {
        for (const signal of this.#signals) signal.removeEventListener('abort', stop);
      };
      for (const signal of this.#signals) signal.addEventListener('abort', stop, { once: true });
      work.then(resolve, reject).finally(rest);
      if (this.#signals.some(({ aborted }) => aborted)) stop();
    });
  }

  #reason(): unknown {
    const { aborted, reason } = this.#failed.signal;
    return aborted ? reason : new TenonError('call/aborted', 'nobody waits for the task any longer');
  }
}
