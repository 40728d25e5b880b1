import { type Clock, getCallerKey, hashSha256, SharedLimit } from '@tenon/base';
import { isTokenError, type TokenError, type VerifiedToken, type VerifyToken } from './token-error.js';

export interface TokenCacheOptions {
  readonly clock: Clock;
  /**
   * Maximum number of cached tokens. One user has at most half of them. The least recently used token is dropped first.
   */
  readonly maxTokens: number;
  /** Lifetime of a cached verification result, in milliseconds. */
  readonly ttl: number;
}

interface CachedToken {
  readonly token: VerifiedToken;
  readonly expiresAt: number;
  /** User whose share of the cache the token occupies. */
  readonly user: string;
}

/**
 * Caches valid tokens until they expire, so that a signature is not verified for each request. Concurrent requests with
 * the same token share one verification. Invalid tokens are never cached.
 *
 * Returns the result for a cached token without a promise. Keys are SHA-256 hashes, so no token is stored.
 */
export function cacheTokens(verifyToken: VerifyToken, { clock, maxTokens, ttl }: TokenCacheOptions): VerifyToken {
  const cache = createTokenMap(maxTokens);
  const running = new Map<string, Promise<VerifiedToken | TokenError>>();

  const verifyAndCache = async (token: string, hash: string): Promise<VerifiedToken | TokenError> => {
    const startedAt = clock.now();
    const outcome = await verifyToken(token);
    if (isTokenError(outcome)) return outcome;
    const expiresAt = Math.min(outcome.expires, startedAt + ttl);
    if (expiresAt > clock.now())
      cache.add(hash, { token: outcome, expiresAt, user: getCallerKey(outcome.auth, undefined) });
    return outcome;
  };

  return token => {
    const hash = hashSha256(token);
    const cached = cache.use(hash);
    if (cached && cached.expiresAt > clock.now()) return cached.token;
    cache.delete(hash);
    const verification = running.get(hash) ?? verifyAndCache(token, hash).finally(() => running.delete(hash));
    running.set(hash, verification);
    return verification;
  };
}

/**
 * Creates a map of tokens by hash, the least recently used first. A user over the maximum share displaces only their
 * own tokens.
 */
function createTokenMap(maxTokens: number) {
  const tokens = new Map<string, CachedToken>();
  const held = new SharedLimit(maxTokens);
  const remove = (hash: string): void => {
    const entry = tokens.get(hash);
    if (entry === undefined) return;
    tokens.delete(hash);
    held.release(entry.user);
  };
  const removeOldest = (user: string): void => {
    const isOwn = held.countHeld(user) > 0;
    for (const [hash, entry] of tokens) if (!isOwn || entry.user === user) return remove(hash);
  };
  return {
    /** Returns an entry, and marks it as the most recently used. */
    use(hash: string): CachedToken | undefined {
      const entry = tokens.get(hash);
      if (entry === undefined) return undefined;
      tokens.delete(hash);
      tokens.set(hash, entry);
      return entry;
    },
    add(hash: string, entry: CachedToken): void {
      remove(hash);
      if (!held.canTake(entry.user)) removeOldest(entry.user);
      if (held.total >= maxTokens) return;
      held.add(entry.user);
      tokens.set(hash, entry);
    },
    delete: remove,
  };
}
