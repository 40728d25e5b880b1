import { classifyHost } from '../../http/address-class.js';

/** How long a redirect URI may be, in characters. */
const MAX_URI_LENGTH = 2_048;
/** What runs or reads something in a browser, or is kept for the web; no scheme of an app. */
const BROWSER_SCHEMES =
  /^(javascript|vbscript|data|blob|file|filesystem|about|view-source|ftp|wss?|mailto|tel|intent|content|chrome|edge|https?):?$/i;
const LOOPBACK = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::\d{1,5})?(?=[/?]|$)/;

/** Whether a URI leads back to the machine on which the browser runs. */
export const isLoopbackUri = (uri: string): boolean => LOOPBACK.test(uri);

/**
 * Whether the URI that is asked for is the one that is registered: the very same text, but for the port of a loopback
 * address, which a program does not know beforehand. https://www.rfc-editor.org/rfc/rfc8252#section-7.3
 */
export function isRegisteredRedirect(requested: string, registered: readonly string[]): boolean {
  if (registered.includes(requested)) return true;
  const withoutPort = (uri: string) => uri.replace(LOOPBACK, '$1');
  if (!isLoopbackUri(requested) || !isRedirectUri(requested, 'native')) return false;
  return registered.some(each => isLoopbackUri(each) && withoutPort(each) === withoutPort(requested));
}

/**
 * Whether browsers may be sent there. Of a web application: `https:`. Of a native one also loopback, and a scheme of its
 * own, which has a dot in it or is one of `redirectSchemes`. https://openid.net/specs/openid-connect-registration-1_0.html#ClientMetadata
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

/** Without a fragment, without a user, and of characters that stand for themselves. */
function parsePlainUrl(uri: string): URL | undefined {
  if (uri.length > MAX_URI_LENGTH || uri.includes('#') || !/^[!-~]+$/.test(uri) || /[\\"'<>`]/.test(uri))
    return undefined;
  try {
    const url = new URL(uri);
    return url.username || url.password ? undefined : url;
  } catch {
    return undefined;
  }
}

/** Hosts may have characters that mean something in a header. */
function hasPlainHost({ host }: URL): boolean {
  return /^[a-z\d.-]+(:\d+)?$|^\[[\da-f:]+\](:\d+)?$/.test(host);
}

/** Where a URI leads, as it is shown to a user. */
export function getDisplayHost(uri: string): string {
  const { host, protocol } = new URL(uri);
  return /^https?:$/.test(protocol) ? host : `the app of ${protocol}`;
}

/** What `form-action` has to have, for a browser to follow the redirect that comes after a form. */
export function getCspSource(uri: string): string {
  const { origin, protocol } = new URL(uri);
  return /^https?:$/.test(protocol) ? origin : protocol;
}
