/** Reads where a link or an image leads, as a renderer would and not as it looks. */

/** More of a URL than this is not looked at. */
export const MAX_URL = 2048;
const MAX_SHOWN_HOST = 80;

export interface LinkTarget {
  /** Lower case, without the colon. Of `//host`: `https`. */
  readonly scheme: string;
  /** As a resolver sees it: ASCII, lower case. Empty when there is none. */
  readonly host: string;
  /** As it is written. */
  readonly writtenHost: string;
  /** Names a user before the host, which looks like a host. */
  readonly hasUser: boolean;
  /** Decoded of entities and of what browsers drop. */
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

/** Character references of HTML, decoded; and what renderers ignore within a URL, left out. */
function cleanUrl(written: string): string {
  const plain = written
    .slice(0, MAX_URL)
    .replace(new RegExp(reference, 'gi'), (whole, ten?: string, hex?: string, name?: string) =>
      decodeReference(whole, ten, hex, name),
    );
  return plain.replace(/\\(?=[!-/:-@[-`{-~])(?!\\)/g, '').replace(/[\0-\x20\x7f]/g, '');
}

/** True if an absolute address begins at a place. Stops at the first character that cannot be of a scheme. */
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

/** Undefined of what leads nowhere by itself: a relative path, an anchor, a drive letter. */
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
  try {
    return new URL(`${scheme === 'http' ? 'http' : 'https'}://${authority}/`).hostname;
  } catch {
    return undefined;
  }
}

/** Formats a target for people: its host, or its scheme if there is no host. Plain ASCII. */
export function formatHost(written: string): string {
  const target = parseLinkTarget(written);
  if (target === undefined) return 'nowhere';
  const shown = target.host === '' ? `${target.scheme}:…` : target.host;
  const ascii = shown.replace(/[^!-~…]|[[\]<>()]/g, '?');
  const web = target.scheme === 'http' || target.scheme === 'https' || target.host === '' ? '' : `${target.scheme}://`;
  return `${web}${ascii.length > MAX_SHOWN_HOST ? `${ascii.slice(0, MAX_SHOWN_HOST)}…` : ascii}`;
}
