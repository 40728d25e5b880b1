import { INTERNAL_ERROR, isObject } from '@tenon/base';
import { isId, type JsonRpcResponse } from 'tenon/testing-internals';

const ERROR = { code: INTERNAL_ERROR, message: 'Internal error' };

/** Returns a response that has a result and an error, which JSON-RPC forbids. */
export function malformResponse(response: JsonRpcResponse): JsonRpcResponse {
  return { result: {}, error: ERROR, ...response };
}

/**
 * Returns a message that is not valid JSON-RPC but keeps its ID: a response has a result and an error, and the params of
 * another message are a text.
 */
export function malformMessage(message: unknown): unknown {
  if (!isObject(message)) return { jsonrpc: '2.0' };
  if ('method' in message || !isId(message.id)) return { ...message, params: 'malformed' };
  return { result: {}, error: ERROR, ...message };
}
