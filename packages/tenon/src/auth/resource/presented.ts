import type { Problem } from './problem.js';
import type { RequestFacts } from './protection.js';

/** A token as a request presents it. */
export interface Presented {
  readonly scheme: 'bearer' | 'dpop';
  readonly token: string;
}

/** How long a token may be, in characters. */
const MAX_TOKEN = 16 * 1024;
/** https://www.rfc-editor.org/rfc/rfc6750#section-2.1 */
const TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/;
const IN_QUERY = /(?:^|&)access_token=/i;

const QUERY: Problem = {
  problem: 'malformed',
  why: 'A token belongs in the Authorization header: a URL ends up in logs, histories and Referer headers',
};

/** Finds the token of a request, in the one place where it may be. https://www.rfc-editor.org/rfc/rfc6750#section-2 */
export function readPresented(request: RequestFacts): Presented | Problem {
  if (IN_QUERY.test(request.query)) return QUERY;
  const [name = '', token, ...more] = (request.header('authorization') ?? '').trim().split(/ +/);
  const scheme = name.toLowerCase();
  if (scheme !== 'bearer' && scheme !== 'dpop') return { problem: 'missing' };
  if (token === undefined || more.length > 0 || token.length > MAX_TOKEN || !TOKEN.test(token)) {
    return { problem: 'malformed', why: 'The Authorization header holds a scheme and one token' };
  }
  return { scheme, token };
}
