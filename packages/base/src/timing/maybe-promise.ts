/** A value, or a promise of a value. */
export type MaybePromise<T> = T | Promise<T>;

// Most calls need no promise, and promises would be the largest cost of a short request.

/**
 * Calls `next` with the result of `work`: synchronously for a value, later for a promise. Throws or rejects as `work`
 * does.
 */
export function thenMaybe<T, R>(work: T | PromiseLike<T>, next: (value: T) => R | Promise<R>): R | Promise<R> {
  return isPromise(work) ? (work.then(next) as Promise<R>) : next(work);
}

/** Calls `run`. If it throws or rejects, `onError` computes the result. */
export function catchMaybe<T>(run: () => T | Promise<T>, onError: (error: unknown) => T | Promise<T>): T | Promise<T> {
  try {
    const value = run();
    return isPromise(value) ? (value.then(undefined, onError) as Promise<T>) : value;
  } catch (error) {
    return onError(error);
  }
}

/**
 * Calls `run`, and `next` with its result. If one of them throws or rejects, `onError` computes the result. It creates one
 * promise, while `catchMaybe` around `thenMaybe` creates two, which stay in memory as long as the request is open.
 */
export function settleMaybe<T, R>(
  run: () => T | PromiseLike<T>,
  next: (value: T) => MaybePromise<R>,
  onError: (error: unknown) => MaybePromise<R>,
): MaybePromise<R> {
  let value: T | PromiseLike<T>;
  try {
    value = run();
  } catch (error) {
    return onError(error);
  }
  if (isPromise(value)) return value.then(settled => callNext(next, settled, onError), onError) as Promise<R>;
  return callNext(next, value, onError);
}

function callNext<T, R>(
  next: (value: T) => MaybePromise<R>,
  value: T,
  onError: (error: unknown) => MaybePromise<R>,
): MaybePromise<R> {
  try {
    const result = next(value);
    return isPromise(result) ? (result.then(undefined, onError) as Promise<R>) : result;
  } catch (error) {
    return onError(error);
  }
}

/** Tells if a value is a promise. */
export function isPromise<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}

/**
 * Prevents the rejection of a promise from ending the process before a caller awaits it. A later `await` still gets the
 * rejection.
 */
export function markHandled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}
