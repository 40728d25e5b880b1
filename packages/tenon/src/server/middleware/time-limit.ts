import { type Clock, systemClock } from '../../jsonrpc/clock.js';
import { INTERNAL_ERROR } from '../../jsonrpc/codes.js';
import { rpcError } from '../../jsonrpc/error.js';
import type { Middleware } from '../middleware.js';
import { toolError } from '../reply.js';
import { positive, requireOptions } from './options.js';

/**
 * Gives up on an operation after a time: the caller is told, and a tool's model too. The handler is not stopped by
 * force: one that should stop looks at its own clock or at `ctx.signal`. Ends no listening.
 * @param ms Milliseconds. Counted for each entry of a handler, without what users take to answer in between.
 */
export function timeLimit(
  ms: number,
  { clock = systemClock }: { readonly clock?: Clock | undefined } = {},
): Middleware {
  requireOptions('timeLimit', 'timeLimit(ms)', { ms }, { ms: positive });
  return (operation, next) => {
    if (operation.method === 'subscriptions/listen') return next(operation);
    let off = () => {};
    const limit = new Promise<never>((_, reject) => {
      off = clock.after(ms, () => reject(gaveUp(operation.method, ms)));
    });
    return Promise.race([next(operation), limit]).finally(() => off());
  };
}

function gaveUp(method: string, ms: number): Error {
  const message = `Gave up after ${ms} ms`;
  return method === 'tools/call' ? toolError(message) : rpcError(INTERNAL_ERROR, message);
}
