import { type AuthHttpResponse, createJsonResponse, NO_STORE_HEADERS, type ResponseHeaders } from '@tenon/base/oauth';

/** OAuth error response. The description is for developers of clients, and contains no part of the request. */
export class OauthError extends Error {
  override readonly name = 'OauthError';
  readonly error: string;
  readonly status: number;
  readonly headers: ResponseHeaders;

  constructor(error: string, description: string, status = 400, headers: ResponseHeaders = {}) {
    super(description);
    this.error = error;
    this.status = status;
    this.headers = headers;
  }
}

/**
 * Creates the response for an OAuth error.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6749#section-5.2
 */
export function createOauthErrorResponse({ error, message, status, headers }: OauthError): AuthHttpResponse {
  return createJsonResponse(status, { error, error_description: message }, { ...NO_STORE_HEADERS, ...headers });
}
