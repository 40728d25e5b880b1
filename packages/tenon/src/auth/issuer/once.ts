import type { JsonObject } from '../../jsonrpc/message.js';
import type { Values } from '../../stores/stores.js';
import { hashed, randomText } from './secrets.js';

/** Things that are good once and for a short time, kept by the hash of a text that only one is told. */
export interface OnceOnly<T extends object> {
  /** Keeps a thing, and gives the text for it. */
  keep(thing: T): Promise<string>;
  read(text: string): Promise<T | undefined>;
  /** Gives the thing to the first who asks, and to nobody after. */
  take(text: string): Promise<T | undefined>;
}

export function onceOnly<T extends object>(values: Values, kind: string, ttl: number): OnceOnly<T> {
  const keyOf = async (text: string) => `issuer/${kind}/${await hashed(text)}`;
  const find = async (text: string) => values.get(await keyOf(text));
  return {
    async keep(thing) {
      const text = randomText();
      await values.put(await keyOf(text), thing as unknown as JsonObject, { version: 0, ttl });
      return text;
    },
    read: async text => (await find(text))?.value as T | undefined,
    async take(text) {
      const found = await find(text);
      if (found === undefined || !(await values.delete(found.key, found.version))) return undefined;
      return found.value as unknown as T;
    },
  };
}
