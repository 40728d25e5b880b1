import { isUnclear, unresolvedReadingsOf, walk } from './readings.js';
import { followSystemLinks } from './system-links.js';
import { foldCase } from './texts.js';
import { parsed, plainUrl, possibleUrls } from './urls.js';

/** How long a text may be to be read as a path, in characters. A longer one may be anywhere. */
const MAX_PATH = 65_536;

/** A place in some tree: `/work` is in `/`, `C:\work` in `c:`, `https://host/work` in `https://host`, `work` in nothing. */
interface Place {
  readonly root: string;
  readonly segments: readonly string[];
}

/** A folder, and what is in it. The folder itself is. No link on the disk is followed, because only the texts are known; those that a system provides itself are. */
export interface Folder {
  /** Whether a text names something in it whoever reads it. */
  holds(text: string): boolean;
  /** Whether somebody could read a text as the name of something in it. */
  mayHold(text: string): boolean;
}

/** `undefined` for what is no folder: empty, with dots that lead out of it, with stars, encoded, or behind a link of the system. */
export function folderOf(text: string): Folder | undefined {
  const place = text === '' || /[*?%#\0-\x1f]/.test(text) ? undefined : placeOfFolder(text);
  if (place === undefined || place.segments.includes('..')) return undefined;
  if (leavesByLink(text)) return undefined;
  return {
    holds: each => each.length <= MAX_PATH && !isUnclear(each) && holds(place, each),
    mayHold: each => each.length > MAX_PATH || isUnclear(each) || mayHold(place, each),
  };
}

function placeOfFolder(text: string): Place | undefined {
  if (/^file:/i.test(text)) return /^file:\/\/\//i.test(text) ? placeOf(text.slice(7)) : undefined;
  if (!isUrl(text)) return placeOf(text.replaceAll('\\', '/'));
  const url = plainUrl(text);
  return url && placeInUrl(url, url.pathname);
}

/** Drives have one letter. */
function isUrl(text: string): boolean {
  return /^[a-z][a-z0-9+.-]+:\/\//i.test(text);
}

function placeInUrl({ protocol, host }: URL, path: string): Place {
  return { root: `${protocol}//${host}`, segments: walk(path).segments };
}

function placeOf(path: string): Place {
  const drive = /^\/?([a-z]):\//i.exec(path);
  if (drive) return { root: `${drive[1]?.toLowerCase()}:`, segments: walk(path.slice(drive[0].length - 1)).segments };
  const { absolute, segments } = walk(path);
  if (!absolute) return { root: '', segments };
  return { root: path.startsWith('//') ? '//' : '/', segments };
}

function holds(folder: Place, text: string): boolean {
  // Such a path may lead anywhere, whatever folder it begins in.
  if (leavesByLink(text)) return false;
  const places = certainPlaces(text, isDrive(folder.root));
  return places.length > 0 && places.every(place => isPlain(place) && isIn(folder, place));
}

/** All that a text says in every reading; nothing when readers differ on what it is. */
function certainPlaces(text: string, onDrive: boolean): readonly Place[] {
  const readings = (path: string) => {
    const all = unresolvedReadingsOf(path);
    if (all.some(each => /[\0-\x1f\x7f]/.test(each))) return [];
    // Where there are drives, a backslash is a slash and nothing else.
    return onDrive ? all.filter(each => !each.includes('\\')) : all;
  };
  if (/^file:/i.test(text)) {
    const url = /^file:\/\/\//i.test(text) ? parsed(text) : undefined;
    return url ? both(readings(text.slice(7)), readings(url.pathname)).map(placeOf) : [];
  }
  if (!isUrl(text)) return readings(text).map(placeOf);
  const url = plainUrl(text);
  if (url === undefined) return [];
  const written = /^[a-z]+:\/\/[^/?#]*([^?#]*)/i.exec(text)?.[1] || '/';
  return both(readings(written), readings(url.pathname)).map(path => placeInUrl(url, path));
}

/** Nothing, when one of the two is. */
function both(one: readonly string[], other: readonly string[]): readonly string[] {
  return one.length > 0 && other.length > 0 ? [...one, ...other] : [];
}

/** Some systems drop dots and spaces at the end of names, and have more behind a colon: who knows what is meant. */
function isPlain({ segments }: Place): boolean {
  return segments.every(segment => segment === '..' || !/[.\s]$|:/.test(segment));
}

function isIn(folder: Place, { root, segments }: Place): boolean {
  return root === folder.root && segments[0] !== '..' && begins(segments, folder.segments);
}

/** Tells whether a path leaves the folder that it begins in by a link of the operating system. */
function leavesByLink(text: string): boolean {
  const path = /^file:/i.test(text) ? (parsed(text)?.pathname ?? text) : text;
  return !isUrl(path) && unresolvedReadingsOf(path).some(each => followSystemLinks(each).escapes);
}

function mayHold(folder: Place, text: string): boolean {
  const bare = text.trim();
  const stripped = bare.replace(/^file:[\\/]*/i, '/');
  const cut = bare.replace(/\0.*$/s, '');
  const urls = possibleUrls(bare);
  const files = urls.filter(({ protocol }) => protocol === 'file:').map(({ pathname }) => pathname);
  const paths = [bare, stripped, cut, ...files].flatMap(unresolvedReadingsOf);
  // `\\?\C:\work` is `C:\work`, and some systems read `.. ` as `..`.
  const devices = paths.flatMap(path => (/^\/\/[?.]\//.test(path) ? [path.slice(4)] : []));
  const trimmed = paths.map(path =>
    path
      .split('/')
      .map(segment => segment.trimEnd())
      .join('/'),
  );
  const written = [...new Set([...paths, ...devices, ...trimmed])];
  const inUrls = urls.flatMap(url => unresolvedReadingsOf(url.pathname).map(path => placeInUrl(url, path)));
  if ([...written.map(placeOf), ...inUrls].some(place => mayBeIn(folder, place))) return true;
  if (isUrlRoot(folder.root)) return false;
  const links = written.map(followSystemLinks);
  return links.some(({ anywhere, paths }) => anywhere || paths.some(path => mayBeIn(folder, placeOf(path))));
}

function mayBeIn(folder: Place, place: Place): boolean {
  const [inner, outer] = [place.segments.map(folded), folder.segments.map(folded)];
  if (isUrlRoot(folder.root)) return place.root === folder.root && begins(inner, outer);
  if (isUrlRoot(place.root) && !place.root.startsWith('file:')) return false;
  // A relative folder may be anywhere.
  if (folder.root === '') return outer.length === 0 || inner.some((_, at) => begins(inner.slice(at), outer));
  if (isDrive(place.root) && isDrive(folder.root) && place.root !== folder.root) return false;
  if (place.root !== '') return begins(inner, outer);
  // A relative path may begin in any of the folders that lead to this one.
  const down = inner.slice(inner.filter(segment => segment === '..').length);
  return outer.length === 0 || outer.some((_, at) => begins(down, outer.slice(at)));
}

function isUrlRoot(root: string): boolean {
  return root.includes('://');
}

function isDrive(root: string): boolean {
  return root.length === 2 && root.endsWith(':');
}

function begins(segments: readonly string[], first: readonly string[]): boolean {
  return first.every((segment, at) => segment === segments[at]);
}

/** As a system reads it that cares for neither case nor composition, nor for what stands behind a colon or at the end. */
function folded(segment: string): string {
  if (segment === '..') return segment;
  const name = foldCase(segment);
  const colon = name.indexOf(':');
  let end = colon > 0 ? colon : name.length;
  while (end > 0 && /[.\s]/.test(name[end - 1] as string)) end--;
  return name.slice(0, end);
}
