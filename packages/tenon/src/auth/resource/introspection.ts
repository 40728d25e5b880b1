import { type JsonObject, TenonError } from '@tenon/base';
import { createBasicAuth, dropEmptyMembers, hideCredentials, requestEndpoint, toAuthError } from '@tenon/base/oauth';
import {
  type AuthorizationServer,
  allowInsecureRequests,
  ClientSecretPost,
  customFetch,
  introspectionRequest,
  processIntrospectionResponse,
} from 'oauth4webapi';
import { type ClaimOptions, isAudience, readClaims } from './claims.js';
import {
  createIssuerFetch,
  createUnreachableError,
  fetchIssuerDocument,
  type IssuerConnection,
  stripError,
} from './issuer-requests.js';
import { createInvalidTokenError, type VerifyToken } from './token-error.js';

/**
 * Options of token introspection.
 *
 * @see https://www.rfc-editor.org/rfc/rfc7662
 */
export interface IntrospectionOptions {
  /** Client ID of this server at the issuer. */
  readonly clientId: string;
  /** Client secret of this server at the issuer. */
  readonly clientSecret: string;
  /**
   * Client authentication method.
   * @default `client_secret_basic`
   */
  readonly clientMethod?: 'client_secret_basic' | 'client_secret_post' | undefined;
  /**
   * URL of the endpoint.
   * @default `introspection_endpoint` of the issuer's metadata
   */
  readonly endpoint?: string | undefined;
  /**
   * Lifetime of a cached response, in milliseconds. A revoked token is accepted for up to this time. 0 sends a
   * request for each call.
   * @default 30,000
   */
  readonly ttl?: number | undefined;
}

export interface IntrospectorOptions extends ClaimOptions, IssuerConnection {
  readonly audience: readonly string[];
  readonly clockTolerance: number;
  readonly options: IntrospectionOptions;
  readonly onError: (error: TenonError) => void;
}

/** Verifies tokens by introspection at their issuer. */
export function createIntrospector(rules: IntrospectorOptions): VerifyToken {
  const { options, issuer } = rules;
  const createAuth = options.clientMethod === 'client_secret_post' ? ClientSecretPost : createBasicAuth;
  const clientAuth = createAuth(options.clientSecret);
  let server: Promise<AuthorizationServer> | undefined;

  const introspect = async (token: string): Promise<JsonObject> => {
    server ??= findIntrospectionServer(rules);
    const authorizationServer = await server;
    const client = { client_id: options.clientId };
    const requestOptions = {
      [customFetch]: hideCredentials(createIssuerFetch(rules)) as never,
      // The guard decides which URLs may be requested without TLS.
      [allowInsecureRequests]: true,
      additionalParameters: { token_type_hint: 'access_token' },
    };
    const send = () => introspectionRequest(authorizationServer, client, clientAuth, token, requestOptions);
    return requestEndpoint(send, {
      statuses: [200],
      normalize: dropEmptyMembers,
      validate: response => processIntrospectionResponse(authorizationServer, client, response),
    });
  };
  return async token => {
    try {
      return toTokenResult(await introspect(token), rules);
    } catch (cause) {
      server = undefined;
      const reason = stripError(toAuthError(cause, issuer, 'the token introspection'));
      rules.onError(createUnreachableError(issuer, 'token introspection at the issuer failed', reason));
      return { error: 'unavailable' };
    }
  };
}

async function findIntrospectionServer(rules: IntrospectorOptions): Promise<AuthorizationServer> {
  const { issuer, options } = rules;
  const metadata: JsonObject = options.endpoint === undefined ? await fetchIssuerDocument(rules) : { issuer };
  const endpoint = options.endpoint ?? metadata.introspection_endpoint;
  if (typeof endpoint !== 'string') {
    throw new TenonError('auth/issuer', 'the issuer metadata has no introspection endpoint', {
      peer: issuer,
      expected: '`introspection_endpoint` in its metadata',
      hint: 'set `introspection.endpoint`',
    });
  }
  return { issuer, introspection_endpoint: endpoint };
}

function toTokenResult(response: JsonObject, rules: IntrospectorOptions): ReturnType<typeof readClaims> {
  const { clock, issuer, audience, clockTolerance, options } = rules;
  const { active, ...claims } = response;
  if (active !== true) return createInvalidTokenError();
  if (claims.iss !== undefined && claims.iss !== issuer)
    return createInvalidTokenError('The token was issued by another issuer');
  if (!isAudience(claims.aud, audience)) return createInvalidTokenError('The token was not issued for this resource');
  const now = clock.now();
  const endsAt = claims.exp === undefined ? Number.POSITIVE_INFINITY : Number(claims.exp) * 1000;
  if (!(endsAt + clockTolerance > now)) return createInvalidTokenError('The token has expired');
  if (claims.nbf !== undefined && !(Number(claims.nbf) * 1000 - clockTolerance <= now)) {
    return createInvalidTokenError('The token is not valid yet');
  }
  const times = { expiresAt: endsAt + clockTolerance, expires: Math.min(endsAt, now + (options.ttl ?? 30_000)) };
  return readClaims({ iss: issuer, ...claims }, times, rules);
}
