import { extractEmbeddedIpv4, parseIpAddress, parseUrl } from '@tenon/base';
import { listReadings } from './decoded-variants.js';
import { countMatchSteps, deriveOnce } from './match-work.js';
import { followSystemLinks } from './symlink-aliases.js';

/** Maximum length of a host that is parsed, in characters. Names have at most 253. */
const MAX_HOST = 1_000;
/** Number of steps to parse a host. */
const STEPS_OF_HOST = 600;

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
 * Lists all texts that a server may use for a text: its interpretations, and each of them in all forms of a URL. A rule
 * without a query matches a URL with any query, because many servers ignore it.
 */
export const listComparableTexts = deriveOnce(0, (text): readonly string[] => {
  if (!text.includes(':')) return listReadings(text);
  countMatchSteps(text.length * 20);
  // Dots in a query are not dots of the path.
  const readings = [...new Set([text, removeQuery(text)].flatMap(listReadings))];
  const urls = readings.flatMap(each => [each, ...truncateAtNull(each)]).flatMap(listUrlForms);
  return urls.length === 0 ? readings : [...new Set([...readings, ...urls, ...urls.flatMap(listReadings)])];
});

/** Returns a text up to its first null character, where programs in C end it. */
function truncateAtNull(text: string): readonly string[] {
  const end = text.indexOf('\0');
  return end > 0 ? [text.slice(0, end)] : [];
}

/**
 * Lists the forms of a URL that lead to the same resource: normalized, without fragment, without query and fragment,
 * without the slash at its end, and with the IPv4 address in an IPv6 address. Returns an empty list for other texts.
 */
export const listUrlForms = deriveOnce(3, (text): readonly string[] => {
  // A URL parser refuses a user in a `file:` URL, which other parsers ignore.
  const normalized = normalizeUrl(text.replace(/^(\s*file:[\\/]{2})[^\\/]*@/i, '$1'));
  const url = normalized === undefined ? undefined : parseUrl(normalized);
  if (url === undefined) return [];
  countMatchSteps(text.length * (url.protocol === 'file:' ? 70 : 12));
  const forms = listHostForms(url.hostname).flatMap(hostname => [url.href, ...replaceHost(url, hostname)]);
  const short = forms.flatMap(form => [form, form.replace(/#.*$/s, ''), removeQuery(form)]);
  const all = [...short, ...short.map(form => form.replace(/([^/])\/+$/, '$1'))];
  return [...new Set(url.protocol === 'file:' ? [...all, ...all.flatMap(listFileForms)] : all)];
});

/** Returns a URL without query and fragment. */
export function removeQuery(url: string): string {
  return url.replace(/[?#].*$/s, '');
}

function replaceHost(url: URL, hostname: string): readonly string[] {
  const other = new URL(url);
  other.hostname = hostname;
  return other.hostname === url.hostname ? [] : [other.href];
}

/**
 * Lists the forms of a `file:` URL without a host, without the endings of names that Windows ignores (dots, spaces and
 * streams), and behind the links of an operating system.
 */
function listFileForms(url: string): readonly string[] {
  const local = removeQuery(url).replace(/^file:\/\/[^/]*/i, 'file://');
  const path = local.slice('file://'.length);
  const trimmed = path
    .split('/')
    .map(segment => (/^[a-z]:$/i.test(segment) ? segment : segment.replace(/:.*$/s, '').replace(/(?:[. ]|%20)+$/i, '')))
    .join('/');
  return [local, `file://${trimmed}`, ...followSystemLinks(path).paths.map(target => `file://${target}`)];
}

/** Lists all URLs that are possible interpretations of a text. */
export const listPossibleUrls = deriveOnce(10, (text): readonly URL[] => {
  // A URL parser removes line breaks and tabs first.
  const texts = [text, text.replace(/[\0- ]/g, '')].flatMap(listReadings);
  // A URL parser also accepts a URL without slashes.
  const more = texts.flatMap(each => [each, `https:${each}`]);
  return [...new Set(more)].flatMap(each => parseUrl(each) ?? []);
});

/** Lists all hosts that are possible interpretations of a text, in all their forms. */
export const listPossibleHosts = deriveOnce(30, (text): ReadonlySet<string> => {
  const careless = listReadings(text.trim()).flatMap(each => {
    const authority = LENIENT_AUTHORITY.exec(each)?.[1] ?? '';
    return [each, ...authority.split(/[@\\]/)].flatMap(part => [part, part.replace(/:\d*$/, '')]);
  });
  const careful = listPossibleUrls(text).map(({ hostname }) => hostname);
  return new Set([...careless, ...careful].flatMap(listHostForms));
});

/**
 * Lists the forms of a host: in lower case without final dots, as a URL parser reads it (`0x7f.1` is `127.0.0.1`), and
 * the IPv4 address in an IPv6 address (`[::ffff:7f00:1]`).
 */
export function listHostForms(host: string): readonly string[] {
  countMatchSteps(STEPS_OF_HOST);
  const written = normalizeHost(host);
  if (written === '' || written.length > MAX_HOST) return [written];
  const bare = written.replace(/^\[|\]$/g, '').replace(/%.*$/s, '');
  const parsed = parseUrl(`http://${bare.includes(':') ? `[${bare}]` : written}/`)?.hostname;
  const known = parsed === undefined ? [] : [normalizeHost(parsed)];
  const groups = parseIpAddress(known[0] ?? written);
  const embedded = groups?.length === 8 ? extractEmbeddedIpv4(groups) : undefined;
  return [...new Set([written, ...known, ...(embedded === undefined ? [] : [embedded.join('.')])])];
}

/** Converts a host to lower case, and removes its final dots. */
export function normalizeHost(host: string): string {
  return host.toLowerCase().replace(/\.+$/, '');
}
