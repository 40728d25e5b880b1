import type { Middleware, Next } from '../../handler/operation.js';

/** Composes middleware around a handler, the first one outermost. Without middleware it returns the handler. */
export function composeMiddleware(middleware: readonly Middleware[], core: Next): Next {
  return middleware.reduceRight<Next>((next, outer) => async operation => outer(operation, next), core);
}

const methodByMiddleware = new WeakMap<object, string>();

/** Limits middleware to one method. */
export function forMethod<S = unknown>(method: string, middleware: Middleware<S>): Middleware<S> {
  const filterByMethod: Middleware<S> = (operation, next) =>
    operation.method === method ? middleware(operation, next) : next(operation);
  methodByMiddleware.set(filterByMethod, method);
  return filterByMethod;
}

const NO_MIDDLEWARE: readonly Middleware[] = [];
const selectionCache = new WeakMap<readonly Middleware[], Map<string, readonly Middleware[]>>();

/** Selects the middleware for a method, so that other middleware adds no cost. */
export function selectMiddleware(middleware: readonly Middleware[] | undefined, method: string): readonly Middleware[] {
  if (middleware === undefined) return NO_MIDDLEWARE;
  const byMethod = selectionCache.get(middleware) ?? new Map<string, readonly Middleware[]>();
  selectionCache.set(middleware, byMethod);
  const cached = byMethod.get(method);
  if (cached) return cached;
  const selected = middleware.filter(each => (methodByMiddleware.get(each) ?? method) === method);
  byMethod.set(method, selected);
  return selected;
}
