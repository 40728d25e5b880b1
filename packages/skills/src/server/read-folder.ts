import { TenonError } from 'tenon';
import { MAX_FILES, MAX_SIZE } from '../format/skills-protocol.js';

/** Files by their path, relative to a folder and with `/`. */
export type Files = ReadonlyMap<string, string | Uint8Array>;

/** More than a folder of skills has. Both end the search in a folder that was passed by mistake. */
const MAX_TOTAL_FILES = 100 * MAX_FILES;
const MAX_TOTAL_SIZE = 32 * MAX_SIZE;

/**
 * Reads a folder with its subfolders, without hidden files and `node_modules`. The functions of Node are loaded on use,
 * because bundles of other runtimes have skills as values.
 *
 * @throws TenonError `skill/definition` if the folder cannot be read, or a link leads out of it.
 */
export function readFolder(folder: string): Files {
  const fs = process.getBuiltinModule('node:fs');
  const { join, resolve, sep } = process.getBuiltinModule('node:path');
  const files = new Map<string, Uint8Array>();
  let found = 0;
  let total = 0;
  // Without a path, `realpath` returns the working directory.
  if (folder === '')
    throw new TenonError('skill/definition', 'skills(""): the path is empty', { expected: 'the path of a folder' });
  const readOrThrow = <T>(place: string, read: () => T): T => {
    try {
      return read();
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
      const isMissing = code === 'ENOENT' && place === folder;
      throw new TenonError(
        'skill/definition',
        isMissing ? `skills("${folder}"): the folder does not exist` : `${place}: the path cannot be read: ${code}`,
        {
          hint: isMissing
            ? `create ${resolve(folder)}, or pass the path of another folder`
            : 'check the path and its permissions',
        },
      );
    }
  };
  const root = readOrThrow(folder, () => fs.realpathSync(folder));
  if (!fs.statSync(root).isDirectory())
    throw new TenonError('skill/definition', `skills("${folder}"): the path is no folder`, { expected: 'a folder' });
  reportForWatch(root);
  /** Reads a folder. `enclosing`: the resolved paths of it and of the folders that lead to it. */
  const visit = (prefix: string, enclosing: readonly string[]) => {
    const names = readOrThrow(join(folder, prefix), () => fs.readdirSync(join(root, prefix)));
    for (const name of names) {
      if (name.startsWith('.') || name === 'node_modules') continue;
      const path = prefix === '' ? name : `${prefix}/${name}`;
      const target = resolveLink(path);
      const stats = fs.statSync(target);
      found += 1;
      if (found > MAX_TOTAL_FILES) throw createPathError(path, 'the folder has too many files');
      if (stats.isDirectory()) {
        // A link to an enclosing folder would never end.
        if (enclosing.includes(target)) throw createPathError(path, 'the link leads to a folder that contains it');
        visit(path, [...enclosing, target]);
      } else if (stats.isFile()) {
        if (stats.size > MAX_SIZE) throw createPathError(path, 'the file is too large', `at most ${MAX_SIZE} bytes`);
        total += stats.size;
        if (total > MAX_TOTAL_SIZE)
          throw createPathError(path, 'the files of the folder are too large', `at most ${MAX_TOTAL_SIZE} bytes`);
        files.set(
          path,
          readOrThrow(join(folder, path), () => fs.readFileSync(target)),
        );
      }
    }
  };
  const resolveLink = (path: string): string => {
    const place = join(root, path);
    const isLink = fs.lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink();
    if (isLink && !fs.existsSync(place)) throw createPathError(path, 'the link leads to nothing');
    const target = readOrThrow(join(folder, path), () => fs.realpathSync(place));
    if (!target.startsWith(`${root}${sep}`)) throw createPathError(path, 'the link leads out of the folder of skills');
    return target;
  };
  const createPathError = (path: string, summary: string, expected?: string) =>
    new TenonError('skill/definition', `${join(folder, path)}: ${summary}`, { expected });
  visit('', [root]);
  return files;
}

/** Tells `tenon dev` that the folder is part of the program, so that a change loads the module again. */
function reportForWatch(folder: string): void {
  if (process.env.WATCH_REPORT_DEPENDENCIES !== undefined) process.send?.({ 'watch:folder': [folder] });
}
