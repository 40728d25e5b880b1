declare class AbortController {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
}

/** A request that is being worked on. The abort signal is made when somebody first asks for it. */
export class Running {
  #controller: AbortController | undefined;
  #reason: Error | undefined;
  #done: (() => void)[] | undefined;
  #finishing: (() => void) | undefined;
  #over = false;

  /** Whether it is answered, or will not be: nothing more is said about it. */
  get over(): boolean {
    return this.#over || this.cancelled;
  }

  get cancelled(): boolean {
    return this.#reason !== undefined;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#reason) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  /** Aborts the signal. Of a request that is over nothing is left to cancel. */
  cancel(reason = 'the peer cancelled the request'): void {
    if (this.#over || this.#reason !== undefined) return;
    this.#reason = Object.assign(new Error(reason), { name: 'AbortError' });
    this.#controller?.abort(this.#reason);
  }

  /** Registers what is to run when the work is over, however it ended. */
  whenDone(run: () => void): void {
    this.#done ??= [];
    this.#done.push(run);
  }

  /** Marks it as over: what is said about it from here on comes too late. */
  finish(): void {
    const last = this.#finishing;
    this.#finishing = undefined;
    if (!this.over) last?.();
    this.#over = true;
  }

  /** Registers what is said last, before the answer. It does not run for a request that is cancelled. */
  whenFinishing(run: () => void): void {
    this.#finishing = run;
  }

  done(): void {
    this.finish();
    const all = this.#done;
    this.#done = undefined;
    for (const run of all ?? []) run();
  }
}
