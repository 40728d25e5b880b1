import { randomBytes } from 'node:crypto';
import { chmod, lstat, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { systemClock } from '@tenon/base';
import { createFolder, replaceFile } from '@tenon/base/node';
import { writeJson } from '@tenon/base/writers';
import { TenonError } from 'tenon';

/** Process of the user that listens on a socket, as it is described in a private file. */
export interface SocketRecord {
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

/** Creates a folder that only the user can use. Throws if others can. */
export async function preparePrivateFolder(folder: string): Promise<void> {
  await createFolder(folder, 0o700);
  await requirePrivate(folder);
}

/** Throws if a file or folder belongs to another user, or if other users have access to it. */
async function requirePrivate(path: string): Promise<void> {
  const { getuid } = process;
  // On Windows, the folders of a user are private, and names of pipes are random.
  if (getuid === undefined) return;
  const { uid, mode } = await lstat(path);
  if (uid === getuid() && (mode & 0o077) === 0) return;
  throw new TenonError('daemon/permissions', `${path}: other users have access`, {
    hint: `allow access only to its owner: chmod 700 ${path}`,
  });
}

/** Creates the record of this process, with a new socket in a folder and a new token. */
export async function createSocketRecord(folder: string, version: string): Promise<SocketRecord> {
  const token = randomBytes(32).toString('base64url');
  return { pid: process.pid, version, socket: await createSocketPath(folder), token };
}

/** Reads a record. Returns `undefined` if there is none, or if it is incomplete. */
export async function readSocketRecord(file: string): Promise<SocketRecord | undefined> {
  try {
    const { pid, version, socket, token } = Object(JSON.parse(await readFile(file, 'utf8')));
    const isComplete = [version, socket, token].every(each => typeof each === 'string') && Number.isInteger(pid);
    if (!isComplete) return undefined;
    await requirePrivate(dirname(file));
    await requirePrivate(file);
    return { pid, version, socket, token };
  } catch (error) {
    if (error instanceof TenonError) throw error;
    return undefined;
  }
}

/** Replaces a record. Other processes see the previous or the whole record. */
export async function writeSocketRecord(file: string, record: SocketRecord): Promise<void> {
  await replaceFile(file, writeJson(record), systemClock, 0o600);
}

/** Removes a record if it still describes this process. */
export async function removeSocketRecord(file: string, { pid }: SocketRecord): Promise<void> {
  if ((await readSocketRecord(file))?.pid === pid) await rm(file, { force: true });
}

/** Creates a name for a socket that no other process has. */
async function createSocketPath(folder: string): Promise<string> {
  const id = randomBytes(16).toString('hex');
  if (process.platform === 'win32') return `\\\\.\\pipe\\tenon-${id}`;
  const path = join(folder, `${id.slice(0, 8)}.sock`);
  if (Buffer.byteLength(path) <= MAX_SOCKET_PATH) return path;
  const short = await mkdtemp(join(tmpdir(), 'tenon-'));
  await chmod(short, 0o700);
  return join(short, 'tenon.sock');
}

/** Removes the socket of a process that did not end properly. */
export async function removeSocket({ socket }: SocketRecord): Promise<void> {
  if (process.platform !== 'win32') await rm(socket, { force: true });
}
