import type { Ask } from '../../conversation/asking/asking.js';
import { INTERNAL_ERROR } from '../../jsonrpc/codes.js';
import { rpcError } from '../../jsonrpc/error.js';
import type { Line } from '../upstream/line.js';

/**
 * Ends a question with an error once no retry can answer it. A caller that refuses by not coming back sends nothing, and
 * the server would wait for it.
 */
export function withinRetryTime(ask: Ask, { times }: Pick<Line, 'times'>): Ask {
  const { clock, retryTimeout } = times;
  return (method, params, ...rest) =>
    new Promise((resolve, reject) => {
      const late = () => reject(rpcError(INTERNAL_ERROR, `${method} was not answered within ${retryTimeout} ms`));
      const off = clock.after(retryTimeout, late);
      ask(method, params, ...rest)
        .then(resolve, reject)
        .finally(off);
    });
}
