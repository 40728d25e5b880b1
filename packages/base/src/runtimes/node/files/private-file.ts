import { chmodSync, statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { TenonError } from '../../../errors/error.js';

/** Permissions of the group and of all other users. */
const OTHERS_ACCESS = 0o077;
const OTHERS_WRITE = 0o022;
const GROUP_READ = 0o040;

interface PrivateFile {
  readonly path: string;
  /** Code of the error for a file that is not private. */
  readonly code: string;
  /** Name of the contents in the error. */
  readonly subject: string;
  /**
   * Accepts a file that the group can read, as administrators set for back-ups and collectors of logs.
   * @default `false`
   */
  readonly groupMayRead?: boolean;
}

/**
 * Checks that only its owner has access to a file with secrets. Accepts a missing file, and every file on Windows,
 * where the mode has no meaning. Throws a `TenonError` with the given code.
 */
export async function requirePrivate(file: PrivateFile): Promise<void> {
  const mode = await readMode(file.path);
  if ((mode & OTHERS_ACCESS) !== 0) throw createExposedError(file, mode);
}

/**
 * Checks a file like `requirePrivate`. A file that others can only read is made private with a warning, because only
 * its owner can have written it. A file that others can write is refused.
 */
export function makePrivate(file: PrivateFile): void {
  const mode = process.platform === 'win32' ? 0 : readModeSync(file.path);
  const refused = file.groupMayRead ? OTHERS_ACCESS & ~GROUP_READ : OTHERS_ACCESS;
  if ((mode & refused) === 0) return;
  if ((mode & OTHERS_WRITE) !== 0) throw createExposedError(file, mode);
  chmodSync(file.path, 0o600);
  process.emitWarning(`other users could read ${file.subject} in ${file.path}; it now has mode 0600`, {
    code: file.code,
    detail: 'If another user may have read it, create new secrets: sign out and sign in again, or change the keys.',
  });
}

/** Returns 0 for a file that does not exist, and for a folder, which cannot be opened as a file. */
function readModeSync(path: string): number {
  try {
    const stats = statSync(path);
    return stats.isFile() ? stats.mode & 0o777 : 0;
  } catch (error) {
    // ENOTDIR: a part of the path is a file.
    if (['ENOENT', 'ENOTDIR'].includes(String((error as NodeJS.ErrnoException).code))) return 0;
    throw error;
  }
}

async function readMode(path: string): Promise<number> {
  if (process.platform === 'win32') return 0;
  const stats = await stat(path).catch(() => undefined);
  return stats?.isFile() ? stats.mode & 0o777 : 0;
}

function createExposedError({ path, code, subject }: PrivateFile, mode: number): TenonError {
  return new TenonError(code, `other users have access to ${subject}: ${path}`, {
    expected: 'mode 0600',
    received: `mode 0${mode.toString(8)}`,
    hint: `run \`chmod 600 ${path}\`, or delete the file if another user may have read it`,
  });
}
