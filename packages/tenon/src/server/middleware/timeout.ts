import { type Clock, INTERNAL_ERROR, requireKnownOptions, rpcError, runWithTimeout, systemClock } from '@tenon/base';
import type { Middleware } from '../../handler/operation.js';
import { toolError } from '../../handler/tool-result.js';
import { checkPositive, requireMiddlewareOptions } from './check-middleware-options.js';

/**
 * Creates middleware that ends an operation with an error after a timeout. The handler itself is not stopped. Streams
 * of `subscriptions/listen` are not ended.
 * @param ms Timeout of one run of the handler, in milliseconds. Time in which the user answers does not count.
 */
export function timeout(ms: number, options: { readonly clock?: Clock | undefined } = {}): Middleware {
  requireKnownOptions('timeout', options, { clock: true });
  const { clock = systemClock } = options;
  requireMiddlewareOptions('timeout', 'timeout(ms)', { ms }, { ms: checkPositive });
  return (operation, next) => {
    if (operation.method === 'subscriptions/listen') return next(operation);
    return runWithTimeout(() => next(operation), {
      clock,
      timeout: ms,
      onTimeout() {
        const message = `The request timed out after ${ms} ms`;
        throw operation.method === 'tools/call' ? toolError(message) : rpcError(INTERNAL_ERROR, message);
      },
    });
  };
}
