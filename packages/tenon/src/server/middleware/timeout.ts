import { type Clock, systemClock } from '../../cancellation/clock.js';
import { rpcError } from '../../jsonrpc/error.js';
import { INTERNAL_ERROR } from '../../jsonrpc/error-codes.js';
import { toolError } from '../definitions/tool-result.js';
import { checkPositive, requireOptions } from './check-options.js';
import type { Middleware } from './compose-middleware.js';

/**
 * Gives up on an operation after a time: the caller is told, and a tool's model too. The handler is not stopped by
 * force: one that should stop looks at its own clock or at `ctx.signal`. Ends no listening.
 * @param ms Milliseconds. Counted for each entry of a handler, without what users take to answer in between.
 */
export function timeout(ms: number, { clock = systemClock }: { readonly clock?: Clock | undefined } = {}): Middleware {
  requireOptions('timeout', 'timeout(ms)', { ms }, { ms: checkPositive });
  return (operation, next) => {
    if (operation.method === 'subscriptions/listen') return next(operation);
    let cancelTimer = () => {};
    const expiry = new Promise<never>((_, reject) => {
      cancelTimer = clock.after(ms, () => reject(createTimeoutError(operation.method, ms)));
    });
    return Promise.race([next(operation), expiry]).finally(() => cancelTimer());
  };
}

function createTimeoutError(method: string, ms: number): Error {
  const message = `Gave up after ${ms} ms`;
  return method === 'tools/call' ? toolError(message) : rpcError(INTERNAL_ERROR, message);
}
