/**
 * Requests to and responses of authorization servers, and the pages of a sign-in.
 *
 * @module @tenon/base/oauth
 */
export { createBasicAuth } from './oauth/basic-auth.js';
export { type BrowserCookie, createCookie } from './oauth/browser-cookie.js';
export {
  classifyFailure,
  type EndpointFailure,
  type FailureVerdict,
  isTemporaryError,
  isUnknownClientError,
} from './oauth/classify-failure.js';
export {
  createInvalidProof,
  type DpopProofOptions,
  type ExpectedDpopProof,
  verifyDpopProof,
} from './oauth/dpop-proof.js';
export { hideCredentials } from './oauth/hide-credentials.js';
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
} from './oauth/http-exchange.js';
export {
  dropEmptyMembers,
  normalizeDeviceResponse,
  normalizeRegistrationResponse,
  normalizeTokenResponse,
} from './oauth/normalize-response.js';
export { EndpointError, getEndpointFailure, isGrantRevoked, requestEndpoint } from './oauth/request-endpoint.js';
export { isScope, mergeScopes, OFFLINE_ACCESS, splitScopes } from './oauth/scope-list.js';
export { getOauthErrorCode, sanitizeServerText, toAuthError } from './oauth/to-auth-error.js';
export { requestTokenResponse } from './oauth/token-response.js';
export { type ChallengeToWrite, formatChallenges, parseChallenges } from './oauth/www-authenticate.js';
