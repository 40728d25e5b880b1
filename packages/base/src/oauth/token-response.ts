import type { TokenEndpointResponse } from 'oauth4webapi';
import { normalizeAccessTokenResponse } from './normalize-response.js';
import { requestEndpoint } from './request-endpoint.js';

/**
 * Sends a token request, and reads the response with what many authorization servers send in place of the standard: `null`
 * members, a lifetime as text, no `token_type`, another content type.
 *
 * @param validate Validates the normalized response.
 * @param normalize `normalizeTokenResponse` keeps the ID token.
 * @throws EndpointError, or a TenonError of `GuardedFetch`. `getOauthErrorCode` returns the OAuth error code.
 * @see https://www.rfc-editor.org/rfc/rfc6749#section-5
 */
export function requestTokenResponse(
  send: () => Promise<Response>,
  validate: (response: Response) => Promise<TokenEndpointResponse>,
  normalize = normalizeAccessTokenResponse,
): Promise<TokenEndpointResponse> {
  return requestEndpoint(send, { statuses: [200], normalize, validate });
}
