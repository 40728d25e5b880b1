import { INVALID_PARAMS, isObject, type JsonObject, prependPath, rpcError } from '@tenon/base';
import type { TolerantConnection } from '../jsonrpc/tolerance.js';
import type { MethodName } from './method-types.js';
import { methods } from './methods.js';
import { readResult } from './tolerant-reading.js';

/**
 * Reads an input response in the params of a request, by the rules for results. A missing list is none of
 * them: a server must not take a response without roots for one with no roots. `key` is that of its input request.
 * @throws TenonError -32602 for a response that does not match its input request.
 */
export function readInputResponse(
  connection: TolerantConnection,
  key: string,
  method: string,
  response: unknown,
): JsonObject {
  const createError = (issue: string) =>
    rpcError(INVALID_PARAMS, `Invalid params: ${prependPath(`/inputResponses/${key}`, issue)}`);
  const read = isObject(response) ? readResult(connection, method, response, createError) : response;
  const issue = methods[method as MethodName].result(read);
  if (issue !== undefined || !isObject(read)) throw createError(issue ?? 'at /: expected an object');
  return read;
}
