import { redactKnownValues, redactUrl, TenonError } from '@tenon/base';
import { OFFLINE_ACCESS, sanitizeServerText } from '@tenon/base/oauth';
import type { RefusedRequest } from './authorizer.js';
import { parseAuthChallenge } from './discovery/auth-challenge.js';
import type { Grant } from './grants/grant.js';

/** Maximum number of step-up authorizations for the same scopes. */
const MAX_STEP_UPS = 2;
/** Maximum number of authorizations for one request. */
const MAX_AUTHORIZATIONS = 3;
const MAX_REMEMBERED_SCOPES = 100;

interface AttemptCounts {
  refreshed: boolean;
  requested: number;
}

/**
 * Limits the attempts to refresh or request tokens, per request and per set of scopes. Otherwise a server that keeps
 * refusing would cause an endless loop.
 */
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

  /**
   * Tells if the client may refresh the tokens. Returns true once per request, because refreshed tokens that are
   * refused need a new authorization.
   */
  mayRefresh(refusal: RefusedRequest): boolean {
    const counts = this.#getCounts(refusal);
    if (counts.refreshed) return false;
    counts.refreshed = true;
    return true;
  }

  /**
   * Tells if the client may request new tokens. A `DELETE`, which ends a session, never starts a sign-in. After a
   * failed sign-in, only a `POST` starts another one.
   *
   * @throws TenonError `auth/rejected` when the server has refused tokens that were just issued.
   */
  mayRequestTokens(refusal: RefusedRequest): boolean {
    const { interactive } = this.#grant;
    if (interactive && refusal.method === 'DELETE') return false;
    if (interactive && this.#failed && refusal.method !== 'POST') return false;
    const counts = this.#getCounts(refusal);
    if (counts.requested > 0) throw this.#createRejectedError(refusal);
    counts.requested += 1;
    return true;
  }

  /**
   * Counts one step-up authorization for `scopes`.
   *
   * @throws TenonError `auth/insufficient-scope` when the option `scopes` excludes one of them, or after too many
   * attempts.
   */
  countStepUp(refusal: RefusedRequest, scopes: readonly string[]): void {
    const wanted = this.#grant.scopes ?? scopes;
    const unwanted = scopes.filter(scope => scope !== OFFLINE_ACCESS && !wanted.includes(scope));
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

  /** Records whether a sign-in succeeds or fails. */
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

  /** Forgets all attempts after a sign-out, because the user starts again. */
  reset(): void {
    this.#failed = false;
    this.#stepUps.clear();
  }

  #getCounts({ request = {} }: RefusedRequest): AttemptCounts {
    const counts = this.#requests.get(request) ?? { refreshed: false, requested: 0 };
    this.#requests.set(request, counts);
    return counts;
  }

  #createRejectedError({ header, sentHeaders }: RefusedRequest): TenonError {
    const { error = '', description = '' } = parseAuthChallenge(header('www-authenticate'));
    const reason = redactKnownValues(description, sentHeaders.authorization?.split(' ').slice(1) ?? []);
    return new TenonError('auth/rejected', 'the server rejected a new token', {
      peer: redactUrl(this.#server),
      received: [error, reason].map(sanitizeServerText).filter(Boolean).join(': ') || 'HTTP 401',
      status: 401,
      hint: 'call `signOut` and sign in with an account that may use this server; if it still fails, ask its operator which authorization server and audience it accepts',
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
