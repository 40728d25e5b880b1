import {
  type CallerIdentity,
  type Check,
  type Clock,
  checkArray,
  checkObject,
  checkOneOf,
  checkOptional,
  checkOptions,
  checkRange,
  getOwnerKey,
  setNewest,
} from '@tenon/base';
import { createLimitError } from './refusal.js';

/** Limits the cost of sampling within a time window, which begins with its first request. */
export interface TokenBudget {
  /** Length of the window, in milliseconds. */
  readonly window: number;
  /**
   * Maximum number of requests that reach a reviewer or a model.
   * @default no limit
   */
  readonly calls?: number | undefined;
  /**
   * Maximum number of tokens of prompts and responses. A request that could exceed it, with its estimated prompt and
   * `maxTokens`, is refused.
   * @default no limit
   */
  readonly tokens?: number | undefined;
  /**
   * Separate budgets per server, per principal, or per pair of both. A principal has one for each of its OAuth
   * clients. An empty list means one shared budget.
   * @default both
   */
  readonly per?: readonly ('server' | 'principal')[] | undefined;
}

const amount = checkOptional(checkRange('a number of at least 0', 0));
const window = checkRange('a number of milliseconds of at least 1', 1);
const checkMembers = checkOptions<TokenBudget>({
  window,
  calls: amount,
  tokens: amount,
  per: checkOptional(checkArray(checkOneOf('server', 'principal'))),
});
const checkWindow = checkObject({ window });
const checkOne: Check = value => checkMembers(value) ?? checkWindow(value);
/** Checks one budget, or a list of them. */
export const checkBudget: Check = value => (Array.isArray(value) ? checkArray(checkOne) : checkOne)(value);

/** Tokens that are reserved for a request. */
export interface Reservation {
  /** Replaces the reserved tokens with the used ones. */
  settle(tokens: number): void;
}

interface BudgetAccount {
  readonly end: number;
  calls: number;
  tokens: number;
}

/** Maximum number of accounts. When all are in use, a request that needs a new one is refused. */
const MAX_ACCOUNTS = 10_000;

/** Creates the accounts of the budgets. `reserve` throws an error for the server: 429 with `retryAfterMs`. */
export function createAccounts(budgets: readonly TokenBudget[], clock: Clock) {
  const accounts = new Map<string, BudgetAccount>();

  function getAccount(key: string, { window }: TokenBudget): BudgetAccount {
    const now = clock.elapsed();
    const current = accounts.get(key);
    if (current && current.end > now) return current;
    if (accounts.size >= MAX_ACCOUNTS) for (const [each, { end }] of accounts) if (end <= now) accounts.delete(each);
    if (accounts.size >= MAX_ACCOUNTS) throw createLimitError('Too many callers request sampling', undefined);
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
        const after = account.end - clock.elapsed();
        if (account.calls + 1 > calls) throw createLimitError(`More than ${calls} sampling requests`, after);
        if (tokens > most) throw createLimitError('The request could exceed the token budget for sampling', undefined);
        if (account.tokens + tokens > most) throw createLimitError('The token budget for sampling is used up', after);
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

/** Maximum number of chains that are counted. The least recently used one is dropped first. */
const MAX_CHAINS = 1_000;

/** Counts the requests of each chain, for example of one call. */
export function createChains(most: number): (chain: string) => boolean {
  const counts = new Map<string, number>();
  return chain => {
    const count = (counts.get(chain) ?? 0) + 1;
    setNewest(counts, chain, count, MAX_CHAINS);
    return count <= most;
  };
}
