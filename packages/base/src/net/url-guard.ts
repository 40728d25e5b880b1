import { TenonError } from '../errors/error.js';
import { type Check, checkFunction, checkObject } from '../options/check.js';
import { requireKnownOptions } from '../options/check-options.js';
import { parseUrl } from '../uris/parse-url.js';
import { type AddressClass, classifyAddress, classifyHost } from './address-class.js';
import { isEncryptedOrLocal } from './loopback.js';

/** Options that allow more URLs. */
export interface GuardOptions {
  /**
   * Allows tokens and secrets over plain `http:` to hosts other than this machine. Anyone on the network path can
   * read them.
   * @default `false`
   */
  readonly allowInsecure?: boolean | undefined;
  /**
   * Allows a public server to name URLs of private networks. Such a server can make this process send requests to
   * machines behind its firewall (SSRF).
   * @default only a local or private server may name them
   */
  readonly allowPrivate?: boolean | undefined;
}

/** Checks that a value is a guard. */
export const checkGuard: Check = checkObject({ check: checkFunction, mayConnect: checkFunction });

/** Decides which URLs of other parties the client may fetch or open. */
export interface UrlGuard {
  /**
   * Parses and checks a URL.
   *
   * @param label Name of the URL in the error.
   * @throws TenonError `auth/unsafe-url`
   */
  check(url: string | URL, label: string): URL;
  /**
   * Tells if the client may connect to `address` for `url`. Every address of the server's own origin is allowed,
   * because the user configured that server.
   */
  mayConnect(address: string, url?: URL): boolean;
  /** True if plain `http:` is allowed for some URLs. */
  readonly allowsPlainHttp: boolean;
}

/**
 * Creates a guard from the address of the server. A server on loopback may name plain `http:` URLs on loopback. A local
 * or private server may name private addresses.
 *
 * @see https://modelcontextprotocol.io/docs/tutorials/security/security_best_practices
 */
export function createUrlGuard(server: string | URL, options: GuardOptions = {}): UrlGuard {
  requireKnownOptions('createUrlGuard', options, { allowInsecure: true, allowPrivate: true });
  const { origin, hostname } = new URL(server);
  const serverClass = classifyHost(hostname);
  const isLoopback = serverClass === 'loopback';
  const allowsPrivate = options.allowPrivate === true || isLoopback || serverClass === 'private';
  const mayReach = (addressClass: AddressClass): boolean => {
    if (addressClass === 'public') return true;
    if (addressClass === 'loopback' || addressClass === 'private') return allowsPrivate;
    return addressClass === 'link-local' && serverClass === 'link-local';
  };
  return {
    allowsPlainHttp: isLoopback || options.allowInsecure === true,
    mayConnect: (address, url) => url?.origin === origin || mayReach(classifyAddress(address) ?? 'reserved'),
    check(value, label) {
      const url = requireUrl(value, label);
      const addressClass = classifyHost(url.hostname);
      const plain = options.allowInsecure === true || (isLoopback && addressClass === 'loopback');
      if (url.protocol !== 'https:' && !(url.protocol === 'http:' && plain))
        throw createUnsafeUrlError(label, url, 'https:');
      if (url.username || url.password) throw createUnsafeUrlError(label, url, 'a URL without credentials');
      if (!mayReach(addressClass)) throw createUnsafeUrlError(label, url, 'a public host', addressClass);
      return url;
    },
  };
}

function requireUrl(value: string | URL, label: string): URL {
  const url = parseUrl(value);
  if (url) return url;
  throw new TenonError('auth/unsafe-url', `${label} is not a URL`, { expected: 'an absolute https: URL' });
}

function createUnsafeUrlError(
  label: string,
  { protocol, host }: URL,
  expected: string,
  addressClass?: AddressClass,
): TenonError {
  const got = addressClass ? `${host}, which is ${addressClass}` : `${protocol}//${host}`;
  const hint = addressClass
    ? 'set `allowPrivate` if you trust the server with your network'
    : 'ask the operator of the server to name another URL';
  return new TenonError('auth/unsafe-url', `unsafe URL for ${label}`, { expected, received: got.slice(0, 200), hint });
}

/**
 * Checks a URL before it is opened in a browser. It must use `https:`, or `http:` on this machine.
 *
 * @throws TenonError `auth/unsafe-url`
 */
export function checkBrowserUrl(value: string | URL): URL {
  const url = requireUrl(value, 'the authorization URL');
  if (!isEncryptedOrLocal(url)) throw createUnsafeUrlError('the authorization URL', url, 'https:');
  if (url.username || url.password)
    throw createUnsafeUrlError('the authorization URL', url, 'a URL without credentials');
  return url;
}
