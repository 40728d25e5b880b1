import { isPromise, type MaybePromise } from '@tenon/base';

/** Makes calls in their order. A call waits only until what it and earlier calls need is ready. */
export class CallOrder {
  #last: Promise<void> | undefined;

  /** Calls `call` with the result of `ready`, after all earlier calls were made. */
  run<T, R>(ready: MaybePromise<T>, call: (value: T) => MaybePromise<R>): MaybePromise<R> {
    if (this.#last === undefined && !isPromise(ready)) return call(ready);
    const made = Promise.all([ready, this.#last]).then(([value]) => ({ result: call(value) }));
    const last = made.then(
      () => {},
      () => {},
    );
    this.#last = last;
    void last.then(() => {
      if (this.#last === last) this.#last = undefined;
    });
    return made.then(({ result }) => result);
  }
}
