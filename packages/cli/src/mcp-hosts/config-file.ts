import { chmod, chown, lstat, readdir, readFile, readlink, realpath, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { systemClock } from '@tenon/base';
import { createFolder, replaceFile, withLock } from '@tenon/base/node';
import { TenonError } from 'tenon';
import { resolveProjectPath } from '../project-file.js';

/** Size of a configuration in bytes that the command still changes. Claude Code also keeps its history in the file. */
const MAX_SIZE = 64 * 1024 * 1024;
/** Number of back-ups of a file that are kept. */
const MAX_BACKUPS = 5;
/** Maximum time to wait for another command that changes the file, in milliseconds. */
const LOCK_TIMEOUT = 20_000;
/** Mode of a configuration that did not exist. It may later contain secrets. */
const PRIVATE_MODE = 0o600;

/** Returns the text of a file, or `undefined` if it does not exist. */
export async function readConfigText(path: string): Promise<string | undefined> {
  try {
    const { size, isFile } = await stat(path).then(stats => ({ size: stats.size, isFile: stats.isFile() }));
    if (!isFile) throw createFileError(path, 'it is not a file');
    if (size > MAX_SIZE) throw createFileError(path, `it is larger than ${MAX_SIZE / 1024 / 1024} MiB`);
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await readFile(path));
  } catch (error) {
    if (TenonError.is(error)) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw createFileError(
      path,
      code === 'ERR_ENCODING_INVALID_ENCODED_DATA' ? 'it is not UTF-8' : (code ?? message),
      error,
    );
  }
}

export interface ConfigWrite {
  readonly path: string;
  /** Text that the change was made from. `undefined`: the file did not exist. */
  readonly before: string | undefined;
  readonly after: string;
  readonly now: Date;
  /** Folder of the project whose file it is. Links must not lead out of it. Absent for a file of the user. */
  readonly project?: string | undefined;
}

/**
 * Replaces a configuration atomically. Keeps its mode and owner, follows a symbolic link, and copies the former content
 * to a file beside it. Returns the path of that back-up.
 * @throws TenonError `hosts/changed` if another program has changed the file since it was read; `hosts/write` if it
 * cannot be written.
 */
export async function writeConfigText({ path, before, after, now, project }: ConfigWrite): Promise<string | undefined> {
  const changedError = new TenonError('hosts/changed', `${path}: another program has changed the file`, {
    hint: 'run the command again',
  });
  if ((await readConfigText(path)) !== before) throw changedError;
  try {
    const target = project === undefined ? await resolveLink(path) : await resolveProjectPath(path, project);
    await createFolder(dirname(target));
    // Two commands at the same time would both find the former text, and the second would undo the change of the first.
    const replaceUnchanged = async () => {
      if ((await readConfigText(target)) !== before) throw changedError;
      const stats = await stat(target).catch(() => undefined);
      if (stats === undefined || before === undefined) {
        await replaceFile(target, after, systemClock, PRIVATE_MODE);
        return undefined;
      }
      const backup = `${target}.${formatStamp(now)}.bak`;
      await replaceFile(backup, before, systemClock, PRIVATE_MODE);
      await chmod(backup, stats.mode & 0o777);
      if (process.getuid?.() === 0) await chown(backup, stats.uid, stats.gid);
      await replaceFile(target, after, systemClock);
      await deleteSurplusBackups(target);
      return backup;
    };
    const lockOptions = { timeout: LOCK_TIMEOUT, createBusyError: () => changedError };
    return await withLock(`${target}.lock`, systemClock, replaceUnchanged, lockOptions);
  } catch (error) {
    if (TenonError.is(error)) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    throw createFileError(path, code ?? message, error, 'hosts/write');
  }
}

/** Returns the file that a link leads to. It may not exist yet. */
async function resolveLink(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    const isLink = await lstat(path).then(
      stats => stats.isSymbolicLink(),
      () => false,
    );
    return isLink ? resolve(dirname(path), await readlink(path)) : path;
  }
}

/** `2026-11-23T20:05:17.123Z` becomes `20261123-200517-123`. */
function formatStamp(now: Date): string {
  return now.toISOString().replace(/[-:Z]/g, '').replace(/[T.]/g, '-');
}

async function deleteSurplusBackups(path: string): Promise<void> {
  const start = `${basename(path)}.`;
  const names = (await readdir(dirname(path))).filter(
    name => name.startsWith(start) && /^\d{8}-\d{6}-\d{3}\.bak$/.test(name.slice(start.length)),
  );
  const surplus = names.sort().slice(0, -MAX_BACKUPS);
  await Promise.all(surplus.map(name => rm(join(dirname(path), name), { force: true })));
}

function createFileError(path: string, reason: string, cause?: unknown, code = 'hosts/read'): TenonError {
  const verb = code === 'hosts/write' ? 'written' : 'read';
  return new TenonError(code, `${path} cannot be ${verb}: ${reason}`, {
    hint: 'check the file and its permissions, or leave this host out',
    cause,
  });
}
