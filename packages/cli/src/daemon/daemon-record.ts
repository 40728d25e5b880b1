import { randomBytes } from 'node:crypto';
import { chmod, lstat, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TenonError } from 'tenon';
import { writeJson } from 'tenon/escape';
import type { CliContext } from '../cli-context.js';
import { getFolders } from '../folders.js';

/** Daemon of the user, as it is described in a private file. */
export interface DaemonRecord {
  readonly pid: number;
  /** Version of the command that started it. */
  readonly version: string;
  /** Path of its socket, or name of its pipe. */
  readonly socket: string;
  /** Secret that each request must contain. */
  readonly token: string;
}

/** Maximum length of the path of a socket, in bytes. Longer ones do not work on macOS. */
const MAX_SOCKET_PATH = 100;
const FILE = 'daemon.json';

export const getDaemonFolder = (env: CliContext['env']): string => join(getFolders(env).state, 'daemon');

/** Creates the folder of the daemon. Throws if other users can use it. */
export async function prepareDaemonFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await checkPrivate(folder);
}

/** Throws if a file or folder belongs to another user, or if other users have access to it. */
async function checkPrivate(path: string): Promise<void> {
  const { getuid } = process;
  // On Windows, the folders of a user are private, and names of pipes are random.
  if (getuid === undefined) return;
  const { uid, mode } = await lstat(path);
  if (uid === getuid() && (mode & 0o077) === 0) return;
  throw new TenonError('daemon/permissions', `${path}: other users have access`, {
    hint: `allow access only to its owner: chmod 700 ${path}`,
  });
}

/** Reads the record of the daemon. Returns `undefined` if there is none. */
export async function readDaemonRecord(folder: string): Promise<DaemonRecord | undefined> {
  const path = join(folder, FILE);
  try {
    const { pid, version, socket, token } = Object(JSON.parse(await readFile(path, 'utf8')));
    const isComplete = [version, socket, token].every(each => typeof each === 'string') && Number.isInteger(pid);
    if (!isComplete) return undefined;
    await checkPrivate(folder);
    await checkPrivate(path);
    return { pid, version, socket, token };
  } catch (error) {
    if (error instanceof TenonError) throw error;
    return undefined;
  }
}

/** Replaces the record. Other processes see the previous or the whole record. */
export async function writeDaemonRecord(folder: string, record: DaemonRecord): Promise<void> {
  const temporary = join(folder, `${FILE}.${record.pid}`);
  await writeFile(temporary, writeJson(record), { mode: 0o600 });
  await rename(temporary, join(folder, FILE));
}

/** Removes the record if it still describes this daemon. */
export async function removeDaemonRecord(folder: string, { pid }: DaemonRecord): Promise<void> {
  if ((await readDaemonRecord(folder))?.pid === pid) await rm(join(folder, FILE), { force: true });
}

/** Creates a name for a socket that no other daemon has. */
export async function createSocketPath(folder: string): Promise<string> {
  const id = randomBytes(16).toString('hex');
  if (process.platform === 'win32') return `\\\\.\\pipe\\tenon-${id}`;
  const path = join(folder, `${id.slice(0, 8)}.sock`);
  if (Buffer.byteLength(path) <= MAX_SOCKET_PATH) return path;
  const short = await mkdtemp(join(tmpdir(), 'tenon-'));
  await chmod(short, 0o700);
  return join(short, 'daemon.sock');
}

/** Removes the socket of a daemon that did not end properly. */
export async function removeSocket({ socket }: DaemonRecord): Promise<void> {
  if (process.platform !== 'win32') await rm(socket, { force: true });
}
