import { TenonError } from '../../jsonrpc/error.js';
import { redactUrl } from './guarded-fetch.js';
import { createUrlGuard, type GuardOptions } from './url-guard.js';

/**
 * Checks that a token may be sent to a URL: by `https:`, to this machine, or anywhere with `allowInsecure`. Anybody on the
 * way of a plain `http:` request can read the token. Throws `auth/insecure-server`.
 */
export function requireEncryption(url: string, options: GuardOptions): void {
  if (new URL(url).protocol === 'https:' || createUrlGuard(url, options).allowsPlainHttp) return;
  throw new TenonError('auth/insecure-server', 'refused to send a token over plain http:', {
    peer: redactUrl(url),
    expected: 'an https: URL or a loopback address',
    hint: 'use https:, or set `allowInsecure` if you trust the network',
  });
}
