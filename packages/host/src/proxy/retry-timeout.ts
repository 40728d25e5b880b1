import { INTERNAL_ERROR, rpcError, runWithTimeout } from '@tenon/base';
import type { RequestInput } from 'tenon/proxy';
import type { UpstreamConnection } from '../connections/upstream-connection.js';

/**
 * Ends an input request with an error when no retry can answer it any more. Otherwise the server would wait forever for
 * a caller that does not retry.
 */
export function limitRetryTime(ask: RequestInput, { times }: Pick<UpstreamConnection, 'times'>): RequestInput {
  const { clock, retryTimeout } = times;
  return (method, params, ...rest) =>
    runWithTimeout(() => ask(method, params, ...rest), {
      clock,
      timeout: retryTimeout,
      onTimeout() {
        throw rpcError(INTERNAL_ERROR, `${method} was not answered within ${retryTimeout} ms`);
      },
    });
}
