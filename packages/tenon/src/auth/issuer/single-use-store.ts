import type { JsonObject } from '../../jsonrpc/message.js';
import type { Values } from '../../stores/stores.js';
import { createRandomText, hashSecret, isMatchingSecret } from './secrets.js';

/** Entries that anybody may cause, so that they must not fill the store: each is found by a text that only one is told. */
export interface SingleUseStore<T extends object> {
  /** Creates the text of an entry that is put afterwards. */
  createToken(): string;
  /** Keeps an entry. When all slots are taken it replaces the oldest. */
  put(text: string, entry: T): Promise<void>;
  read(text: string): Promise<T | undefined>;
  /** Gives the entry to the first who asks, and to nobody after. */
  consume(text: string): Promise<T | undefined>;
}

export interface SingleUseStoreLimits {
  /** Entries that there may be at once. */
  readonly max: number;
  /** Lifetime in ms. */
  readonly ttl: number;
}

/**
 * Keeps entries in `max` slots of a store, which is a limit without counting: it holds in any store and over any number of
 * processes. Each process goes round the slots from a random one on.
 */
export function createSingleUseStore<T extends object>(
  values: Values,
  kind: string,
  { max, ttl }: SingleUseStoreLimits,
): SingleUseStore<T> {
  let next: number | undefined;
  const getKey = (text: string): string | undefined => {
    const slot = /^(\d{1,7})\./.exec(text)?.[1];
    return slot === undefined ? undefined : `issuer/${kind}/${slot}`;
  };
  const find = async (text: string) => {
    const key = getKey(text);
    const stored = key === undefined ? undefined : await values.get(key);
    if (!stored || !(await isMatchingSecret(text, String(stored.value.text)))) return undefined;
    return { key: stored.key, version: stored.version, entry: stored.value.entry as T };
  };
  return {
    createToken() {
      // Only when it is first needed: Workers have no randomness before the first request.
      next = next === undefined ? Math.floor(Math.random() * max) : (next + 1) % max;
      return `${next}.${createRandomText()}`;
    },
    async put(text, entry) {
      const record = { text: await hashSecret(text), entry: entry as unknown as JsonObject };
      await values.put(getKey(text) as string, record, { ttl });
    },
    read: async text => (await find(text))?.entry,
    async consume(text) {
      const match = await find(text);
      if (match === undefined || !(await values.delete(match.key, match.version))) return undefined;
      return match.entry;
    },
  };
}
