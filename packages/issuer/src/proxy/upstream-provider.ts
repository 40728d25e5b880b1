import { checkBrowserUrl, createUrlGuard, isTextList } from '@tenon/base';
import {
  createBasicAuth,
  EndpointError,
  getEndpointFailure,
  getOauthErrorCode,
  hideCredentials,
  isGrantRevoked,
  isScope,
  normalizeTokenResponse,
  requestTokenResponse,
} from '@tenon/base/oauth';
import * as oauth from 'oauth4webapi';
import { TenonError } from 'tenon';
import { checkMembers, createOptionError } from '../option-error.js';
import type { IssuerSettings } from '../options.js';

/**
 * Identity provider at which clients cannot register. Register the proxy there with the redirect URI `<url>/callback`.
 */
export interface UpstreamOptions {
  /** URL of the authorization endpoint. */
  readonly authorizeUrl: string;
  /** URL of the token endpoint. */
  readonly tokenUrl: string;
  /** `client_id` of the proxy at the identity provider. */
  readonly clientId: string;
  /** Client secret of the proxy at the identity provider. */
  readonly clientSecret: string;
  /**
   * Client authentication method.
   * @default `client_secret_basic`
   */
  readonly clientMethod?: 'client_secret_basic' | 'client_secret_post' | undefined;
  /**
   * Scopes to request at the identity provider. They are the same for all clients, because the provider knows only the
   * proxy.
   */
  readonly scopes: readonly string[];
  /**
   * Required issuer of ID tokens and of `iss` in authorization responses.
   * @default the origin of `tokenUrl`
   */
  readonly issuer?: string | undefined;
  /**
   * Additional parameters of the authorization request, such as `prompt`.
   * @default none
   */
  readonly parameters?: Readonly<Record<string, string>> | undefined;
  /** Returns a stable, unique ID of the signed-in user. */
  identifyUser(tokens: UpstreamTokens): Promise<string> | string;
}

/** Tokens of the identity provider. */
export interface UpstreamTokens {
  /** Access token of the user. */
  readonly accessToken: string;
  /** Claims of the ID token. Absent if there is none. */
  readonly claims?: Readonly<Record<string, unknown>>;
}

export interface ExchangedTokens extends UpstreamTokens {
  /** Lifetime of the access token, in milliseconds. Absent if the provider does not send it. */
  readonly lifetime?: number;
  readonly refreshToken?: string;
}

export interface UpstreamProvider {
  readonly host: string;
  /** Creates the URL at which the user signs in. */
  createAuthorizeUrl(state: string, challenge: string): string;
  /**
   * Exchanges the code of an authorization response.
   *
   * @throws TenonError `auth/upstream` for every failure.
   */
  exchangeCode(answer: URLSearchParams, state: string, verifier: string): Promise<ExchangedTokens>;
  /**
   * Requests new tokens with a refresh token. Resolves with `undefined` when the provider has revoked it.
   *
   * @throws TenonError `auth/upstream`
   */
  renewTokens(refreshToken: string): Promise<ExchangedTokens | undefined>;
}

/**
 * Accepted signature algorithms of ID tokens. The proxy gets them from the token endpoint over TLS, which tells their
 * issuer, so it verifies no signature.
 *
 * @see https://openid.net/specs/openid-connect-core-1_0.html#IDTokenValidation
 */
const ID_TOKEN_ALGORITHMS = [256, 384, 512]
  .flatMap(bits => [`RS${bits}`, `PS${bits}`, `ES${bits}`, `HS${bits}`])
  .concat('EdDSA', 'Ed25519');

/**
 * Creates the client of an identity provider.
 *
 * @throws TenonError `auth/issuer-options`
 */
