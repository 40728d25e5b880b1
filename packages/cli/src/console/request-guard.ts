import { createHash, randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { PageRole, TokenHeader } from '@tenon/console/api';
import { createSecretCheck } from '../http/secret-check.js';

const TOKEN_HEADER: TokenHeader = 'x-tenon-token';

/**
 * Returns the policy of the page: it loads only its own files, and no text becomes markup or a script. Frames are those of
 * apps only.
 */
const createPolicy = (page: string, frameOrigin: string | undefined): string =>
  [
    "default-src 'none'",
    ["script-src 'self'", ...listDigests(page, /<script>(.*?)<\/script>/gs)].join(' '),
    ["style-src 'self'", ...listDigests(page, /<style>(.*?)<\/style>/gs)].join(' '),
    "img-src 'self' data: blob:",
    'media-src blob:',
    "connect-src 'self'",
    `frame-src ${frameOrigin ?? "'none'"}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');

/** Returns the digests of the parts of the page that are not files of their own. */
const listDigests = (page: string, parts: RegExp): string[] =>
  [...page.matchAll(parts)].map(
    ([, content = '']) => `'sha256-${createHash('sha256').update(content).digest('base64')}'`,
  );

/** Creates the headers of every response. There are none of CORS, so no other origin can read a response. */
export const createSecurityHeaders = (page: string, frameOrigin?: string): Readonly<Record<string, string>> => ({
  'content-security-policy': createPolicy(page, frameOrigin),
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
});

/** A request that is refused. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
}

/** Checks that a request comes from the page of this console. */
export interface RequestGuard {
  /** Secret of the page, new for each start. */
  readonly token: string;
  /** Secret of pages that change nothing, new for each start. */
  readonly readOnlyToken: string;
  /** Returns the origins of the page. */
  listOrigins(): readonly string[];
  /** Returns the reason to refuse any request: another name of this machine, or a page of another origin. */
  checkSource(headers: IncomingHttpHeaders): Refusal | undefined;
  /** Returns the role that the token of a request of the API gives, or the reason to refuse the request. */
  checkToken(headers: IncomingHttpHeaders): PageRole | Refusal;
}

/** Creates the guard of a console that listens on a port of loopback. */
export function createRequestGuard(getPort: () => number): RequestGuard {
  const [token, readOnlyToken] = [createToken(), createToken()];
  const isToken = createSecretCheck(token);
  const isReadOnlyToken = createSecretCheck(readOnlyToken);
  const listHosts = () => [`127.0.0.1:${getPort()}`, `localhost:${getPort()}`];
  const listOrigins = () => listHosts().map(host => `http://${host}`);
  return {
    token,
    readOnlyToken,
    listOrigins,
    checkSource({ host, origin, 'sec-fetch-site': site }) {
      const hosts = listHosts();
      // A name that leads to this machine by DNS is the one of an attacker.
      if (host === undefined || !hosts.includes(host.toLowerCase()))
        return { status: 421, message: `Host: expected ${hosts.join(' or ')}` };
      if (origin !== undefined && !listOrigins().includes(origin))
        return { status: 403, message: 'Origin: expected the origin of the console' };
      if (site === 'cross-site' || site === 'same-site')
        return { status: 403, message: 'Sec-Fetch-Site: expected same-origin or none' };
      return undefined;
    },
    checkToken(headers) {
      const given = headers[TOKEN_HEADER];
      if (typeof given === 'string' && isToken(given)) return 'operator';
      if (typeof given === 'string' && isReadOnlyToken(given)) return 'read-only';
      return {
        status: 401,
        message: `${TOKEN_HEADER}: this is not the token of the command. Open the address that it printed`,
      };
    },
  };
}

/** Creates a token of 256 bits. */
const createToken = (): string => randomBytes(32).toString('base64url');
