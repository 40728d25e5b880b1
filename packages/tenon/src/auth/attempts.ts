import { TenonError } from '../jsonrpc/error.js';
import type { RefusedRequest } from './authorizer.js';
import { shown } from './guarded-fetch.js';
import { findScopesBeyond } from './scopes.js';
import type { Strategy } from './strategy.js';

/** How often the same scopes are asked for anew when having them has not helped. */
const MAX_STEPS = 2;
/** Authorizations for one request. */
const MAX_AUTHORIZATIONS = 3;
const MAX_REMEMBERED = 100;

interface Tally {
  refreshed: boolean;
  obtained: number;
}

/** Counts what has been tried, so that nothing goes on for ever: by the request, and by the scopes. */
export class Attempts {
  readonly #strategy: Strategy;
  readonly #server: string;
  readonly #requests = new WeakMap<object, Tally>();
  readonly #steps = new Map<string, number>();
  #failed = false;

  constructor(strategy: Strategy, server: string) {
    this.#strategy = strategy;
    this.#server = server;
  }

  /** Refreshed tokens that are refused as well are not refreshed again. */
  mayRefresh(refusal: RefusedRequest): boolean {
    const tally = this.#tally(refusal);
    if (tally.refreshed) return false;
    tally.refreshed = true;
    return true;
  }

  /**
   * Whether to get tokens anew. Nobody is asked for the sake of a farewell, nor again by itself after a sign-in that
   * failed. Throws `auth/rejected` when the server has refused tokens that are just as new.
   */
  mayObtain(refusal: RefusedRequest): boolean {
    const { interactive } = this.#strategy;
    if (interactive && refusal.method === 'DELETE') return false;
    if (interactive && this.#failed && refusal.method !== 'POST') return false;
    const tally = this.#tally(refusal);
    if (tally.obtained > 0) throw this.#rejected();
    tally.obtained += 1;
    return true;
  }

  /** Throws `auth/insufficient-scope` when asking for these scopes has not helped, or when they are not wanted. */
  countStep(refusal: RefusedRequest, scopes: readonly string[]): void {
    const beyond = findScopesBeyond(this.#strategy.scopes, scopes);
    if (beyond.length > 0)
      throw this.#insufficient(beyond, 'if you trust this server with them, add them to `scope` and sign in again');
    const tally = this.#tally(refusal);
    const name = [...scopes].sort().join(' ');
    const steps = this.#steps.get(name) ?? 0;
    if (steps >= MAX_STEPS || tally.obtained >= MAX_AUTHORIZATIONS)
      throw this.#insufficient(scopes, 'the user, or the authorization server, does not grant them');
    tally.obtained += 1;
    if (this.#steps.size >= MAX_REMEMBERED) this.#steps.clear();
    this.#steps.set(name, steps + 1);
  }

  /** Remembers whether a sign-in came to its end. */
  async tracked<T>(signIn: Promise<T>): Promise<T> {
    try {
      return await signIn;
    } catch (error) {
      this.#failed = true;
      throw error;
    }
  }

  succeeded(): void {
    this.#failed = false;
  }

  #tally({ request = {} }: RefusedRequest): Tally {
    const tally = this.#requests.get(request) ?? { refreshed: false, obtained: 0 };
    this.#requests.set(request, tally);
    return tally;
  }

  #rejected(): TenonError {
    return new TenonError('auth/rejected', 'the server refuses a token that was given just now for it', {
      peer: shown(this.#server),
      status: 401,
      next: 'the server and its authorization server do not agree; tell whoever runs them',
    });
  }

  #insufficient(scopes: readonly string[], next: string): TenonError {
    return new TenonError('auth/insufficient-scope', 'the server wants scopes that it has not been given', {
      peer: shown(this.#server),
      status: 403,
      expected: scopes.join(' ').slice(0, 200),
      next,
    });
  }
}
