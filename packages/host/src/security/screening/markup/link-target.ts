import { parseUrl } from '@tenon/base';
/** Parser for the target of a link or image, as a renderer interprets it. */

/** Maximum length of a URL that is parsed, in characters. */
export const MAX_URL = 2048;
const MAX_SHOWN_HOST = 80;

export interface LinkTarget {
  /** Scheme in lower case, without the colon. `https` for `//host`. */
  readonly scheme: string;
  /** Host as a resolver interprets it: ASCII, lower case. Empty if there is none. */
  readonly host: string;
  /** Host as written. */
  readonly writtenHost: string;
  /** True if a user name before the host looks like a host. */
  readonly hasUser: boolean;
  /** URL with decoded character references, and without characters that browsers ignore. */
  readonly url: string;
}

const entities = new Map(
  ['amp&', 'colon:', 'sol/', 'bsol\\', 'lt<', 'gt>', 'quot"', 'num#', 'period.', 'lpar(', 'rpar)', 'quest?', 'equals=']
    .concat(['lowbar_', 'percnt%', 'commat@', 'tab\t', 'newline\n'])
    .map(each => [each.slice(0, -1), each.slice(-1)]),
);

const reference = /&(?:#(\d{1,32})|#x([\da-f]{1,32})|([a-z]{2,8}));?/i;
const MAX_SCHEME = 40;

function decodeReference(whole: string, ten?: string, hex?: string, name?: string): string {
  if (name !== undefined) return entities.get(name.toLowerCase()) ?? whole;
  const code = ten === undefined ? Number.parseInt(hex ?? '', 16) : Number(ten);
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '';
}

/** Decodes the HTML character references of a URL, and removes characters that renderers ignore. */
function cleanUrl(written: string): string {
  const plain = written
    .slice(0, MAX_URL)
    .replace(new RegExp(reference, 'gi'), (whole, ten?: string, hex?: string, name?: string) =>
      decodeReference(whole, ten, hex, name),
    );
  return plain.replace(/\\(?=[!-/:-@[-`{-~])(?!\\)/g, '').replace(/[\0-\x20\x7f]/g, '');
}

/** Tells if an absolute address begins at a position. Stops at the first character that no scheme may contain. */
export function isAbsoluteAddress(text: string, start: number): boolean {
  const escaped = new RegExp(reference, 'iy');
  let [at, read] = [start, ''];
  for (let count = 0; count < MAX_SCHEME && at < text.length; count += 1) {
    escaped.lastIndex = at;
    const match = text[at] === '&' ? escaped.exec(text) : null;
    const character = match ? decodeReference(match[0], match[1], match[2], match[3]) : text[at]!;
    at += match ? match[0].length : 1;
    if (character === '' || character < ' ' || (character === '\\' && read.length > 0 && read !== '\\')) continue;
    if (character === ':' && read.length > 1) return /[^\s)]/.test(text[at] ?? ' ');
    read += character;
    if (/^[\\/]{2}$/.test(read)) return true;
    if (!/^(?:[\\/]|[a-z][a-z0-9+.-]*)$/i.test(read)) return false;
  }
  return false;
}

/** Parses a target. Returns `undefined` if it is not absolute: a relative path, an anchor, a drive letter. */
export function parseLinkTarget(written: string): LinkTarget | undefined {
  const url = cleanUrl(written);
  const scheme = /^([a-z][a-z0-9+.-]{1,39}):/i.exec(url)?.[1]?.toLowerCase();
  if (scheme === undefined && !/^[\\/]{2}/.test(url)) return undefined;
  const authority = /^(?:[^:/\\?#]{0,40}:)?[\\/]{2,8}([^\\/?#]{0,512})/.exec(url)?.[1] ?? '';
  const writtenHost = authority.slice(authority.lastIndexOf('@') + 1).replace(/:\d{0,5}$/, '');
  return {
    scheme: scheme ?? 'https',
    host: normalizeHost(scheme, authority) ?? writtenHost.toLowerCase(),
    writtenHost,
    hasUser: authority.includes('@'),
    url,
  };
}

function normalizeHost(scheme: string | undefined, authority: string): string | undefined {
  if (authority === '') return undefined;
  return parseUrl(`${scheme === 'http' ? 'http' : 'https'}://${authority}/`)?.hostname;
}

/** Formats a target for display: its host, or its scheme if there is no host. Plain ASCII. */
export function formatHost(written: string): string {
  const target = parseLinkTarget(written);
  if (target === undefined) return 'nowhere';
  const shown = target.host === '' ? `${target.scheme}:…` : target.host;
  const ascii = shown.replace(/[^!-~…]|[[\]<>()]/g, '?');
  const web = target.scheme === 'http' || target.scheme === 'https' || target.host === '' ? '' : `${target.scheme}://`;
  return `${web}${ascii.length > MAX_SHOWN_HOST ? `${ascii.slice(0, MAX_SHOWN_HOST)}…` : ascii}`;
}
