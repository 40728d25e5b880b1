import * as oauth from 'oauth4webapi';
import { TenonError } from '../../../jsonrpc/error.js';
import { type AuthFetch, createGuardedFetch } from '../../http/guarded-fetch.js';
import { checkBrowserUrl, createUrlGuard } from '../../http/url-guard.js';
import { createOptionError, type IssuerSettings } from '../options.js';

/** An identity provider that clients cannot register at. This server is registered there, with `<url>/callback`. */
export interface UpstreamOptions {
  /** Its authorization endpoint. */
  readonly authorizeUrl: string;
  /** Its token endpoint. */
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** How the secret is sent. Default `client_secret_basic`. */
  readonly clientMethod?: 'client_secret_basic' | 'client_secret_post' | undefined;
  /** What is asked for there: the same for all clients, since a consent there is one for all of them. */
  readonly scopes: readonly string[];
  /** Its issuer, where it has one: ID tokens and `iss` must name it. Default: the origin of `token`. */
  readonly issuer?: string | undefined;
  /** More parameters of the authorization request, such as `prompt`. */
  readonly parameters?: Readonly<Record<string, string>> | undefined;
  /** Says who has signed in: a stable name that no two users have. */
  identifyUser(tokens: UpstreamTokens): Promise<string> | string;
}

/** What the identity provider has given. The claims are those of an ID token that came from it directly. */
export interface UpstreamTokens {
  readonly accessToken: string;
  readonly claims?: Readonly<Record<string, unknown>>;
}

export interface ExchangedTokens extends UpstreamTokens {
  /** Milliseconds until its access token ends, where it says so. */
  readonly lifetime?: number;
  readonly refreshToken?: string;
}

export interface UpstreamProvider {
  readonly host: string;
  /** The URL to sign in at. */
  createAuthorizeUrl(state: string, challenge: string): string;
  /** Exchanges the code of an answer. Rejects with `auth/upstream`, whatever went wrong. */
  exchangeCode(answer: URLSearchParams, state: string, verifier: string): Promise<ExchangedTokens>;
  /** New tokens for a refresh token; `undefined` when the provider says that it has ended. Rejects with `auth/upstream`. */
  renewTokens(refreshToken: string): Promise<ExchangedTokens | undefined>;
}

/** Throws `auth/issuer-options`. */
export function createUpstreamProvider(
  upstream: UpstreamOptions,
  settings: IssuerSettings,
  fetchLike: AuthFetch,
): UpstreamProvider {
  const { authorizeUrl: authorize, tokenUrl, clientId, clientSecret, clientMethod, scopes, parameters = {} } = upstream;
  const redirect = `${settings.origin}${settings.path}/callback`;
  const [authorizePage, endpoint] = [
    parseBrowserUrl('upstream.authorizeUrl', authorize),
    parseBrowserUrl('upstream.tokenUrl', tokenUrl),
  ];
  const guard = createUrlGuard(endpoint);
  const guardedFetch = createGuardedFetch(fetchLike, guard, settings.clock);
  const server = { issuer: upstream.issuer ?? endpoint.origin, token_endpoint: tokenUrl };
  const client = { client_id: clientId };
  const usesPost = clientMethod === 'client_secret_post';
  const auth = usesPost ? oauth.ClientSecretPost(clientSecret) : oauth.ClientSecretBasic(clientSecret);
  const options = {
    [oauth.customFetch]: (url: string, init: object) => guardedFetch(url, init),
    [oauth.allowInsecureRequests]: guard.allowsPlainHttp,
  };
  return {
    host: authorizePage.host,
    createAuthorizeUrl(state, challenge) {
      const url = new URL(authorizePage);
      const all = {
        ...parameters,
        ...{ response_type: 'code', client_id: clientId, redirect_uri: redirect, scope: scopes.join(' '), state },
        ...{ code_challenge: challenge, code_challenge_method: 'S256' },
      };
      for (const [name, value] of Object.entries(all)) url.searchParams.set(name, value);
      return url.href;
    },
    async exchangeCode(answer, state, verifier) {
      try {
        const params = oauth.validateAuthResponse(server, client, answer, state);
        const response = await oauth.authorizationCodeGrantRequest(
          server,
          client,
          auth,
          params,
          redirect,
          verifier,
          options,
        );
        const tokens = await oauth.processAuthorizationCodeResponse(server, client, response);
        const claims = oauth.getValidatedIdTokenClaims(tokens);
        return { ...toExchangedTokens(tokens), ...(claims ? { claims: { ...claims } } : {}) };
      } catch (error) {
        throw toUpstreamError(error, authorizePage.host);
      }
    },
    async renewTokens(refreshToken) {
      try {
        const response = await oauth.refreshTokenGrantRequest(server, client, auth, refreshToken, options);
        const tokens = await oauth.processRefreshTokenResponse(server, client, response);
        // One that is not replaced stays good.
        return { refreshToken, ...toExchangedTokens(tokens) };
      } catch (error) {
        if (error instanceof oauth.ResponseBodyError && error.error === 'invalid_grant') return undefined;
        throw toUpstreamError(error, authorizePage.host);
      }
    },
  };
}

function toExchangedTokens({ access_token, expires_in, refresh_token }: oauth.TokenEndpointResponse): ExchangedTokens {
  return {
    accessToken: access_token,
    ...(expires_in === undefined ? {} : { lifetime: expires_in * 1_000 }),
    ...(refresh_token === undefined ? {} : { refreshToken: refresh_token }),
  };
}

function parseBrowserUrl(option: string, given: string): URL {
  try {
    return checkBrowserUrl(given);
  } catch {
    throw createOptionError(option, 'https:, or http: on loopback', given);
  }
}

/** What was thrown may hold the answer, and with it tokens. */
function toUpstreamError(error: unknown, peer: string): TenonError {
  const isOauthError = error instanceof oauth.ResponseBodyError || error instanceof oauth.AuthorizationResponseError;
  const received = isOauthError ? error.error.slice(0, 60) : TenonError.is(error) ? error.code : undefined;
  return new TenonError('auth/upstream', 'the identity provider has not said who signed in', {
    peer,
    received,
    hint: 'look whether this server is registered there with this secret and with `<url>/callback`, and set `upstream.issuer`',
  });
}
