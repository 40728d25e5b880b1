import { TenonError } from '../errors/error.js';
import { redactUrl } from './guarded-fetch.js';
import { createUrlGuard, type GuardOptions } from './url-guard.js';

/**
 * Checks that a token may be sent to a URL: over `https:`, to this machine, or anywhere with `allowInsecure`. Anyone on
 * the network path can read a plain `http:` request.
 *
 * @throws TenonError `auth/insecure-server`
 */
export function requireEncryption(url: string, options: GuardOptions): void {
  if (new URL(url).protocol === 'https:' || createUrlGuard(url, options).allowsPlainHttp) return;
  throw new TenonError('auth/insecure-server', 'refused to send a token over plain http:', {
    peer: redactUrl(url),
    expected: 'an https: URL or a loopback address',
    hint: 'use https:, or set `allowInsecure` if you trust the network',
  });
}
