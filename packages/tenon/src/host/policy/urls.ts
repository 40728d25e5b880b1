import { readingsOf } from './readings.js';

/** What every reader of a URL takes for its host. */
const AUTHORITY = /^(?:https?|wss?|ftp):\/\/([^/?#]*)/i;
/** What a careless one takes for it, with whatever slashes there are. */
const CARELESS = /^(?:[a-z][a-z0-9+.-]*:)?[\\/]*([^/?#]*)/i;

/** A URL of whose host there are no two opinions: it stands there as it is, and no user before it. */
export function plainUrl(text: string): URL | undefined {
  const authority = AUTHORITY.exec(text)?.[1]?.toLowerCase();
  const url = authority === undefined ? undefined : parsed(text);
  // A port that goes without saying may be said.
  return url && authority?.replace(/:(?:80|443|21)$/, '') === url.host.replace(/:(?:80|443|21)$/, '') ? url : undefined;
}

/** Every URL that somebody could take a text for. */
export function possibleUrls(text: string): readonly URL[] {
  // A parser takes line ends and tabs out of a URL before it reads it.
  const texts = [text, text.replace(/[\0- ]/g, '')].flatMap(readingsOf);
  // It needs no slashes, either.
  const more = texts.flatMap(each => [each, `https:${each}`]);
  return [...new Set(more)].flatMap(each => parsed(each) ?? []);
}

/** Every host that somebody could take a text to name, in small letters. */
export function possibleHosts(text: string): ReadonlySet<string> {
  const careless = readingsOf(text.trim()).flatMap(each => {
    const authority = CARELESS.exec(each)?.[1] ?? '';
    return authority.split(/[@\\]/).map(part => part.replace(/:\d*$/, ''));
  });
  const careful = possibleUrls(text).map(({ hostname }) => hostname);
  return new Set([...careless, ...careful].map(hostName));
}

/** In small letters and without the dot that names may end in. */
export function hostName(host: string): string {
  return host.toLowerCase().replace(/\.$/, '');
}

/** `undefined` for what is no URL. */
export function parsed(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
