import * as oauth from 'oauth4webapi';
import { TenonError } from '../../jsonrpc/error.js';
import { type AuthFetch, createGuardedFetch } from '../guarded-fetch.js';
import { checkOpenable, createUrlGuard } from '../url-guard.js';
import { type Settings, wrong } from './options.js';

/** An identity provider that clients can not register at. This server is registered there, with `<url>/callback`. */
export interface Upstream {
  /** Its authorization endpoint. */
  readonly authorize: string;
  /** Its token endpoint. */
  readonly token: string;
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
  identify(tokens: UpstreamTokens): Promise<string> | string;
}

/** What the identity provider has given. The claims are those of an ID token that came from it directly. */
export interface UpstreamTokens {
  readonly accessToken: string;
  readonly claims?: Readonly<Record<string, unknown>>;
}

export interface Exchanged extends UpstreamTokens {
  /** Milliseconds until its access token ends, where it says so. */
  readonly lasts?: number;
  readonly refreshToken?: string;
}

export interface Provider {
  readonly host: string;
  /** The URL to sign in at. */
  authorizeUrl(state: string, challenge: string): string;
  /** Exchanges the code of an answer. Rejects with `auth/upstream`, whatever went wrong. */
  exchange(answer: URLSearchParams, state: string, verifier: string): Promise<Exchanged>;
  /** New tokens for a refresh token; `undefined` when the provider says that it has ended. Rejects with `auth/upstream`. */
  renew(refreshToken: string): Promise<Exchanged | undefined>;
}

/** Throws `auth/issuer-options`. */
export function createProvider(upstream: Upstream, settings: Settings, fetchLike: AuthFetch): Provider {
  const { authorize, token, clientId, clientSecret, clientMethod, scopes, parameters = {} } = upstream;
  const redirect = `${settings.origin}${settings.path}/callback`;
  const [door, endpoint] = [openable('upstream.authorize', authorize), openable('upstream.token', token)];
  const guard = createUrlGuard(endpoint);
  const guarded = createGuardedFetch(fetchLike, guard, settings.clock);
  const server = { issuer: upstream.issuer ?? endpoint.origin, token_endpoint: token };
  const client = { client_id: clientId };
  const byPost = clientMethod === 'client_secret_post';
  const auth = byPost ? oauth.ClientSecretPost(clientSecret) : oauth.ClientSecretBasic(clientSecret);
  const options = {
    [oauth.customFetch]: (url: string, init: object) => guarded(url, init),
    [oauth.allowInsecureRequests]: guard.plain,
  };
  return {
    host: door.host,
    authorizeUrl(state, challenge) {
      const url = new URL(door);
      const all = {
        ...parameters,
        ...{ response_type: 'code', client_id: clientId, redirect_uri: redirect, scope: scopes.join(' '), state },
        ...{ code_challenge: challenge, code_challenge_method: 'S256' },
      };
      for (const [name, value] of Object.entries(all)) url.searchParams.set(name, value);
      return url.href;
    },
    async exchange(answer, state, verifier) {
      try {
        const good = oauth.validateAuthResponse(server, client, answer, state);
        const reply = await oauth.authorizationCodeGrantRequest(
          server,
          client,
          auth,
          good,
          redirect,
          verifier,
          options,
        );
        const tokens = await oauth.processAuthorizationCodeResponse(server, client, reply);
        const claims = oauth.getValidatedIdTokenClaims(tokens);
        return { ...exchanged(tokens), ...(claims ? { claims: { ...claims } } : {}) };
      } catch (error) {
        throw failed(error, door.host);
      }
    },
    async renew(refreshToken) {
      try {
        const reply = await oauth.refreshTokenGrantRequest(server, client, auth, refreshToken, options);
        const tokens = await oauth.processRefreshTokenResponse(server, client, reply);
        // One that is not replaced stays good.
        return { refreshToken, ...exchanged(tokens) };
      } catch (error) {
        if (error instanceof oauth.ResponseBodyError && error.error === 'invalid_grant') return undefined;
        throw failed(error, door.host);
      }
    },
  };
}

function exchanged({ access_token, expires_in, refresh_token }: oauth.TokenEndpointResponse): Exchanged {
  return {
    accessToken: access_token,
    ...(expires_in === undefined ? {} : { lasts: expires_in * 1_000 }),
    ...(refresh_token === undefined ? {} : { refreshToken: refresh_token }),
  };
}

function openable(option: string, given: string): URL {
  try {
    return checkOpenable(given);
  } catch {
    throw wrong(option, 'https:, or http: on loopback', given);
  }
}

/** What was thrown may hold the answer, and with it tokens. */
function failed(error: unknown, peer: string): TenonError {
  const said = error instanceof oauth.ResponseBodyError || error instanceof oauth.AuthorizationResponseError;
  const got = said ? error.error.slice(0, 60) : TenonError.is(error) ? error.code : undefined;
  return new TenonError('auth/upstream', 'the identity provider has not said who signed in', {
    peer,
    got,
    next: 'look whether this server is registered there with this secret and with `<url>/callback`, and set `upstream.issuer`',
  });
}
