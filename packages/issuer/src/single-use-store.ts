import { createRandomText } from '@tenon/base';
import type { JsonObject, Values } from 'tenon';
import { hashSecret, isMatchingSecret } from './secrets.js';

/**
 * Store with a limited number of entries that any caller can create. Each entry is found by a token that only its
 * receiver knows.
 */
export interface SingleUseStore<T extends JsonObject> {
  /** Creates the token of an entry that is stored later. */
  createToken(): string;
  /** Stores an entry. When all slots are occupied, it replaces the oldest one. */
  put(token: string, entry: T): Promise<void>;
  read(token: string): Promise<T | undefined>;
  /** Returns the entry and removes it, so that only the first caller gets it. */
  consume(token: string): Promise<T | undefined>;
}

export interface SingleUseStoreLimits {
  /** Maximum number of entries. */
  readonly max: number;
  /** Lifetime of an entry, in milliseconds. */
  readonly ttl: number;
}

/**
 * Creates a store with `max` slots. The number of slots is the limit, so it applies to every store and across
 * processes. Each process uses the slots in turn, from a random one on.
 */
export function createSingleUseStore<T extends JsonObject>(
  values: Values,
  kind: string,
  { max, ttl }: SingleUseStoreLimits,
): SingleUseStore<T> {
  let next: number | undefined;
  const getKey = (token: string): string | undefined => {
    const slot = /^(\d{1,7})\./.exec(token)?.[1];
    return slot === undefined ? undefined : `issuer/${kind}/${slot}`;
  };
  const find = async (token: string) => {
    const key = getKey(token);
    const stored = key === undefined ? undefined : await values.get(key);
    if (!stored || !isMatchingSecret(token, String(stored.value.text))) return undefined;
    return { key: stored.key, version: stored.version, entry: stored.value.entry as T };
  };
  return {
    createToken() {
      // Chosen on the first call, because Workers cannot create random values before the first request.
      next = next === undefined ? Math.floor(Math.random() * max) : (next + 1) % max;
      return `${next}.${createRandomText()}`;
    },
    async put(token, entry) {
      await values.put(getKey(token) as string, { text: hashSecret(token), entry }, { ttl });
    },
    read: async token => (await find(token))?.entry,
    async consume(token) {
      const match = await find(token);
      if (match === undefined || !(await values.delete(match.key, match.version))) return undefined;
      return match.entry;
    },
  };
}
