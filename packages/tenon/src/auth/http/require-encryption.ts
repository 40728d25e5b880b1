import { TenonError } from '../../jsonrpc/error.js';
import { redactUrl } from './guarded-fetch.js';
import { createUrlGuard, type GuardOptions } from './url-guard.js';

/**
 * Checks that a token may be sent to a URL: by `https:`, to this machine, or anywhere with `allowInsecure`. Anybody on the
 * way of a plain `http:` request can read the token. Throws `auth/insecure-server`.
 */
export function requireEncryption(url: string, options: GuardOptions): void {
  if (new URL(url).protocol === 'https:' || createUrlGuard(url, options).allowsPlainHttp) return;
  throw new TenonError('auth/insecure-server', 'a token is not sent over plain http:', {
    peer: redactUrl(url),
    expected: 'https:, or a server on this machine',
    hint: 'where you trust all that is between, set `allowInsecure`',
  });
}
