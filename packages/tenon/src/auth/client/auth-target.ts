import { type Clock, type GuardedFetch, TenonError, type UrlGuard } from '@tenon/base';
import { hideCredentials, requestTokenResponse, splitScopes } from '@tenon/base/oauth';
import * as oauth from 'oauth4webapi';
import type { AuthorizationServerInfo } from '../oauth/authorization-server.js';
import type { AuthExceptions } from './auth-exceptions.js';
import type { DpopKey } from './dpop-key.js';
import type { TokenOrigin, Tokens } from './token-store.js';

const SECOND = 1_000;
/** Maximum time before the expiry of tokens at which the client renews them, in milliseconds. */
const MAX_RENEWAL_LEAD = 30 * SECOND;

/** Server and authorization server for which the client requests tokens. */
export interface AuthTarget extends TokenOrigin {
  /** The URL of the server as the user configured it. */
  readonly server: string;
  readonly authorizationServer: AuthorizationServerInfo;
  /** `scopes_supported` of the resource. */
  readonly scopes: readonly string[] | undefined;
  readonly fetch: GuardedFetch;
  readonly guard: UrlGuard;
  readonly clock: Clock;
  readonly dpopKey: DpopKey | undefined;
  readonly exceptions: AuthExceptions;
}

/** Returns the parameter `resource` of a request, unless the user has configured to omit it for the server. */
export const getResourceParams = ({
  resource,
  exceptions,
}: Pick<AuthTarget, 'resource' | 'exceptions'>): Record<string, string> =>
  exceptions.omitResource ? {} : { resource };

interface OauthRequestOptions {
  [oauth.customFetch]: (url: string, init: object) => Promise<Response>;
  [oauth.allowInsecureRequests]: boolean;
}

/** Creates the options of every request to an authorization server. */
export function createRequestOptions(
  target: Pick<AuthTarget, 'fetch' | 'guard'>,
  signal: AbortSignal | undefined,
): OauthRequestOptions {
  return {
    [oauth.customFetch]: (url, init) => hideCredentials(target.fetch)(url, init, signal),
    // The guard decides for each URL whether `http:` is allowed.
    [oauth.allowInsecureRequests]: target.guard.allowsPlainHttp,
  };
}

export function createTokenRequestOptions(
  target: AuthTarget,
  signal: AbortSignal | undefined,
): OauthRequestOptions & { DPoP?: oauth.DPoPHandle } {
  const { dpopKey } = target;
  return { ...createRequestOptions(target, signal), ...(dpopKey ? { DPoP: dpopKey.handle } : {}) };
}

/** Requests tokens. All grants pass here, so that each failure has the same consequences for every grant. */
export async function fetchTokens(
  target: AuthTarget,
  asked: readonly string[],
  send: () => Promise<Response>,
  validate: (response: Response) => Promise<oauth.TokenEndpointResponse>,
): Promise<Tokens> {
  const response = await requestTokenResponse(send, validate);
  const { access_token: access, token_type: type, expires_in: lifetime, refresh_token: refresh } = response;
  if (target.dpopKey && type !== 'dpop') {
    throw new TenonError('auth/not-bound', 'the authorization server does not bind tokens to a key', {
      peer: target.issuer.slice(0, 200),
      expected: 'token_type DPoP',
      received: 'token_type Bearer',
      hint: 'remove `dpop` if bearer tokens are acceptable',
    });
  }
  let expiry: Pick<Tokens, 'expires' | 'renew'> = {};
  // A lifetime of 0 is sent for tokens that do not expire.
  if (lifetime) {
    const duration = lifetime * SECOND;
    const expires = target.clock.now() + duration;
    expiry = { expires, renew: expires - Math.min(MAX_RENEWAL_LEAD, duration / 10) };
  }
  return {
    access,
    type: type === 'dpop' ? 'dpop' : 'bearer',
    asked: asked.length > 0 ? asked : splitScopes(response.scope ?? ''),
    ...expiry,
    ...(refresh === undefined ? {} : { refresh }),
  };
}
