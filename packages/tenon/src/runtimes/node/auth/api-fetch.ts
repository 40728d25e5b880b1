import {
  createGuardedFetch,
  createUrlGuard,
  type GuardedFetch,
  type GuardedFetchOptions,
  parseWebUrl,
  requireKnownOptions,
  TenonError,
} from '@tenon/base';
import { withAddressCheck } from './address-checked-fetch.js';

/** Options of `createApiFetch`. */
export interface ApiFetchOptions {
  /**
   * Timeout of a complete response, in milliseconds.
   * @default 30,000
   */
  readonly timeout?: number | undefined;
  /**
   * Maximum size of a response, in bytes.
   * @default 4,194,304 (4 MiB)
   */
  readonly maxSize?: number | undefined;
}

const DEFAULT_TIMEOUT = 30_000;
const DEFAULT_MAX_SIZE = 4 * 1024 * 1024;

/**
 * Creates a `fetch` for one API, whose credentials stay at its origin. It follows redirects of GET and HEAD only, and sends no
 * credentials to another origin. A public API cannot lead it to a private address.
 *
 * @param baseUrl URL of the API. Plain `http:` is allowed if this URL has it.
 * @throws TenonError `auth/unsafe-url` for a URL that is not absolute
 * @see https://modelcontextprotocol.io/docs/tutorials/security/security_best_practices
 */
export function createApiFetch(baseUrl: string, apiOptions: ApiFetchOptions = {}): GuardedFetch {
  requireKnownOptions('createApiFetch', apiOptions, { timeout: true, maxSize: true });
  const { timeout = DEFAULT_TIMEOUT, maxSize = DEFAULT_MAX_SIZE } = apiOptions;
  const url = parseWebUrl(baseUrl);
  if (!url)
    throw new TenonError('auth/unsafe-url', '`baseUrl` of createApiFetch is not the URL of an API', {
      expected: 'an absolute https: or http: URL',
      hint: 'correct the URL',
    });
  const guard = createUrlGuard(baseUrl, { allowInsecure: url.protocol === 'http:' });
  const options: GuardedFetchOptions = { guard, timeout, maxSize, party: 'the API' };
  return createGuardedFetch(withAddressCheck('createApiFetch', options));
}
