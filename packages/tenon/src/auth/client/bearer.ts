import {
  checkBoolean,
  checkEither,
  checkFunction,
  checkOptional,
  checkString,
  type GuardOptions,
  requireArgument,
  requireEncryption,
  requirePresentOptions,
  TenonError,
} from '@tenon/base';
import type { Authorizer } from './authorizer.js';

type TokenSource = string | (() => string | Promise<string>);

/** Options of `bearer`. */
export interface BearerOptions extends Pick<GuardOptions, 'allowInsecure'> {}

/**
 * Sends an access token that you already have. A function is called for each request, and again after the server
 * refuses its token. The token is sent over `https:` or to this machine only, unless `allowInsecure` is set.
 *
 * @throws TenonError on a request: `auth/insecure-server`, or `auth/bad-token` for a token that is not a valid header
 * value.
 * @see https://www.rfc-editor.org/rfc/rfc6750#section-5.3
 */
export function bearer(token: TokenSource, options: BearerOptions = {}): Authorizer {
  requirePresentOptions<BearerOptions>('bearer', options, { allowInsecure: checkOptional(checkBoolean) });
  requireArgument('`token` of bearer', token, checkEither(checkString, checkFunction));
  const readToken = async (): Promise<string> => {
    const value: unknown = typeof token === 'function' ? await token() : token;
    // The syntax of RFC 6750, section 2.1.
    if (typeof value === 'string' && /^[\w\-.~+/]+=*$/.test(value)) return value;
    throw new TenonError('auth/bad-token', 'invalid token', {
      expected: 'a string of letters, digits and -._~+/=',
      received: typeof value,
    });
  };
  let checkedUrl: string | undefined;
  return {
    async getHeaders({ url }) {
      if (url !== checkedUrl) requireEncryption(url, options);
      checkedUrl = url;
      return { authorization: `Bearer ${await readToken()}` };
    },
    async handleRefusal({ status, sentHeaders }) {
      if (status !== 401 || typeof token !== 'function') return false;
      return `Bearer ${await readToken()}` !== sentHeaders.authorization;
    },
  };
}
