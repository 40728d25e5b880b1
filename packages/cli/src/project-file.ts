import { lstat, readlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { createFolder, isInside } from '@tenon/base/node';
import { TenonError } from 'tenon';

const MAX_LINKS = 40;

/**
 * Follows the links of a path inside a project, also those whose file does not exist. A project that someone else wrote must
 * not lead a command to files of the user.
 *
 * @throws TenonError `cli/link` if a link leads out of the project
 */
export async function resolveProjectPath(path: string, project: string): Promise<string> {
  const target = await followLinks(path);
  if (!isInside(path, project) || isInside(target, await followLinks(project))) return target;
  throw new TenonError('cli/link', `${path}: a link leads out of the project`, {
    expected: `a file in ${project}`,
    received: target,
    hint: 'remove the link, or change that file yourself',
  });
}

/** Writes a file of the user. If its path is in the current folder, no link may lead it out of there. */
export async function writeProjectFile(cwd: string, path: string, text: string, mode = 0o666): Promise<void> {
  const target = await resolveProjectPath(resolve(cwd, path), cwd);
  await createFolder(dirname(target));
  await writeFile(target, text, { mode });
}

/** Returns a path without links. Unlike `realpath`, it accepts files and folders that do not exist. */
async function followLinks(path: string, links = 0): Promise<string> {
  const parent = dirname(path);
  if (parent === path) return path;
  const place = join(await followLinks(parent, links), basename(path));
  const stats = await lstat(place).catch(() => undefined);
  if (!stats?.isSymbolicLink()) return place;
  if (links >= MAX_LINKS) throw new TenonError('cli/link', `${path}: too many links`, { hint: 'remove the link' });
  return followLinks(resolve(dirname(place), await readlink(place)), links + 1);
}
