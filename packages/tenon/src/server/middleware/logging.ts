import { type Clock, checkFunction, requireKnownOptions, systemClock, TenonError } from '@tenon/base';
import type { Middleware } from '../../handler/operation.js';
import { describeClient } from '../../protocol/describe-client.js';
import { requireMiddlewareOptions } from './check-middleware-options.js';

/** Log entry of a finished operation. It contains neither arguments nor results, because they may contain secrets. */
export interface OperationLogEntry {
  readonly method: string;
  readonly name: string | undefined;
  /** Client, protocol version and address: `notes-app 1.2 (2025-11-25, 192.0.2.7)`. Untrusted, except the address. */
  readonly peer: string;
  readonly principal: string | undefined;
  readonly protocolVersion: string;
  readonly ms: number;
  /** `ok`, `failed` for a result with `isError`, `asked` for an input request, or the code of an error. */
  readonly outcome: string;
}

/** Creates middleware that writes one entry per operation. */
export function logging(
  write: (writeEntry: OperationLogEntry) => void,
  options: { readonly clock?: Clock | undefined } = {},
): Middleware {
  requireKnownOptions('logging', options, { clock: true });
  const { clock = systemClock } = options;
  requireMiddlewareOptions('logging', 'logging(line => …)', { write }, { write: checkFunction });
  return async (operation, next) => {
    const start = clock.elapsed();
    const { method, name, context } = operation;
    const writeEntry = (outcome: string) =>
      write({
        method,
        name,
        peer: describeClient({ client: context.client.info, address: context.address }, context.protocolVersion),
        principal: context.auth?.principal,
        protocolVersion: context.protocolVersion,
        ms: clock.elapsed() - start,
        outcome,
      });
    try {
      const result = await next(operation);
      writeEntry(result.isError ? 'failed' : result.resultType === 'input_required' ? 'asked' : 'ok');
      return result;
    } catch (error) {
      writeEntry(TenonError.is(error) ? error.code : 'threw');
      throw error;
    }
  };
}
