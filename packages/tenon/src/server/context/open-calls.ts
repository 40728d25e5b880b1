import { TenonError } from '@tenon/base';

declare function setTimeout(run: () => void, ms: number): unknown;
declare function clearTimeout(timer: unknown): void;

/** Maximum time for which a failed call waits for its steps, so that their outcome is stored, in milliseconds. */
const STEP_TIMEOUT = 5000;

/** A promise that knows if a caller subscribed to it: by `await`, `then`, `catch`, `finally`, or `Promise.all`. */
class TrackedPromise<T> extends Promise<T> {
  #isSubscribed = false;

  // Promises that are derived from this one need no tracking.
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  static isSubscribed(promise: TrackedPromise<unknown>): boolean {
    return promise.#isSubscribed;
  }

  /** Calls the listener when the promise has settled. This is no subscription. The rejection counts as handled. */
  static onSettled(promise: TrackedPromise<unknown>, listener: () => void): void {
    Promise.prototype.then.call(promise, listener, listener);
  }

  // biome-ignore lint/suspicious/noThenProperty: `await` calls this method, which is how a subscription is noticed.
  override then<A = T, B = never>(
    onFulfilled?: ((value: T) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.#isSubscribed = true;
    return super.then(onFulfilled, onRejected);
  }
}

/** A step or an input request of a handler that has no result yet. */
interface OpenCall {
  readonly promise: TrackedPromise<unknown>;
  /** Names the call in the error: `step "pay"`. */
  readonly name: string;
  readonly isStep: boolean;
}

/** The open steps and input requests of a handler. A handler must not return before those that it never awaits. */
export class OpenCalls {
  readonly #calls = new Set<OpenCall>();

  /** Adds a call. The returned promise causes no unhandled rejection if no caller subscribes to it. */
  add<T>(name: string, isStep: boolean, result: Promise<T>): Promise<T> {
    const promise = new TrackedPromise<T>(resolve => resolve(result));
    const call = { promise, name, isStep };
    this.#calls.add(call);
    TrackedPromise.onSettled(promise, () => this.#calls.delete(call));
    return promise;
  }

  /**
   * Throws when a call is open to which no caller has subscribed. Waits for such steps first, so that their outcome is
   * stored. Returns `undefined` if there are no open calls.
   * @throws TenonError `handler/not-awaited` with the name of the step or input request.
   */
  requireAwaited(): Promise<void> | undefined {
    return this.#calls.size === 0 ? undefined : this.#checkOpen();
  }

  async #checkOpen(): Promise<void> {
    // `await` and `Promise.all` subscribe in the next microtask.
    await undefined;
    const forgotten = this.#findForgotten();
    if (forgotten.length === 0) return;
    const steps = forgotten.filter(({ isStep }) => isStep);
    if (steps.length > 0) await waitUntilSettled(steps);
    const first = forgotten.find(({ promise }) => !TrackedPromise.isSubscribed(promise));
    if (first === undefined) return;
    const { name } = first;
    throw new TenonError('handler/not-awaited', `the handler returned before its ${name} had ended`, {
      expected: 'a handler that awaits each of its steps and input requests',
      hint: `put \`await\` before the ${name}, or pass it to \`Promise.all\``,
    });
  }

  #findForgotten(): OpenCall[] {
    return [...this.#calls].filter(({ promise }) => !TrackedPromise.isSubscribed(promise));
  }
}

async function waitUntilSettled(calls: readonly OpenCall[]): Promise<void> {
  const settled = calls.map(({ promise }) => new Promise<void>(resolve => TrackedPromise.onSettled(promise, resolve)));
  await new Promise<void>(resolve => {
    const timer = setTimeout(resolve, STEP_TIMEOUT);
    void Promise.all(settled).then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
