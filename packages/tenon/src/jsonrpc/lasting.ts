import type { JsonObject, Message, Response } from './message.js';

const texts = new WeakMap<JsonObject, string | undefined>();

/** A result that answers many requests as it is: it does not change any more, and its text is made once. */
export function lasting(result: JsonObject): JsonObject {
  texts.set(result, undefined);
  return Object.freeze(result);
}

export function isLasting(result: JsonObject): boolean {
  return texts.has(result);
}

/** What is sent, as JSON. Throws what `JSON.stringify` throws. */
export function textOf(message: Message | readonly Response[]): string {
  if (!('result' in message) || !texts.has(message.result)) return JSON.stringify(message);
  const { id, result } = message;
  const text = texts.get(result) ?? JSON.stringify(result);
  texts.set(result, text);
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${text}}`;
}
