/**
 * OAuth authorization servers for MCP: one for development and tests, and a proxy for an identity provider.
 *
 * @module @tenon/issuer
 */

import { requireKnownOptions } from '@tenon/base';
import type { AuthEndpoint } from '@tenon/base/oauth';
import type { AuthInfo } from 'tenon';
import { answerFetch, type FetchRequestInfo, type WorkerContext } from 'tenon/http';
import { createIssuerEndpoint, type IssuerOptions } from './issuer.js';
import { OPTIONS_CODE } from './option-error.js';
import { createProxyEndpoint, type OauthProxyOptions } from './proxy/oauth-proxy.js';

export type { IssuerClient } from './clients/client.js';
export type { RedirectRule } from './clients/redirect-rules.js';
export type { IssuerOptions } from './issuer.js';
export type { AllowRequest, AllowResult, IssuerBaseOptions, IssuerLimits, IssuerRequest } from './options.js';
export type { OauthProxyOptions } from './proxy/oauth-proxy.js';
export type { UpstreamOptions, UpstreamTokens } from './proxy/upstream-provider.js';

/** OAuth authorization server as a function: `export default { fetch: createIssuer(…) }`. On Node: `toNode(issuer)`. */
export interface Issuer {
  (request: Request, info?: FetchRequestInfo, workerContext?: WorkerContext): Promise<Response>;
  /** Endpoint that the function calls, for `toNode` and for adapters of other runtimes. */
  readonly endpoint: AuthEndpoint;
}

/**
 * Creates an authorization server **for development and tests**. It has no accounts, no second factor and no limit on
 * sign-in attempts. It supports the authorization code grant with PKCE, refresh tokens and client credentials.
 *
 * It issues JWTs for the resources in its options. Clients are configured, register themselves, or use the URL of a
 * metadata document as their ID.
 *
 * @throws TenonError `auth/issuer-options`, for example for an `http:` URL that is not on loopback.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization
 */
export function createIssuer(options: IssuerOptions): Issuer {
  requireKnownOptions(
    'createIssuer',
    options,
    {
      users: true,
      signIn: true,
      url: true,
      resources: true,
      scopes: true,
      stores: true,
      keys: true,
      clients: true,
      registration: true,
      clientMetadataDocuments: true,
      limits: true,
      allowRequest: true,
      redirectSchemes: true,
      redirectRules: true,
      accessTokenTtl: true,
      refreshTokenTtl: true,
      clock: true,
      fetch: true,
      onError: true,
    },
    OPTIONS_CODE,
  );
  const endpoint = createIssuerEndpoint(options);
  return toIssuer(endpoint);
}

/** OAuth proxy of an identity provider, as a function. */
export interface OauthProxy extends Issuer {
  /**
   * Returns the identity provider's token of a caller (`ctx.auth`), for requests of the server to that provider.
   * Resolves with `undefined` when the token has expired or the caller has none. Do not pass the token on to other
   * parties.
   */
  getUpstreamToken(auth: AuthInfo): Promise<string | undefined>;
}

/**
 * Creates an OAuth proxy for an identity provider that does not let clients register. Clients register at the proxy.
 * The provider knows the proxy as its only client, so the proxy asks the user for consent to each client.
 *
 * The proxy issues its own tokens, and stores those of the provider in `stores`.
 *
 * @throws TenonError `auth/issuer-options`
 * @see https://modelcontextprotocol.io/docs/tutorials/security/security_best_practices
 */
export function oauthProxy(options: OauthProxyOptions): OauthProxy {
  requireKnownOptions(
    'oauthProxy',
    options,
    {
      upstream: true,
      encryptionKeys: true,
      url: true,
      resources: true,
      scopes: true,
      stores: true,
      keys: true,
      clients: true,
      registration: true,
      clientMetadataDocuments: true,
      limits: true,
      allowRequest: true,
      redirectSchemes: true,
      redirectRules: true,
      accessTokenTtl: true,
      refreshTokenTtl: true,
      clock: true,
      fetch: true,
      onError: true,
    },
    OPTIONS_CODE,
  );
  const { endpoint, getUpstreamToken } = createProxyEndpoint(options);
  return Object.assign(toIssuer(endpoint), { getUpstreamToken });
}

function toIssuer(endpoint: AuthEndpoint): Issuer {
  const handleRequest: (...args: Parameters<Issuer>) => Promise<Response> = (...args) =>
    answerFetch(endpoint.handle, ...args);
  return Object.assign(handleRequest, { endpoint });
}