export function createUpstreamProvider(upstream: UpstreamOptions, settings: IssuerSettings): UpstreamProvider {
  checkUpstream(upstream);
  const { authorizeUrl: authorize, tokenUrl, clientId, clientSecret, clientMethod, scopes, parameters = {} } = upstream;
  const redirect = `${settings.origin}${settings.path}/callback`;
  const [authorizePage, endpoint] = [
    parseBrowserUrl('upstream.authorizeUrl', authorize),
    parseBrowserUrl('upstream.tokenUrl', tokenUrl),
  ];
  const guard = createUrlGuard(endpoint);
  const guardedFetch = hideCredentials(settings.createFetch(guard));
  const server = {
    issuer: upstream.issuer ?? endpoint.origin,
    token_endpoint: tokenUrl,
    id_token_signing_alg_values_supported: ID_TOKEN_ALGORITHMS,
  };
  const client = { client_id: clientId };
  const usesPost = clientMethod === 'client_secret_post';
  const auth = usesPost ? oauth.ClientSecretPost(clientSecret) : createBasicAuth(clientSecret);
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
        const tokens = await requestTokenResponse(
          () => oauth.authorizationCodeGrantRequest(server, client, auth, params, redirect, verifier, options),
          response => oauth.processAuthorizationCodeResponse(server, client, response),
          normalizeTokenResponse,
        );
        const claims = oauth.getValidatedIdTokenClaims(tokens);
        return { ...toExchangedTokens(tokens), ...(claims ? { claims: { ...claims } } : {}) };
      } catch (error) {
        throw toUpstreamError(error, authorizePage.host, 'return the user who signed in');
      }
    },
    async renewTokens(refreshToken) {
      try {
        const tokens = await requestTokenResponse(
          () => oauth.refreshTokenGrantRequest(server, client, auth, refreshToken, options),
          response => oauth.processRefreshTokenResponse(server, client, response),
        );
        // A refresh token that the provider does not replace stays valid.
        return { refreshToken, ...toExchangedTokens(tokens) };
      } catch (error) {
        if (isGrantRevoked(error)) return undefined;
        throw toUpstreamError(error, authorizePage.host, 'renew the tokens of a user');
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
    throw createOptionError(option, 'an https: URL, or http: on loopback', given);
  }
}

/** Converts an error. Drops the original error, because it may contain the response with its tokens. */
function toUpstreamError(error: unknown, peer: string, summary: string): TenonError {
  const failure = getEndpointFailure(error);
  return new TenonError('auth/upstream', `the identity provider did not ${summary}`, {
    peer,
    received: describeFailure(error)?.slice(0, 120),
    hint:
      failure?.verdict === 'temporary'
        ? 'check that the identity provider answers at `upstream.tokenUrl`, and try again later'
        : 'check that this server is registered there with this secret and with `<url>/callback`, and set `upstream.issuer`',
  });
}

function describeFailure(error: unknown): string | undefined {
  const oauthError = error instanceof oauth.AuthorizationResponseError ? error.error : getOauthErrorCode(error);
  if (oauthError !== undefined) return oauthError.slice(0, 60);
  if (TenonError.is(error)) return error.code;
  if (error instanceof EndpointError) return error.reason ?? `HTTP status ${error.failure.status}`;
  return error instanceof Error ? error.message : undefined;
}

const UPSTREAM_OPTIONS =
  'authorizeUrl tokenUrl clientId clientSecret clientMethod scopes issuer parameters identifyUser'.split(' ');
const CLIENT_METHODS: readonly unknown[] = [undefined, 'client_secret_basic', 'client_secret_post'];

/** Checks the options, which programs in JavaScript pass without types. An error never contains the client secret. */
function checkUpstream(upstream: UpstreamOptions): void {
  checkMembers('upstream', upstream, UPSTREAM_OPTIONS);
  const { authorizeUrl, tokenUrl, clientId, clientSecret, clientMethod, scopes, issuer, parameters = {} } = upstream;
  for (const [name, value] of Object.entries({ authorizeUrl, tokenUrl, clientId, clientSecret, issuer: issuer ?? 'x' }))
    if (typeof value !== 'string' || value === '')
      throw createOptionError(`upstream.${name}`, 'a text', value === '' ? 'an empty text' : typeof value);
  if (!isTextList(scopes)) throw createOptionError('upstream.scopes', 'a list of texts', typeof scopes);
  const invalidScope = scopes.find(scope => !isScope(scope));
  if (invalidScope !== undefined) throw createOptionError('upstream.scopes', 'one scope in each text', invalidScope);
  if (!CLIENT_METHODS.includes(clientMethod))
    throw createOptionError('upstream.clientMethod', 'client_secret_basic or client_secret_post', String(clientMethod));
  checkMembers('upstream.parameters', parameters, Object.keys(parameters ?? {}));
  if (typeof upstream.identifyUser !== 'function')
    throw createOptionError('upstream.identifyUser', 'a function', typeof upstream.identifyUser);
}
