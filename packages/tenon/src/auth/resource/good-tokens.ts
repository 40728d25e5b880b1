import type { Clock } from '../../jsonrpc/clock.js';
import { sha256 } from './digest.js';
import { type GoodToken, isProblem, type TokenCheck } from './problem.js';

export interface Remembering {
  readonly clock: Clock;
  /** How many tokens are remembered; the one that was not used for longest gives way. */
  readonly most: number;
  /** For how long the word on a token is good, in milliseconds. */
  readonly life: number;
}

interface Remembered {
  readonly token: GoodToken;
  readonly until: number;
}

/**
 * Remembers which tokens are good, by their hash, until they end: a signature is not verified again for each request. The
 * same token is judged once at a time. What is not good is never remembered.
 */
export function rememberGood(check: TokenCheck, { clock, most, life }: Remembering): TokenCheck {
  const good = new Map<string, Remembered>();
  const running = new Map<string, ReturnType<TokenCheck>>();

  const judge = async (token: string, hash: string) => {
    const asked = clock.now();
    const outcome = await check(token);
    if (isProblem(outcome)) return outcome;
    const until = Math.min(outcome.expires, asked + life);
    if (until <= clock.now()) return outcome;
    good.set(hash, { token: outcome, until });
    for (const idlest of good.keys()) {
      if (good.size <= most) break;
      good.delete(idlest);
    }
    return outcome;
  };

  return async token => {
    const hash = await sha256(token);
    const known = good.get(hash);
    good.delete(hash);
    if (known && known.until > clock.now()) {
      good.set(hash, known);
      return known.token;
    }
    const judging = running.get(hash) ?? judge(token, hash).finally(() => running.delete(hash));
    running.set(hash, judging);
    return judging;
  };
}
