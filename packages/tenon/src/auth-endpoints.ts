/**
 * Building blocks for authorization servers and sign-in pages: requests and pages, guarded requests, sealed values.
 * `@tenon/issuer` uses them.
 *
 * @module tenon/auth/endpoints
 */

export {
  type AuthFetch,
  type AuthFetchResponse,
  createGuardedFetch,
  type GuardedFetch,
  type GuardedFetchInit,
  type GuardedFetchOptions,
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
