/** A value, or a promise of one. */
export type MaybePromise<T> = T | Promise<T>;

// Most work needs no promise, and promises are what a short request would spend most on.

/** Goes on with what comes of some work: at once where that is there at once. Throws, or rejects, as the work does. */
export function thenMaybe<T, R>(work: T | PromiseLike<T>, next: (value: T) => R | Promise<R>): R | Promise<R> {
  return isPromise(work) ? (work.then(next) as Promise<R>) : next(work);
}

/** Runs some work. When it throws or rejects, `failed` computes the outcome. */
export function catchMaybe<T>(run: () => T | Promise<T>, onError: (error: unknown) => T | Promise<T>): T | Promise<T> {
  try {
    const value = run();
    return isPromise(value) ? (value.then(undefined, onError) as Promise<T>) : value;
  } catch (error) {
    return onError(error);
  }
}

/** True if a value is a promise. */
export function isPromise<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}

/**
 * Keeps the rejection of a promise from ending the process before a caller awaits it. A later `await` still gets the
 * rejection.
 */
export function markHandled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}
