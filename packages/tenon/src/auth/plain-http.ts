import { TenonError } from '../jsonrpc/error.js';
import { shown } from './guarded-fetch.js';
import { createUrlGuard, type GuardOptions } from './url-guard.js';

/**
 * Checks that a token may be sent to a URL: by `https:`, to this machine, or anywhere with `allowInsecure`. Anybody on the
 * way of a plain `http:` request can read the token. Throws `auth/insecure-server`.
 */
export function requireEncryption(url: string, options: GuardOptions): void {
  if (new URL(url).protocol === 'https:' || createUrlGuard(url, options).plain) return;
  throw new TenonError('auth/insecure-server', 'a token is not sent over plain http:', {
    peer: shown(url),
    expected: 'https:, or a server on this machine',
    next: 'where you trust all that is between, set `allowInsecure`',
  });
}
