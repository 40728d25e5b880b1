import type { AuthRequest } from './request-authorizer.js';
import type { TokenError } from './token-error.js';

/** Access token in a request. */
export interface PresentedToken {
  readonly scheme: 'bearer' | 'dpop';
  readonly token: string;
}

/** Maximum length of a token, in characters. */
const MAX_TOKEN_LENGTH = 16 * 1024;
/**
 * Syntax of a bearer token.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6750#section-2.1
 */
const TOKEN_PATTERN = /^[A-Za-z0-9\-._~+/]+=*$/;
const TOKEN_IN_QUERY = /(?:^|&)access_token=/i;

const QUERY_ERROR: TokenError = {
  error: 'malformed',
  reason: 'A token belongs in the Authorization header: a URL ends up in logs, histories and Referer headers',
};

/**
 * Reads the token of a request from the `Authorization` header, the only place where it is accepted.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6750#section-2
 */
export function readPresentedToken(request: AuthRequest): PresentedToken | TokenError {
  if (TOKEN_IN_QUERY.test(request.query)) return QUERY_ERROR;
  const [name = '', token, ...rest] = (request.header('authorization') ?? '').trim().split(/ +/);
  const scheme = name.toLowerCase();
  if (scheme !== 'bearer' && scheme !== 'dpop') return { error: 'missing' };
  if (token === undefined || rest.length > 0 || token.length > MAX_TOKEN_LENGTH || !TOKEN_PATTERN.test(token)) {
    return { error: 'malformed', reason: 'The Authorization header holds a scheme and one token' };
  }
  return { scheme, token };
}
