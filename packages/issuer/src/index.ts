/**
 * OAuth authorization servers for MCP: one for development and tests, and a proxy in front of an identity provider.
 *
 * @module @tenon/issuer
 */
import type { AuthInfo } from 'tenon';
import type { AuthEndpoint } from 'tenon/auth/endpoints';
import { answerFetch } from 'tenon/http';
import { createIssuerEndpoint, type IssuerOptions } from './issuer.js';
import { createProxyEndpoint, type OauthProxyOptions } from './proxy/oauth-proxy.js';

export type { IssuerClient } from './clients/client-registry.js';
export type { IssuerOptions } from './issuer.js';
export type { AllowRequest, AllowResult, IssuerBaseOptions, IssuerLimits, IssuerRequest } from './options.js';
export type { OauthProxyOptions } from './proxy/oauth-proxy.js';
export type { UpstreamOptions, UpstreamTokens } from './proxy/upstream-provider.js';

/** An authorization server as a function: `export default { fetch: createIssuer(…) }`. On Node: `toNode(issuer)`. */
export interface Issuer {
  (request: Request): Promise<Response>;
  /** The endpoint that the function calls, for `toNode` and for adapters of other runtimes. */
  readonly endpoint: AuthEndpoint;
}

/**
 * Creates an authorization server **for development and tests**: it has no accounts, no second factor and no limit on
 * attempts to sign in. It issues JWTs for the resources in its options, by authorization code with PKCE, refresh tokens and
 * client credentials. Clients are configured, register themselves, or have the URL of a document as their id. Throws
 * `auth/issuer-options`, also for an `http:` URL that is not on loopback.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization
 */
export function createIssuer(options: IssuerOptions): Issuer {
  const endpoint = createIssuerEndpoint(options);
  return Object.assign((request: Request) => answerFetch(endpoint.handle, request), { endpoint });
}

/** A proxy in front of an identity provider, as a function. */
export interface OauthProxy extends Issuer {
  /**
   * Returns the identity provider's token of a caller (`ctx.auth`), for calls that the server makes there. `undefined` when
   * the token has expired or the caller has none. Do not pass the token on to other parties.
   */
  getUpstreamToken(auth: AuthInfo): Promise<string | undefined>;
}

/**
 * Creates a proxy in front of an identity provider that does not let clients register. Clients register at the proxy. For the
 * provider they are all one client, so the proxy asks the user for consent to each client before the provider does. The
 * proxy issues its own tokens, and keeps those of the provider in `stores`. Throws `auth/issuer-options`.
 * https://modelcontextprotocol.io/docs/tutorials/security/security_best_practices
 */
export function oauthProxy(options: OauthProxyOptions): OauthProxy {
  const { endpoint, getUpstreamToken } = createProxyEndpoint(options);
  return Object.assign((request: Request) => answerFetch(endpoint.handle, request), { endpoint, getUpstreamToken });
}
