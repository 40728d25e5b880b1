import { INTERNAL_ERROR } from '../../jsonrpc/codes.js';
import { rpcError } from '../../jsonrpc/error.js';
import type { Middleware } from '../middleware.js';
import { positive, requireOptions } from './options.js';

/**
 * Refuses results that are too large to be of use to a model. A tool says so to the model, which may ask for less.
 * @param characters Of the JSON of the result.
 */
export function resultLimit(characters: number): Middleware {
  requireOptions('resultLimit', 'resultLimit(characters)', { characters }, { characters: positive });
  return async (operation, next) => {
    const result = await next(operation);
    if (result.resultType !== undefined && result.resultType !== 'complete') return result;
    const size = JSON.stringify(result).length;
    if (size <= characters) return result;
    const message = `The result has ${size} characters, more than the ${characters} that are allowed: ask for less`;
    if (operation.method !== 'tools/call') throw rpcError(INTERNAL_ERROR, message);
    const { content: _, structuredContent: __, ...rest } = result;
    return { ...rest, content: [{ type: 'text', text: message }], isError: true };
  };
}
