import type { Clock } from '../../cancellation/clock.js';
import { type CallerIdentity, getOwnerKey } from '../../protocol/caller-identity.js';
import { createLimitError } from './refusal.js';

/** Limits the cost of sampling within a window of time, which begins with the first request in it. */
export interface TokenBudget {
  /** Length of the window, in ms. */
  readonly window: number;
  /** Maximum number of requests that reach a reviewer or a model. */
  readonly calls?: number | undefined;
  /** Maximum number of tokens of prompts and answers. A request that could exceed them, by its estimated prompt and `maxTokens`, is refused. */
  readonly tokens?: number | undefined;
  /**
   * Gives each server, each principal, or each pair of them a budget of its own. A principal has one for each of its OAuth clients.
   * Default both: each pair. Empty: all share one.
   */
  readonly per?: readonly ('server' | 'principal')[] | undefined;
}

/** The tokens that a request has reserved. */
export interface Reservation {
  /** Replaces the reserved tokens by the used ones. */
  settle(tokens: number): void;
}

interface BudgetAccount {
  readonly end: number;
  calls: number;
  tokens: number;
}

/** Maximum number of accounts at one time. When all are in use, a request without one is refused. */
const MAX_ACCOUNTS = 10_000;

/** Keeps the accounts of budgets. `reserve` throws an error for the server: 429, with `retryAfterMs`. */
export function createAccounts(budgets: readonly TokenBudget[], clock: Clock) {
  const accounts = new Map<string, BudgetAccount>();

  function getAccount(key: string, { window }: TokenBudget): BudgetAccount {
    const now = clock.now();
    const current = accounts.get(key);
    if (current && current.end > now) return current;
    if (accounts.size >= MAX_ACCOUNTS) for (const [each, { end }] of accounts) if (end <= now) accounts.delete(each);
    if (accounts.size >= MAX_ACCOUNTS) throw createLimitError('Too many ask for sampling', undefined);
    const account = { end: now + window, calls: 0, tokens: 0 };
    accounts.set(key, account);
    return account;
  }

  return {
    reserve(who: { readonly server: string } & Partial<CallerIdentity>, tokens: number): Reservation {
      const keys = { server: who.server, principal: getOwnerKey(who) ?? null };
      const reserved = budgets.map((budget, index) => {
        const { per = ['server', 'principal'] } = budget;
        const account = getAccount(JSON.stringify([index, ...per.map(each => keys[each])]), budget);
        const { calls = Number.POSITIVE_INFINITY, tokens: most = Number.POSITIVE_INFINITY } = budget;
        const after = account.end - clock.now();
        if (account.calls + 1 > calls) throw createLimitError(`More than ${calls} sampling requests`, after);
        if (tokens > most) throw createLimitError('The request could use more tokens than sampling may', undefined);
        if (account.tokens + tokens > most) throw createLimitError('The tokens for sampling are used up', after);
        return account;
      });
      for (const account of reserved) {
        account.calls += 1;
        account.tokens += tokens;
      }
      let amount = tokens;
      return {
        settle(used) {
          for (const account of reserved) account.tokens += used - amount;
          amount = used;
        },
      };
    },
  };
}

/** Maximum number of chains of requests that are counted at one time. The one that was used longest ago is forgotten first. */
const MAX_CHAINS = 1_000;

/** Counts the requests of each chain, such as one call. */
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
