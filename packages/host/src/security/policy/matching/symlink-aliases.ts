import { foldCase } from './name-patterns.js';

/** Possible targets of a path through links that the operating system provides. */
export interface LinkTargets {
  /** Resolved paths: `/etc` for `/proc/self/root/etc`, `etc` for `/proc/self/cwd/etc`, `/etc` for `/private/etc`. */
  readonly paths: readonly string[];
  /** True if the path may point anywhere. Only the process knows the target of an open file such as `/dev/fd/3`. */
  readonly anywhere: boolean;
  /** True if the path leaves its first folder through a link of a process or device. */
  readonly escapes: boolean;
}

/** Maximum number of segments of a link: `proc/1/task/2/fd/3`. One more is needed to see that a path goes on. */
const MAX_LINK = 7;

const PROCESS = /^(?:self|thread-self|\d+)$/;
const STREAMS: ReadonlySet<string> = new Set(['stdin', 'stdout', 'stderr']);
/** Folders that exist twice on macOS: `/etc` is `/private/etc`. */
const PRIVATE: ReadonlySet<string> = new Set(['etc', 'tmp', 'var']);
const DATA_VOLUME = ['system', 'volumes', 'data'];
const ADMIN_SHARE = /^\/\/(?:[?.]\/unc\/)?[^/]+\/([a-z])\$(?=\/|$)/i;
const UNNAMED_VOLUME = /^\/\/[?.]\/(?:globalroot(?=\/|$)|volume\{)/i;

/**
 * Follows the system links of a path with slashes as separators.
 *
 * @see https://man7.org/linux/man-pages/man5/proc_pid_root.5.html
 */
export function followSystemLinks(path: string): LinkTargets {
  const share = ADMIN_SHARE.exec(path);
  if (share) return { paths: [`${share[1]}:${path.slice(share[0].length) || '/'}`], anywhere: false, escapes: false };
  if (UNNAMED_VOLUME.test(path)) return { paths: [], anywhere: true, escapes: true };
  const followed = followProcessLinks(path);
  if (followed === 'anywhere') return { paths: [], anywhere: true, escapes: true };
  const paths = [...(followed === undefined ? [] : [followed]), ...[path, followed ?? path].flatMap(listTwins)];
  return { paths: [...new Set(paths)], anywhere: false, escapes: followed !== undefined };
}

/** Resolves links such as `/proc/self/root`. Returns `undefined` when the path contains none. */
function followProcessLinks(path: string): string | undefined | 'anywhere' {
  let stack: string[] = [];
  // The same segments in one case, without `..` at the start.
  let names: string[] = [];
  let start = path.startsWith('/') ? '/' : '';
  let isFollowed = false;
  for (const segment of path.split('/')) {
    if (segment === '' || segment === '.') continue;
    // The system resolves a link before the `..` after it.
    if (segment === '..' && stack.length > 0 && stack.at(-1) !== '..') {
      stack.pop();
      names.pop();
    } else if (segment !== '..') {
      stack.push(segment);
      names.push(foldCase(segment));
    } else if (start === '') stack.push(segment);
    const target = readLink(names);
    if (target === 'anywhere') return target;
    if (target === undefined) continue;
    [stack, names, start, isFollowed] = [[], [], target, true];
  }
  return isFollowed ? start + stack.join('/') : undefined;
}

/** Returns the start of the path after a link: the root, or the working directory of the process. */
function readLink(segments: readonly string[]): '/' | '' | 'anywhere' | undefined {
  const [first, second] = segments;
  if (first === '.vol' && segments.length === 3) return 'anywhere';
  if (
    first === 'dev' &&
    segments.length === (second === 'fd' ? 3 : 2) &&
    (second === 'fd' || STREAMS.has(second ?? ''))
  )
    return 'anywhere';
  // No link has more segments after `proc`.
  const last = segments.slice(-MAX_LINK);
  const place = last.lastIndexOf('proc');
  const [process, ...rest] = place < 0 ? [] : last.slice(place + 1);
  if (process === undefined || !PROCESS.test(process)) return undefined;
  const [link, of, ...more] = rest[0] === 'task' ? rest.slice(2) : rest;
  if (more.length > 0) return undefined;
  if (link === 'fd' || link === 'map_files') return of === undefined ? undefined : 'anywhere';
  if (of !== undefined) return undefined;
  if (link === 'root') return '/';
  // The working directory of another process is unknown.
  if (link === 'cwd') return /^\d/.test(process) ? 'anywhere' : '';
  return link === 'exe' ? 'anywhere' : undefined;
}

/** Returns the other spelling of a path with two names. */
function listTwins(path: string): readonly string[] {
  if (!path.startsWith('/')) return [];
  const segments = path.split('/').filter(each => each !== '' && each !== '.');
  const [first = '', second = ''] = segments.map(foldCase);
  if (first === 'private' && PRIVATE.has(second)) return [`/${segments.slice(1).join('/')}`];
  if (PRIVATE.has(first)) return [`/private/${segments.join('/')}`];
  const isData = DATA_VOLUME.every((name, at) => foldCase(segments[at] ?? '') === name);
  return isData ? [`/${segments.slice(DATA_VOLUME.length).join('/')}`] : [];
}
