import { INTERNAL_ERROR, rpcError } from '@tenon/base';
import type { Middleware } from '../../handler/operation.js';
import { checkPositive, requireMiddlewareOptions } from './check-middleware-options.js';

/**
 * Creates middleware that refuses results which are too large for a model. For a tool, the model sees the error as a
 * result, so that it can request less.
 * @param maxCharacters Maximum length of the result as JSON, in characters.
 */
export function resultSizeLimit(maxCharacters: number): Middleware {
  requireMiddlewareOptions(
    'resultSizeLimit',
    'resultSizeLimit(maxCharacters)',
    { maxCharacters },
    { maxCharacters: checkPositive },
  );
  return async (operation, next) => {
    const result = await next(operation);
    if (result.resultType !== undefined && result.resultType !== 'complete') return result;
    const size = JSON.stringify(result).length;
    if (size <= maxCharacters) return result;
    const message = `The result has ${size} characters. At most ${maxCharacters} are allowed: request less data`;
    if (operation.method !== 'tools/call') throw rpcError(INTERNAL_ERROR, message);
    const { content: _, structuredContent: __, ...rest } = result;
    return { ...rest, content: [{ type: 'text', text: message }], isError: true };
  };
}
