import { checkFunction, checkObject, checkString, findNearestKey, requireArgument, TenonError } from '@tenon/base';
import type { Middleware, Next } from '../../handler/operation.js';
import type { MethodName } from '../../protocol/method-types.js';

/** Composes middleware around a handler, the first one outermost. Without middleware it returns the handler. */
export function composeMiddleware(middleware: readonly Middleware[], core: Next): Next {
  return middleware.reduceRight<Next>((next, outer) => {
    const proceed: Next = operation => {
      // Without a method, later middleware of a method would not run. Callers without types may pass nothing.
      if (typeof operation?.method !== 'string')
        requireArgument('`operation` of next', operation, checkObject({ method: checkString }));
      return next(operation);
    };
    return async operation => outer(operation, proceed);
  }, core);
}

/** The method of middleware that is limited to one. */
interface Limitation {
  readonly method: string;
  /** Throws if the method is similar to a known one, and none itself. */
  requireKnown(known: readonly string[]): void;
}

const limitations = new WeakMap<object, Limitation>();

/**
 * Limits middleware to one method.
 * @param method Method of the protocol, of an extension or of the server itself. `createServer` throws `server/definition`
 * for a name that looks like a mistyped one, because its checks would never run.
 * @throws TenonError `options/invalid` for a middleware that is no function.
 */
export function forMethod<S = unknown>(method: MethodName | (string & {}), middleware: Middleware<S>): Middleware<S> {
  requireArgument('`middleware` of forMethod', middleware, checkFunction);
  const filterByMethod: Middleware<S> = (operation, next) =>
    operation.method === method ? middleware(operation, next) : next(operation);
  limitations.set(filterByMethod, {
    method,
    requireKnown(known) {
      const nearest = known.includes(method) ? undefined : findNearestKey(method, known);
      if (nearest === undefined) return;
      throw new TenonError('server/definition', `\`forMethod\` names the unknown method "${method}"`, {
        hint: `did you mean "${nearest}"?`,
      });
    },
  });
  return filterByMethod;
}

/** Throws `server/definition` for middleware of a method that does not exist, and whose name is similar to one that does. */
export function checkMiddlewareMethods(middleware: readonly Middleware[], known: readonly string[]): void {
  for (const each of middleware) limitations.get(each)?.requireKnown(known);
}

const selectionCache = new WeakMap<readonly Middleware[], Map<string, readonly Middleware[]>>();

/** Selects the middleware for a method, so that other middleware adds no cost. */
export function selectMiddleware(middleware: readonly Middleware[], method: string): readonly Middleware[] {
  const byMethod = selectionCache.get(middleware) ?? new Map<string, readonly Middleware[]>();
  selectionCache.set(middleware, byMethod);
  const cached = byMethod.get(method);
  if (cached) return cached;
  const selected = middleware.filter(each => (limitations.get(each)?.method ?? method) === method);
  byMethod.set(method, selected);
  return selected;
}
