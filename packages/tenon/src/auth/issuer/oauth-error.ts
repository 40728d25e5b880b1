import {
  createJsonResponse,
  type IssuerHttpResponse,
  NO_STORE_HEADERS,
  type ResponseHeaders,
} from './http-exchange.js';

/** An answer of OAuth that says no. The words are for developers of clients and hold nothing of what was sent. */
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

/** https://www.rfc-editor.org/rfc/rfc6749#section-5.2 */
export function createOauthErrorResponse({ error, message, status, headers }: OauthError): IssuerHttpResponse {
  return createJsonResponse(status, { error, error_description: message }, { ...NO_STORE_HEADERS, ...headers });
}
