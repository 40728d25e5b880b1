/** `tenon/auth/issuer` on Node: requests of the issuer and of the proxy check the address that they connect to. */
import type { IssuerOptions } from './auth/issuer/issuer.js';
import type { OauthProxyOptions } from './auth/issuer/proxy/oauth-proxy.js';
import {
  createIssuer as createIssuerAnywhere,
  type Issuer,
  type OauthProxy,
  oauthProxy as oauthProxyAnywhere,
} from './auth-issuer.js';
import { withAddressCheck } from './runtimes/node/auth/address-checked-fetch.js';

export type { PrivateJwk } from './auth/client/client-identity.js';
export type { AuthFetch } from './auth/http/guarded-fetch.js';
export type { IssuerClient } from './auth/issuer/clients/client-registry.js';
export type { IssuerEndpoint } from './auth/issuer/endpoint.js';
export type { IssuerOptions } from './auth/issuer/issuer.js';
export type {
  AllowRequest,
  AllowResult,
  IssuerBaseOptions,
  IssuerLimits,
  IssuerRequest,
} from './auth/issuer/options.js';
export type { OauthProxyOptions } from './auth/issuer/proxy/oauth-proxy.js';
export type { UpstreamOptions, UpstreamTokens } from './auth/issuer/proxy/upstream-provider.js';
export type { Issuer, OauthProxy } from './auth-issuer.js';
export type { SealKey } from './stores/seal.js';

/**
 * Makes an authorization server **for development and tests**: it has no accounts, no second factor, no limit on how often
 * somebody tries. It issues JWTs for the servers that it is told of, by authorization code with PKCE, refresh tokens and
 * client credentials, to clients that are given, that register themselves, or whose id is the URL of a document. Throws
 * `auth/issuer-options`, also for a URL of `http:` that is not on loopback. `fetch` is `fetchWithAddressCheck` by default.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization
 */
export function createIssuer(options: IssuerOptions): Issuer {
  return createIssuerAnywhere(withAddressCheck(options));
}

/**
 * Stands before an identity provider that clients cannot register at. Clients register here; each time a user is asked
 * here whether that client may act for them, before the provider is, for which all of them are one. Tokens are of this
 * server: those of the provider stay in `stores`. Throws `auth/issuer-options`. `fetch` is `fetchWithAddressCheck` by default.
 * https://modelcontextprotocol.io/docs/tutorials/security/security_best_practices
 */
export function oauthProxy(options: OauthProxyOptions): OauthProxy {
  return oauthProxyAnywhere(withAddressCheck(options));
}
