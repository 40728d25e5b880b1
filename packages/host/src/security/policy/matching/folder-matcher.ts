import { parseUrl } from '@tenon/base';
import { isAmbiguous, listUnresolvedReadings, resolveSegments } from './decoded-variants.js';
import { countMatchSteps, deriveOnce } from './match-work.js';
import { foldCase } from './name-patterns.js';
import { followSystemLinks } from './symlink-aliases.js';
import { listPossibleUrls, parsePlainUrl } from './urls.js';

/** Maximum length of a path, in characters. A longer text may be in any folder. */
const MAX_PATH = 65_536;
/** Number of steps of each compared segment. */
const STEPS_OF_SEGMENT = 10;

/**
 * Position in a file tree: `/work` is in `/`, `C:\work` in `c:`, `https://host/work` in `https://host`. `work` has no
 * root.
 */
interface PathLocation {
  readonly root: string;
  readonly segments: readonly string[];
}

/**
 * Matches the paths in a folder, including the folder itself. Only the texts are known, so links on the disk are not
 * followed. Links that an operating system always provides are followed.
 */
export interface FolderMatcher {
  /** Tells if the text is a path in the folder in every interpretation. */
  contains(text: string): boolean;
  /** Tells if the text is a path in the folder in at least one interpretation. */
  mayContain(text: string): boolean;
}

/**
 * Creates the matcher of a folder. Returns `undefined` for an invalid folder: empty, with `..` that leaves it, with
 * wildcards, encoded, or behind a link of the system.
 */
