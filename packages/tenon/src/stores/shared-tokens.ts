import { type Buckets, type Clock, digestSha256, type MaybePromise, setNewest } from '@tenon/base';

/** Part of a full bucket that a process takes from the store at once. */
const SHARE = 1 / 20;
/** Time after which a process forgets tokens that it took and did not use, in milliseconds. */
const TOKEN_TTL = 60_000;
/** Maximum number of keys with tokens at this process. Beyond it, those of the key with the oldest use are forgotten. */
const MAX_KEYS = 10_000;

export interface SharedTokenOptions {
  readonly buckets: Buckets;
  /** Beginning of the keys in the store. */
  readonly scope: string;
  readonly burst: number;
  readonly perSecond: number;
  readonly clock: Clock;
}

/** Token buckets that all processes share, one for each key. */
export interface SharedTokens {
  /** Takes a token. Returns 0, or the time until the next token in milliseconds. */
  take(key: string): MaybePromise<number>;
}

interface HeldTokens {
  count: number;
  readonly expiresAt: number;
}

/**
 * Creates buckets in a store. A process takes a twentieth of a full bucket at once and uses it up, so most calls need no
 * request to the store. All processes together never exceed the limit. The tokens that one of them holds are missing at
 * the others.
 */
export function createSharedTokens({ buckets, scope, burst, perSecond, clock }: SharedTokenOptions): SharedTokens {
  const size = { burst, perSecond };
  const batch = Math.max(1, Math.floor(burst * SHARE));
  const held = new Map<string, HeldTokens>();
  const pending = new Map<string, Promise<number>>();

  /** Uses one of the tokens that this process holds. */
  function takeHeld(key: string): boolean {
    const tokens = held.get(key);
    if (tokens === undefined || tokens.count === 0 || tokens.expiresAt <= clock.elapsed()) return false;
    tokens.count -= 1;
    return true;
  }

  /** Takes tokens from the store. Returns the time to wait if there are none. */
  async function fetchTokens(key: string): Promise<number> {
    const storedKey = `${scope}/${await digestSha256(key)}`;
    let count = batch;
    let wait = await buckets.take(storedKey, size, count);
    if (wait > 0 && batch > 1) {
      count = 1;
      wait = await buckets.take(storedKey, size);
    }
    if (wait > 0) return wait;
    setNewest(held, key, { count, expiresAt: clock.elapsed() + TOKEN_TTL }, MAX_KEYS);
    return 0;
  }

  async function fetchAndTake(key: string): Promise<number> {
    // Calls at the same time take tokens from the store together.
    for (;;) {
      const known = pending.get(key);
      const fetching = known ?? fetchTokens(key).finally(() => pending.delete(key));
      pending.set(key, fetching);
      const wait = await fetching;
      if (wait > 0) return wait;
      if (takeHeld(key)) return 0;
    }
  }

  return { take: key => (takeHeld(key) ? 0 : fetchAndTake(key)) };
}
