import { type Clock, systemClock } from '../../jsonrpc/clock.js';
import { TenonError } from '../../jsonrpc/error.js';
import { callable } from '../../model/check.js';
import type { Middleware } from '../middleware.js';
import { requireOptions } from './options.js';

/** What is known of an operation when it is over. No arguments and no results: they may hold anything. */
export interface LogLine {
  readonly method: string;
  readonly name: string | undefined;
  readonly principal: string | undefined;
  readonly revision: string;
  readonly ms: number;
  /** `ok`, `failed` for a tool that says so, `asked` for a question, or the code of an error. */
  readonly outcome: string;
}

/** Writes a line for each operation. */
export function logged(
  write: (line: LogLine) => void,
  { clock = systemClock }: { readonly clock?: Clock | undefined } = {},
): Middleware {
  requireOptions('logged', 'logged(line => …)', { write }, { write: callable });
  return async (operation, next) => {
    const start = clock.now();
    const { method, name, context } = operation;
    const line = (outcome: string) =>
      write({
        method,
        name,
        principal: context.auth?.principal,
        revision: context.revision,
        ms: clock.now() - start,
        outcome,
      });
    try {
      const result = await next(operation);
      line(result.isError ? 'failed' : result.resultType === 'input_required' ? 'asked' : 'ok');
      return result;
    } catch (error) {
      line(TenonError.is(error) ? error.code : 'threw');
      throw error;
    }
  };
}
