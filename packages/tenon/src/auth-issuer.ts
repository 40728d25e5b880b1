/** `tenon/auth/issuer`: an authorization server for development and tests, and a proxy before an identity provider. */
import type { IssuerEndpoint } from './auth/issuer/endpoint.js';
import { createIssuerEndpoint, type IssuerOptions } from './auth/issuer/issuer.js';
import { createProxyEndpoint, type OauthProxyOptions } from './auth/issuer/proxy/oauth-proxy.js';
import type { AuthInfo } from './jsonrpc/transport.js';
import { answerFetch } from './runtimes/web/fetch-handler.js';

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
export type { SealKey } from './stores/seal.js';

/** An authorization server as a function: `export default { fetch: createIssuer(…) }`. On Node: `toNode(issuer)`. */
export interface Issuer {
  (request: Request): Promise<Response>;
  /** The endpoint below it, for `toNode` and for adapters of other runtimes. */
  readonly endpoint: IssuerEndpoint;
}

/**
 * Makes an authorization server **for development and tests**: it has no accounts, no second factor, no limit on how often
 * somebody tries. It issues JWTs for the servers that it is told of, by authorization code with PKCE, refresh tokens and
 * client credentials, to clients that are given, that register themselves, or whose id is the URL of a document. Throws
 * `auth/issuer-options`, also for a URL of `http:` that is not on loopback.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization
 */
export function createIssuer(options: IssuerOptions): Issuer {
  const endpoint = createIssuerEndpoint(options);
  return Object.assign((request: Request) => answerFetch(endpoint.handle, request), { endpoint });
}

export interface OauthProxy extends Issuer {
  /**
   * The identity provider's token of a caller (`ctx.auth`), for the server's own calls there; `undefined` when it has ended
   * or the caller has none. It is for this process: do not hand it out.
   */
  getUpstreamToken(auth: AuthInfo): Promise<string | undefined>;
}

/**
 * Stands before an identity provider that clients cannot register at. Clients register here; each time a user is asked
 * here whether that client may act for them, before the provider is, for which all of them are one. Tokens are of this
 * server: those of the provider stay in `stores`. Throws `auth/issuer-options`.
 * https://modelcontextprotocol.io/docs/tutorials/security/security_best_practices
 */
export function oauthProxy(options: OauthProxyOptions): OauthProxy {
  const { endpoint, getUpstreamToken } = createProxyEndpoint(options);
  return Object.assign((request: Request) => answerFetch(endpoint.handle, request), { endpoint, getUpstreamToken });
}
