import { listReadings } from './decoded-variants.js';

/** Host of a URL in strict syntax, which every parser interprets alike. */
const AUTHORITY = /^(?:https?|wss?|ftp):\/\/([^/?#]*)/i;
/** Host of a URL in lenient syntax, with any number of slashes. */
const LENIENT_AUTHORITY = /^(?:[a-z][a-z0-9+.-]*:)?[\\/]*([^/?#]*)/i;

/** Parses a URL with an unambiguous host: written in its normal form, without credentials. */
export function parsePlainUrl(text: string): URL | undefined {
  const authority = AUTHORITY.exec(text)?.[1]?.toLowerCase();
  const url = authority === undefined ? undefined : parseUrl(text);
  // The default port may be written explicitly.
  return url && authority?.replace(/:(?:80|443|21)$/, '') === url.host.replace(/:(?:80|443|21)$/, '') ? url : undefined;
}

/**
 * Returns the normalized form of a URL, as `new URL()` parses it, without credentials, empty query and trailing dot of
 * the host. `fragment: false` also removes the fragment. Returns `undefined` for an invalid URL.
 */
export function normalizeUrl(text: string, { fragment = true }: { fragment?: boolean } = {}): string | undefined {
  // Most texts are not URLs, and an exception is slower than this check.
  const url = text.includes(':') ? parseUrl(text) : undefined;
  if (url === undefined) return undefined;
  url.username = '';
  url.password = '';
  if (url.hostname.endsWith('.')) url.hostname = url.hostname.replace(/\.+$/, '');
  // The parser reports an empty query as `''` as well. Only setting it removes the `?`.
  if (url.search === '') url.search = '';
  if (!fragment || url.hash === '') url.hash = '';
  return url.href;
}

/**
 * Lists all texts that a server may use for a text: its interpretations, and each of them as a normalized URL. URLs are
 * listed with and without fragment, because requests do not contain it.
 */
export function listComparableTexts(text: string): readonly string[] {
  const readings = listReadings(text);
  const urls = readings.flatMap(each =>
    [normalizeUrl(each) ?? [], normalizeUrl(each, { fragment: false }) ?? []].flat(),
  );
  return urls.length === 0 ? readings : [...new Set([...readings, ...urls, ...urls.flatMap(listReadings)])];
}

/** Lists all URLs that are possible interpretations of a text. */
export function listPossibleUrls(text: string): readonly URL[] {
  // A URL parser removes line breaks and tabs first.
  const texts = [text, text.replace(/[\0- ]/g, '')].flatMap(listReadings);
  // A URL parser also accepts a URL without slashes.
  const more = texts.flatMap(each => [each, `https:${each}`]);
  return [...new Set(more)].flatMap(each => parseUrl(each) ?? []);
}

/** Lists all hosts that are possible interpretations of a text, in lower case. */
export function listPossibleHosts(text: string): ReadonlySet<string> {
  const careless = listReadings(text.trim()).flatMap(each => {
    const authority = LENIENT_AUTHORITY.exec(each)?.[1] ?? '';
    return authority.split(/[@\\]/).map(part => part.replace(/:\d*$/, ''));
  });
  const careful = listPossibleUrls(text).map(({ hostname }) => hostname);
  return new Set([...careless, ...careful].map(normalizeHost));
}

/** Converts a host to lower case, and removes its trailing dot. */
export function normalizeHost(host: string): string {
  return host.toLowerCase().replace(/\.$/, '');
}

/** Parses a URL. Returns `undefined` for an invalid one. */
export function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
