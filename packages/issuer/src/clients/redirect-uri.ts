import { classifyHost, parseUrl } from '@tenon/base';

/** Maximum length of a redirect URI, in characters. */
const MAX_URI_LENGTH = 2_048;
/** Schemes that run code or read data in a browser, and schemes of the web. A native app cannot have them. */
const BROWSER_SCHEMES =
  /^(javascript|vbscript|data|blob|file|filesystem|about|view-source|ftp|wss?|mailto|tel|intent|content|chrome|edge|https?):?$/i;
const LOOPBACK = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::\d{1,5})?(?=[/?]|$)/;

/** Tells if a URI points to the machine on which the browser runs. */
export const isLoopbackUri = (uri: string): boolean => LOOPBACK.test(uri);

/**
 * Tells if a requested URI is registered. The texts must be equal, except for the port of a loopback address, which a
 * native app chooses at run time.
 *
 * @see https://www.rfc-editor.org/rfc/rfc8252#section-7.3
 */
export function isRegisteredRedirect(requested: string, registered: readonly string[]): boolean {
  if (registered.includes(requested)) return true;
  const withoutPort = (uri: string) => uri.replace(LOOPBACK, '$1');
  if (!isLoopbackUri(requested) || !isRedirectUri(requested, 'native')) return false;
  return registered.some(each => isLoopbackUri(each) && withoutPort(each) === withoutPort(requested));
}

/**
 * Tells if a browser may be redirected to a URI. A web application uses `https:` URIs. A native one may also use
 * loopback URIs and its own schemes, which contain a dot or are in `redirectSchemes`.
 *
 * @see https://openid.net/specs/openid-connect-registration-1_0.html#ClientMetadata
 */
export function isRedirectUri(uri: string, kind: 'web' | 'native', schemes: readonly string[] = []): boolean {
  const url = parsePlainUrl(uri);
  if (url === undefined) return false;
  if (url.protocol === 'https:')
    return hasPlainHost(url) && (kind === 'native' || classifyHost(url.hostname) === 'public');
  if (kind === 'web') return false;
  if (url.protocol === 'http:') return isLoopbackUri(uri);
  const scheme = url.protocol.slice(0, -1);
  return !BROWSER_SCHEMES.test(scheme) && (scheme.includes('.') || schemes.includes(scheme));
}

/** Parses a URI. Returns `undefined` if it has a fragment, credentials or special characters. */
function parsePlainUrl(uri: string): URL | undefined {
  if (uri.length > MAX_URI_LENGTH || uri.includes('#') || !/^[!-~]+$/.test(uri) || /[\\"'<>`]/.test(uri))
    return undefined;
  const url = parseUrl(uri);
  return url?.username || url?.password ? undefined : url;
}

/** Tells if a host is safe in a header, because it has no special characters. */
function hasPlainHost({ host }: URL): boolean {
  return /^[a-z\d.-]+(:\d+)?$|^\[[\da-f:]+\](:\d+)?$/.test(host);
}

/** Returns the host of a URI, or the app of its scheme, for display. */
export function getDisplayHost(uri: string): string {
  const { host, protocol } = new URL(uri);
  return /^https?:$/.test(protocol) ? host : `the app of ${protocol}`;
}

/** Returns the `form-action` source with which a browser may follow the redirect after a form. */
export function getCspSource(uri: string): string {
  const { origin, protocol } = new URL(uri);
  return /^https?:$/.test(protocol) ? origin : protocol;
}
