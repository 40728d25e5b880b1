import type { Clock } from '../../cancellation/clock.js';
import { type CallerIdentity, getOwnerKey } from '../../protocol/caller-identity.js';
import { createLimitError } from './refusal.js';

/** What sampling may cost within a window of time, which begins with the first request in it. */
export interface TokenBudget {
  /** Milliseconds. */
  readonly window: number;
  /** Requests that get as far as a reviewer or a model. */
  readonly calls?: number | undefined;
  /** Tokens of prompts and answers. A request that could exceed them, by its estimated prompt and `maxTokens`, is refused. */
  readonly tokens?: number | undefined;
  /** What has a budget of its own: each server, each principal, each pair of them; a principal has one for each of its OAuth clients. Default both: each pair. Empty: all share it. */
  readonly per?: readonly ('server' | 'principal')[] | undefined;
}

/** What a request has set aside. */
export interface Reservation {
  /** Sets what was really used in place of what was set aside. */
  settle(tokens: number): void;
}

interface BudgetAccount {
  readonly end: number;
  calls: number;
  tokens: number;
}

/** How many accounts are kept at once. When all are in use, who has none is refused. */
const MAX_ACCOUNTS = 10_000;

/** Keeps account of budgets. `reserve` throws what the server is told: 429, with `retryAfterMs`. */
export function createAccounts(budgets: readonly TokenBudget[], clock: Clock) {
  const accounts = new Map<string, BudgetAccount>();

  function accountOf(key: string, { window }: TokenBudget): BudgetAccount {
    const now = clock.now();
    const there = accounts.get(key);
    if (there && there.end > now) return there;
    if (accounts.size >= MAX_ACCOUNTS) for (const [each, { end }] of accounts) if (end <= now) accounts.delete(each);
    if (accounts.size >= MAX_ACCOUNTS) throw createLimitError('Too many ask for sampling', undefined);
    const account = { end: now + window, calls: 0, tokens: 0 };
    accounts.set(key, account);
    return account;
  }

  return {
    reserve(who: { readonly server: string } & Partial<CallerIdentity>, tokens: number): Reservation {
      const keys = { server: who.server, principal: getOwnerKey(who) ?? null };
      const found = budgets.map((budget, index) => {
        const { per = ['server', 'principal'] } = budget;
        const account = accountOf(JSON.stringify([index, ...per.map(each => keys[each])]), budget);
        const { calls = Number.POSITIVE_INFINITY, tokens: most = Number.POSITIVE_INFINITY } = budget;
        const after = account.end - clock.now();
        if (account.calls + 1 > calls) throw createLimitError(`More than ${calls} sampling requests`, after);
        if (tokens > most) throw createLimitError('The request could use more tokens than sampling may', undefined);
        if (account.tokens + tokens > most) throw createLimitError('The tokens for sampling are used up', after);
        return account;
      });
      for (const account of found) {
        account.calls += 1;
        account.tokens += tokens;
      }
      let held = tokens;
      return {
        settle(used) {
          for (const account of found) account.tokens += used - held;
          held = used;
        },
      };
    },
  };
}

/** How many chains of requests are counted at once. The one that has rested longest is forgotten first. */
const MAX_CHAINS = 1_000;

/** Counts the requests of each chain: of one call, say, that keeps a model working. */
export function createChains(most: number): (chain: string) => boolean {
  const counts = new Map<string, number>();
  return chain => {
    const count = (counts.get(chain) ?? 0) + 1;
    counts.delete(chain);
    counts.set(chain, count);
    const first = counts.keys().next();
    if (counts.size > MAX_CHAINS && !first.done) counts.delete(first.value);
    return count <= most;
  };
}
