/**
 * Building blocks for authorization servers and sign-in pages: requests and pages, guarded requests, sealed values. On
 * Node, guarded requests check the address that they connect to.
 *
 * @module tenon/auth/endpoints
 */
import {
  createGuardedFetch as createGuardedFetchAnywhere,
  type GuardedFetch,
  type GuardedFetchOptions,
} from './auth/http/guarded-fetch.js';
import { withAddressCheck } from './runtimes/node/auth/address-checked-fetch.js';

export type {
  AuthFetch,
  AuthFetchResponse,
  GuardedFetch,
  GuardedFetchInit,
  GuardedFetchOptions,
} from './auth/http/guarded-fetch.js';
export { checkBrowserUrl, createUrlGuard, type GuardOptions, type UrlGuard } from './auth/http/url-guard.js';
export { isGrantRevoked } from './auth/oauth/request-endpoint.js';
export { splitScopes } from './auth/oauth/scope-list.js';
export { getOauthErrorCode } from './auth/oauth/to-auth-error.js';
export { requestTokenResponse } from './auth/oauth/token-response.js';
export { type BrowserCookie, createCookie } from './auth/pages/browser-cookie.js';
export {
  type AuthEndpoint,
  type AuthExchange,
  type AuthHttpRequest,
  type AuthHttpResponse,
  createJsonResponse,
  createRedirect,
  getParameter,
  NO_STORE_HEADERS,
  type ResponseHeaders,
  readHttpRequest,
} from './auth/pages/http-exchange.js';
export { createRandomText } from './auth/pages/random-text.js';
export {
  type DpopProofOptions,
  type ExpectedDpopProof,
  type InvalidDpopProof,
  type VerifiedDpopProof,
  verifyDpopProof,
} from './auth/resource/dpop-proof.js';
export { hashSha256 } from './encoding/sha256.js';
export { logError } from './jsonrpc/log-error.js';
export { type AddressClass, classifyHost } from './net/address-class.js';
export { requireKnownOptions } from './protocol/check-options.js';
export { stripInvisible } from './redaction/invisible-characters.js';
export { createPage, createRefusalPage, type Html, renderHtml } from './redaction/writers/html-page.js';
export { toRecordValues } from './stores/records/record-values.js';
export { areSealKeys, createSeal, deriveSealKey, type Seal, type SealKey } from './stores/seal.js';

/**
 * Creates a `fetch` for URLs that another party chose. It refuses private addresses, ends after 10 s, and reads at most
 * 256 KiB of a response. The default `fetch` is `fetchWithAddressCheck`.
 * @see https://modelcontextprotocol.io/docs/tutorials/security/security_best_practices
 */
export function createGuardedFetch(options: GuardedFetchOptions): GuardedFetch {
  return createGuardedFetchAnywhere(withAddressCheck(options));
}
