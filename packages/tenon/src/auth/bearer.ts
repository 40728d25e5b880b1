import { TenonError } from '../jsonrpc/error.js';
import type { Authorizer } from './authorizer.js';

type TokenSource = string | (() => string | Promise<string>);

/**
 * Sends a token that you have. A function is asked for each request, and once more when the server has refused what it
 * gave: a new token is then tried once. Rejects with `auth/bad-token` where there is none that a header can hold.
 */
export function bearer(token: TokenSource): Authorizer {
  const read = async (): Promise<string> => check(typeof token === 'function' ? await token() : token);
  return {
    headers: async () => ({ authorization: `Bearer ${await read()}` }),
    async refused({ status, sent }) {
      if (status !== 401 || typeof token !== 'function') return false;
      return `Bearer ${await read()}` !== sent.authorization;
    },
  };
}

/** https://www.rfc-editor.org/rfc/rfc6750#section-2.1 */
function check(token: unknown): string {
  if (typeof token === 'string' && /^[\w\-.~+/]+=*$/.test(token)) return token;
  throw new TenonError('auth/bad-token', 'this is no token', {
    expected: 'letters, digits and -._~+/=',
    got: typeof token,
  });
}