export function createFolderMatcher(text: string): FolderMatcher | undefined {
  const place = text === '' || /[*?%#\0-\x1f]/.test(text) ? undefined : parseFolder(text);
  if (place === undefined || place.segments.includes('..')) return undefined;
  if (leavesByLink(text)) return undefined;
  return {
    contains: each => each.length <= MAX_PATH && !isAmbiguous(each) && doesContain(place, each),
    mayContain: each => each.length > MAX_PATH || isAmbiguous(each) || mayContainPath(place, each),
  };
}

function parseFolder(text: string): PathLocation | undefined {
  if (/^file:/i.test(text)) return /^file:\/\/\//i.test(text) ? parsePath(text.slice(7)) : undefined;
  if (!isUrl(text)) return parsePath(text.replaceAll('\\', '/'));
  const url = parsePlainUrl(text);
  return url && parseUrlPath(url, url.pathname);
}

/** Tells if a text is a URL. A single letter before the colon is a drive. */
function isUrl(text: string): boolean {
  return /^[a-z][a-z0-9+.-]+:\/\//i.test(text);
}

function parseUrlPath({ protocol, host }: URL, path: string): PathLocation {
  return { root: `${protocol}//${host}`, segments: resolveSegments(path).segments };
}

function parsePath(path: string): PathLocation {
  const drive = /^\/?([a-z]):\//i.exec(path);
  if (drive)
    return { root: `${drive[1]?.toLowerCase()}:`, segments: resolveSegments(path.slice(drive[0].length - 1)).segments };
  const { absolute, segments } = resolveSegments(path);
  if (!absolute) return { root: '', segments };
  return { root: path.startsWith('//') ? '//' : '/', segments };
}

function doesContain(folder: PathLocation, text: string): boolean {
  countMatchSteps(text.length * 4 * STEPS_OF_SEGMENT);
  // Such a path may point anywhere, in whichever folder it begins.
  if (leavesByLink(text)) return false;
  const locations = listCertainLocations(text, isDrive(folder.root));
  return locations.length > 0 && locations.every(place => isPlain(place) && isIn(folder, place));
}

/** Lists all interpretations of a text. Returns an empty list if it is ambiguous. */
function listCertainLocations(text: string, onDrive: boolean): readonly PathLocation[] {
  const getReadings = (path: string) => {
    const all = listUnresolvedReadings(path);
    if (all.some(each => /[\0-\x1f\x7f]/.test(each))) return [];
    // On a system with drives, a backslash is always a separator.
    return onDrive ? all.filter(each => !each.includes('\\')) : all;
  };
  if (/^file:/i.test(text)) {
    const url = /^file:\/\/\//i.test(text) ? parseUrl(text) : undefined;
    return url ? joinIfBoth(getReadings(text.slice(7)), getReadings(url.pathname)).map(parsePath) : [];
  }
  if (!isUrl(text)) return getReadings(text).map(parsePath);
  const url = parsePlainUrl(text);
  if (url === undefined) return [];
  const written = /^[a-z]+:\/\/[^/?#]*([^?#]*)/i.exec(text)?.[1] || '/';
  return joinIfBoth(getReadings(written), getReadings(url.pathname)).map(path => parseUrlPath(url, path));
}

/** Joins two lists. Returns an empty list if one of them is empty. */
function joinIfBoth(one: readonly string[], other: readonly string[]): readonly string[] {
  return one.length > 0 && other.length > 0 ? [...one, ...other] : [];
}

/**
 * Tells if all names have the same meaning on every system. Windows drops trailing dots and spaces, and a colon begins
 * the name of an alternate stream.
 */
function isPlain({ segments }: PathLocation): boolean {
  return segments.every(segment => segment === '..' || !/[.\s]$|:/.test(segment));
}

function isIn(folder: PathLocation, { root, segments }: PathLocation): boolean {
  return root === folder.root && segments[0] !== '..' && startsWithSegments(segments, folder.segments);
}

/** Tells if a path leaves its first folder through a link of the operating system. */
const leavesByLink = deriveOnce(50, text => {
  const path = /^file:/i.test(text) ? (parseUrl(text)?.pathname ?? text) : text;
  return !isUrl(path) && listUnresolvedReadings(path).some(each => followSystemLinks(each).escapes);
});

/** Places that a text may mean. */
interface PossiblePlaces {
  readonly written: readonly PathLocation[];
  /** Places behind links of the operating system. */
  readonly linked: readonly PathLocation[];
  /** True if the text may mean any file. */
  readonly anywhere: boolean;
}

function mayContainPath(folder: PathLocation, text: string): boolean {
  const { written, linked, anywhere } = listPossiblePlaces(text);
  if (written.some(place => mayBeIn(folder, place))) return true;
  return !isUrlRoot(folder.root) && (anywhere || linked.some(place => mayBeIn(folder, place)));
}

const listPossiblePlaces = deriveOnce(200, (text): PossiblePlaces => {
  const bare = text.trim();
  const stripped = bare.replace(/^file:[\\/]*/i, '/');
  const cut = bare.replace(/\0.*$/s, '');
  const urls = listPossibleUrls(bare);
  const files = urls.filter(({ protocol }) => protocol === 'file:').map(({ pathname }) => pathname);
  const paths = [bare, stripped, cut, ...files].flatMap(listUnresolvedReadings);
  // `\\?\C:\work` is `C:\work`, and some systems treat `.. ` as `..`.
  const devices = paths.flatMap(path => (/^\/\/[?.]\//.test(path) ? [path.slice(4)] : []));
  const trimmed = paths.map(path =>
    path
      .split('/')
      .map(segment => segment.trimEnd())
      .join('/'),
  );
  const written = [...new Set([...paths, ...devices, ...trimmed])];
  const inUrls = urls.flatMap(url => listUnresolvedReadings(url.pathname).map(path => parseUrlPath(url, path)));
  const links = written.map(followSystemLinks);
  return {
    written: [...written.map(parsePath), ...inUrls],
    linked: links.flatMap(link => link.paths.map(parsePath)),
    anywhere: links.some(link => link.anywhere),
  };
});

function mayBeIn(folder: PathLocation, place: PathLocation): boolean {
  countMatchSteps((1 + place.segments.length) * STEPS_OF_SEGMENT * (1 + folder.segments.length));
  const [inner, outer] = [place.segments.map(foldSegment), folder.segments.map(foldSegment)];
  if (isUrlRoot(folder.root)) return place.root === folder.root && startsWithSegments(inner, outer);
  if (isUrlRoot(place.root) && !place.root.startsWith('file:')) return false;
  // A relative folder may be anywhere.
  if (folder.root === '') return outer.length === 0 || inner.some((_, at) => startsWithSegments(inner, outer, at));
  if (isDrive(place.root) && isDrive(folder.root) && place.root !== folder.root) return false;
  if (place.root !== '') return startsWithSegments(inner, outer);
  // A relative path may begin in any parent of this folder.
  const down = inner.slice(inner.filter(segment => segment === '..').length);
  return outer.length === 0 || outer.some((_, at) => startsWithSegments(down, outer.slice(at)));
}

function isUrlRoot(root: string): boolean {
  return root.includes('://');
}

function isDrive(root: string): boolean {
  return root.length === 2 && root.endsWith(':');
}

function startsWithSegments(segments: readonly string[], first: readonly string[], start = 0): boolean {
  return first.every((segment, at) => segment === segments[start + at]);
}

/**
 * Normalizes a segment like a file system that ignores case, composition, trailing dots and spaces, and the part after
 * a colon.
 */
function foldSegment(segment: string): string {
  if (segment === '..') return segment;
  const name = foldCase(segment);
  const colon = name.indexOf(':');
  let end = colon > 0 ? colon : name.length;
  while (end > 0 && /[.\s]/.test(name[end - 1] as string)) end--;
  return name.slice(0, end);
}
