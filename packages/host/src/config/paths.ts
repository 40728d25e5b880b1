/** Path functions for all platforms, for code that must not import `node:path`. */

const DRIVE = /^[a-z]:[\\/]/i;

/** Tells if a path is absolute. */
export const isAbsolute = (path: string): boolean => /^[\\/]/.test(path) || DRIVE.test(path);

/** Returns the folder of a file, or `undefined` if its path has none. */
function getFolder(file: string): string | undefined {
  const end = Math.max(file.lastIndexOf('/'), file.lastIndexOf('\\'));
  if (end < 0) return undefined;
  return file.slice(0, end) || file.slice(0, 1);
}

export function getBaseName(path: string): string {
  return path.split(/[\\/]/).at(-1) ?? '';
}

/**
 * Returns the project folder of a configuration: the folder of the file, or the parent of `.vscode` and similar
 * folders.
 */
export function getWorkspace(file: string): string | undefined {
  const folder = getFolder(file);
  if (folder === undefined) return undefined;
  return ['.vscode', '.cursor'].includes(getBaseName(folder)) ? (getFolder(folder) ?? folder) : folder;
}

/** Resolves a path against a folder, and removes `.` and `..`. */
export function resolvePath(folder: string | undefined, path: string): string {
  if (folder === undefined || isAbsolute(path)) return path;
  const separator = folder.includes('\\') && !folder.includes('/') ? '\\' : '/';
  const parts: string[] = [];
  for (const part of `${folder}${separator}${path}`.split(/[\\/]/)) {
    if (part === '..' && parts.length > 1 && parts.at(-1) !== '..') parts.pop();
    else if (part === '..' && isAbsolute(folder)) continue;
    else if (part !== '.' && (part !== '' || parts.length === 0)) parts.push(part);
  }
  return parts.length === 1 && parts[0] === '' ? separator : parts.join(separator);
}

/** Converts an absolute path to a `file:` URI. */
export function toFileUri(path: string): string {
  const slashed = DRIVE.test(path) || path.startsWith('\\') ? `/${path.replaceAll('\\', '/')}` : path;
  const parts = slashed.split('/').map((part, at) => (at === 1 && /^[a-z]:$/i.test(part) ? part : encodePart(part)));
  return `file://${parts.join('/')}`;
}

/** Encodes a part of a path. Replaces lone surrogates, which cannot be encoded. */
const encodePart = (part: string): string => encodeURIComponent(part.replace(/\p{Surrogate}/gu, '\uFFFD'));
