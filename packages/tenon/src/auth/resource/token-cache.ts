import type { Clock } from '../../cancellation/clock.js';
import { hashSha256 } from '../../encoding/sha256.js';
import { isTokenProblem, type VerifiedToken, type VerifyToken } from './token-problem.js';

export interface TokenCacheOptions {
  readonly clock: Clock;
  /** Maximum number of cached tokens; the least recently used one is dropped first. */
  readonly maxTokens: number;
  /** Lifetime of a cached verification result, in milliseconds. */
  readonly ttl: number;
}

interface CachedToken {
  readonly token: VerifiedToken;
  readonly expiresAt: number;
}

/**
 * Remembers which tokens are good, by their hash, until they end: a signature is not verified again for each request.
 * The same token is judged once at a time. What is not good is never remembered.
 */
export function cacheTokens(verifyToken: VerifyToken, { clock, maxTokens, ttl }: TokenCacheOptions): VerifyToken {
  const cache = new Map<string, CachedToken>();
  const running = new Map<string, ReturnType<VerifyToken>>();

  const verifyAndCache = async (token: string, hash: string) => {
    const startedAt = clock.now();
    const outcome = await verifyToken(token);
    if (isTokenProblem(outcome)) return outcome;
    const expiresAt = Math.min(outcome.expires, startedAt + ttl);
    if (expiresAt <= clock.now()) return outcome;
    cache.set(hash, { token: outcome, expiresAt });
    for (const oldest of cache.keys()) {
      if (cache.size <= maxTokens) break;
      cache.delete(oldest);
    }
    return outcome;
  };

  return async token => {
    const hash = hashSha256(token);
    const cached = cache.get(hash);
    cache.delete(hash);
    if (cached && cached.expiresAt > clock.now()) {
      cache.set(hash, cached);
      return cached.token;
    }
    const verification = running.get(hash) ?? verifyAndCache(token, hash).finally(() => running.delete(hash));
    running.set(hash, verification);
    return verification;
  };
}
