import { TenonError } from '../../jsonrpc/error.js';
import { redactUrl } from '../http/guarded-fetch.js';
import type { RefusedRequest } from './authorizer.js';
import type { Grant } from './grants/grant.js';
import { findUnwantedScopes } from './scopes.js';

/** Maximum number of requests for the same scopes when having them did not help. */
const MAX_STEP_UPS = 2;
/** Authorizations for one request. */
const MAX_AUTHORIZATIONS = 3;
const MAX_REMEMBERED_SCOPES = 100;

interface AttemptCounts {
  refreshed: boolean;
  requested: number;
}

/** Counts what has been tried, so that nothing goes on for ever: by the request, and by the scopes. */
export class AttemptLimiter {
  readonly #grant: Grant;
  readonly #server: string;
  readonly #requests = new WeakMap<object, AttemptCounts>();
  readonly #stepUps = new Map<string, number>();
  #failed = false;

  constructor(grant: Grant, server: string) {
    this.#grant = grant;
    this.#server = server;
  }

  /** Refreshed tokens that are refused as well are not refreshed again. */
  mayRefresh(refusal: RefusedRequest): boolean {
    const counts = this.#getCounts(refusal);
    if (counts.refreshed) return false;
    counts.refreshed = true;
    return true;
  }

  /**
   * Tells if tokens may be requested again. The request that ends a session never starts a sign-in, and a failed
   * sign-in is not repeated automatically. Throws `auth/rejected` when the server has refused tokens that were issued
   * just before.
   */
  mayRequestTokens(refusal: RefusedRequest): boolean {
    const { interactive } = this.#grant;
    if (interactive && refusal.method === 'DELETE') return false;
    if (interactive && this.#failed && refusal.method !== 'POST') return false;
    const counts = this.#getCounts(refusal);
    if (counts.requested > 0) throw this.#createRejectedError();
    counts.requested += 1;
    return true;
  }

  /**
   * Throws `auth/insufficient-scope` when a previous request for these scopes did not help, or when the options exclude
   * them.
   */
  countStepUp(refusal: RefusedRequest, scopes: readonly string[]): void {
    const unwanted = findUnwantedScopes(this.#grant.scopes, scopes);
    if (unwanted.length > 0)
      throw this.#createInsufficientScopeError(
        unwanted,
        'add them to the option `scopes` and sign in again if you trust the server',
      );
    const counts = this.#getCounts(refusal);
    const name = [...scopes].sort().join(' ');
    const stepUps = this.#stepUps.get(name) ?? 0;
    if (stepUps >= MAX_STEP_UPS || counts.requested >= MAX_AUTHORIZATIONS)
      throw this.#createInsufficientScopeError(
        scopes,
        'ask the operator of the authorization server to grant the scopes',
      );
    counts.requested += 1;
    if (this.#stepUps.size >= MAX_REMEMBERED_SCOPES) this.#stepUps.clear();
    this.#stepUps.set(name, stepUps + 1);
  }

  /** Remembers whether a sign-in came to its end. */
  async trackSignIn<T>(signIn: Promise<T>): Promise<T> {
    try {
      return await signIn;
    } catch (error) {
      this.#failed = true;
      throw error;
    }
  }

  markSucceeded(): void {
    this.#failed = false;
  }

  #getCounts({ request = {} }: RefusedRequest): AttemptCounts {
    const counts = this.#requests.get(request) ?? { refreshed: false, requested: 0 };
    this.#requests.set(request, counts);
    return counts;
  }

  #createRejectedError(): TenonError {
    return new TenonError('auth/rejected', 'the server rejected a new token', {
      peer: redactUrl(this.#server),
      status: 401,
      hint: 'ask the operator of the server to check its authorization server',
    });
  }

  #createInsufficientScopeError(scopes: readonly string[], hint: string): TenonError {
    return new TenonError('auth/insufficient-scope', 'the server requires scopes that the token does not have', {
      peer: redactUrl(this.#server),
      status: 403,
      expected: scopes.join(' ').slice(0, 200),
      hint,
    });
  }
}
