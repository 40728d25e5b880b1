import { TenonError } from '../jsonrpc/error.js';
import { type Reach, reachOf, reachOfHost } from './addresses.js';

/** What loosens the guard. */
export interface GuardOptions {
  /**
   * Lets tokens and secrets go over plain `http:` to hosts other than this machine: whoever is on the way reads them.
   * Default `false`.
   */
  readonly allowInsecure?: boolean | undefined;
  /**
   * Lets a public server name URLs of private networks: it can then make this process ask machines behind its firewall
   * (SSRF). Default: only a server that is local or private itself may.
   */
  readonly allowPrivate?: boolean | undefined;
}

/** Which URLs that somebody else has named may be asked or opened. */
export interface UrlGuard {
  /** Gives the URL back, parsed. Throws `auth/unsafe-url`. `what` is what the error calls it. */
  check(url: string | URL, what: string): URL;
  /**
   * Whether an address that a name stands for may be connected to, for the sake of `url`. One of the server's own origin may
   * be at any address: the user named it, and the client connects to it anyway.
   */
  mayConnect(address: string, url?: URL): boolean;
  /** Whether plain `http:` may be used at all. */
  readonly plain: boolean;
}

/**
 * Judges by where the server itself is: on loopback it may name plain `http:` URLs of loopback; a local or private one may
 * name private addresses. https://modelcontextprotocol.io/docs/tutorials/security/security_best_practices
 */
export function createUrlGuard(server: string | URL, options: GuardOptions = {}): UrlGuard {
  const { origin, hostname } = new URL(server);
  const own = reachOfHost(hostname);
  const local = own === 'loopback';
  const inside = options.allowPrivate === true || local || own === 'private';
  const mayReach = (reach: Reach): boolean => {
    if (reach === 'public') return true;
    if (reach === 'loopback' || reach === 'private') return inside;
    return reach === 'link-local' && own === 'link-local';
  };
  return {
    plain: local || options.allowInsecure === true,
    mayConnect: (address, url) => url?.origin === origin || mayReach(reachOf(address) ?? 'reserved'),
    check(given, what) {
      const url = parse(given, what);
      const reach = reachOfHost(url.hostname);
      const plain = options.allowInsecure === true || (local && reach === 'loopback');
      if (url.protocol !== 'https:' && !(url.protocol === 'http:' && plain)) throw unsafe(what, url, 'https:');
      if (url.username || url.password) throw unsafe(what, url, 'no credentials in it');
      if (!mayReach(reach)) throw unsafe(what, url, 'a public host', reach);
      return url;
    },
  };
}

function parse(given: string | URL, what: string): URL {
  try {
    return new URL(given);
  } catch {
    throw new TenonError('auth/unsafe-url', `${what} is not a URL`, { expected: 'an absolute https: URL' });
  }
}

function unsafe(what: string, { protocol, host }: URL, expected: string, reach?: Reach): TenonError {
  const got = reach ? `${host}, which is ${reach}` : `${protocol}//${host}`;
  const next = reach
    ? 'if you trust this server with your network, set `allowPrivate`'
    : 'the server, or its authorization server, must name another URL';
  return new TenonError('auth/unsafe-url', `${what} may not be used`, { expected, got: got.slice(0, 200), next });
}

/** A URL that may be shown to a browser: `https:`, or `http:` on this machine. Throws `auth/unsafe-url`. */
export function checkOpenable(given: string | URL): URL {
  const url = parse(given, 'the authorization URL');
  const isLocal = url.protocol === 'http:' && reachOfHost(url.hostname) === 'loopback';
  if (url.protocol !== 'https:' && !isLocal) throw unsafe('the authorization URL', url, 'https:');
  if (url.username || url.password) throw unsafe('the authorization URL', url, 'no credentials in it');
  return url;
}
