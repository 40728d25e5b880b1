import { listReadings } from './decoded-variants.js';

/** The host of a URL, as every parser reads it. */
const AUTHORITY = /^(?:https?|wss?|ftp):\/\/([^/?#]*)/i;
/** The host of a URL, as a lenient parser reads it, with any number of slashes. */
const LENIENT_AUTHORITY = /^(?:[a-z][a-z0-9+.-]*:)?[\\/]*([^/?#]*)/i;

/** A URL of whose host there are no two opinions: it stands there as it is, and no user before it. */
export function parsePlainUrl(text: string): URL | undefined {
  const authority = AUTHORITY.exec(text)?.[1]?.toLowerCase();
  const url = authority === undefined ? undefined : parseUrl(text);
  // A port that goes without saying may be said.
  return url && authority?.replace(/:(?:80|443|21)$/, '') === url.host.replace(/:(?:80|443|21)$/, '') ? url : undefined;
}

/**
 * Returns the normal form of a URL, as `new URL()` parses it, without credentials, an empty query and the trailing dot
 * of a host. `fragment: false` also removes the fragment. `undefined` for an invalid URL.
 */
export function normalizeUrl(text: string, { fragment = true }: { fragment?: boolean } = {}): string | undefined {
  // Most texts are none, and an error costs more than a look.
  const url = text.includes(':') ? parseUrl(text) : undefined;
  if (url === undefined) return undefined;
  url.username = '';
  url.password = '';
  if (url.hostname.endsWith('.')) url.hostname = url.hostname.replace(/\.+$/, '');
  // An empty query or fragment is null to the parser only after it was set to nothing.
  if (url.search === '') url.search = '';
  if (!fragment || url.hash === '') url.hash = '';
  return url.href;
}

/**
 * Lists the texts that a server may take a text for: its readings, and what each of them is as a URL, with and without
 * its fragment, which no request carries.
 */
export function listComparableTexts(text: string): readonly string[] {
  const readings = listReadings(text);
  const urls = readings.flatMap(each =>
    [normalizeUrl(each) ?? [], normalizeUrl(each, { fragment: false }) ?? []].flat(),
  );
  return urls.length === 0 ? readings : [...new Set([...readings, ...urls, ...urls.flatMap(listReadings)])];
}

/** Lists every URL as which a text could be interpreted. */
export function listPossibleUrls(text: string): readonly URL[] {
  // A parser takes line ends and tabs out of a URL before it reads it.
  const texts = [text, text.replace(/[\0- ]/g, '')].flatMap(listReadings);
  // It needs no slashes, either.
  const more = texts.flatMap(each => [each, `https:${each}`]);
  return [...new Set(more)].flatMap(each => parseUrl(each) ?? []);
}

/** Lists every host as which a text could be interpreted, in lower case. */
export function listPossibleHosts(text: string): ReadonlySet<string> {
  const careless = listReadings(text.trim()).flatMap(each => {
    const authority = LENIENT_AUTHORITY.exec(each)?.[1] ?? '';
    return authority.split(/[@\\]/).map(part => part.replace(/:\d*$/, ''));
  });
  const careful = listPossibleUrls(text).map(({ hostname }) => hostname);
  return new Set([...careless, ...careful].map(normalizeHost));
}

/** In small letters and without the dot that names may end in. */
export function normalizeHost(host: string): string {
  return host.toLowerCase().replace(/\.$/, '');
}

/** Returns `undefined` for an invalid URL. */
export function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
