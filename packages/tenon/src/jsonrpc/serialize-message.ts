import type { JsonObject, JsonRpcMessage, JsonRpcResponse } from './message.js';

const serializedResults = new WeakMap<JsonObject, string | undefined>();

/** A result that answers many requests as it is: it does not change any more, and its text is made once. */
export function markPreserialized(result: JsonObject): JsonObject {
  serializedResults.set(result, undefined);
  return Object.freeze(result);
}

export function isPreserialized(result: JsonObject): boolean {
  return serializedResults.has(result);
}

/** What is sent, as JSON. Throws what `JSON.stringify` throws. */
export function serializeMessage(message: JsonRpcMessage | readonly JsonRpcResponse[]): string {
  if (!('result' in message) || !serializedResults.has(message.result)) return JSON.stringify(message);
  const { id, result } = message;
  const text = serializedResults.get(result) ?? JSON.stringify(result);
  serializedResults.set(result, text);
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${text}}`;
}
