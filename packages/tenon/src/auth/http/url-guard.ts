import { TenonError } from '../../jsonrpc/error.js';
import { type AddressClass, classifyAddress, classifyHost } from '../../net/address-class.js';

/** Options that loosen the guard. */
export interface GuardOptions {
  /**
   * Allows tokens and secrets over plain `http:` to hosts other than this machine. Anyone on the network path can read
   * them. Default `false`.
   */
  readonly allowInsecure?: boolean | undefined;
  /**
   * Allows a public server to name URLs of private networks. The server can then make this process send requests to
   * machines behind its firewall (SSRF). Default: only a server that is local or private itself may.
   */
  readonly allowPrivate?: boolean | undefined;
}

/** Decides which URLs of other parties may be fetched or opened. */
export interface UrlGuard {
  /** Gives the URL back, parsed. Throws `auth/unsafe-url`. `what` is what the error calls it. */
  check(url: string | URL, label: string): URL;
  /**
   * True if an address of a name may be connected to, for `url`. One of the server's own origin may be at any address:
   * the user named it, and the client connects to it anyway.
   */
  mayConnect(address: string, url?: URL): boolean;
  /** True if plain `http:` is allowed at all. */
  readonly allowsPlainHttp: boolean;
}

/**
 * Judges by where the server itself is: on loopback it may name plain `http:` URLs of loopback; a local or private one
 * may name private addresses. https://modelcontextprotocol.io/docs/tutorials/security/security_best_practices
 */
export function createUrlGuard(server: string | URL, options: GuardOptions = {}): UrlGuard {
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
      const url = parseUrl(value, label);
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

function parseUrl(value: string | URL, label: string): URL {
  try {
    return new URL(value);
  } catch {
    throw new TenonError('auth/unsafe-url', `${label} is not a URL`, { expected: 'an absolute https: URL' });
  }
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

/** A URL that may be shown to a browser: `https:`, or `http:` on this machine. Throws `auth/unsafe-url`. */
export function checkBrowserUrl(value: string | URL): URL {
  const url = parseUrl(value, 'the authorization URL');
  const isLocal = url.protocol === 'http:' && classifyHost(url.hostname) === 'loopback';
  if (url.protocol !== 'https:' && !isLocal) throw createUnsafeUrlError('the authorization URL', url, 'https:');
  if (url.username || url.password)
    throw createUnsafeUrlError('the authorization URL', url, 'a URL without credentials');
  return url;
}
