import { randomUUID } from 'node:crypto';
import { closeSync, constants, fchmodSync, fstatSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import { resolve } from 'node:path';
import { readTextFile } from '@tenon/base/node';
import { createRecorder, type Recorder } from '@tenon/testing';
import type { TenonError } from 'tenon';
import type { CliContext } from '../cli-context.js';
import { createUsageError } from '../usage-error.js';

/** Only the owner may read a recording, because a secret may have an unknown form. */
const PRIVATE_MODE = 0o600;

export interface RecordingFileOptions {
  /** Name of the server in the recording. */
  readonly server: string;
  /**
   * Adds to an existing file.
   * @default `false`: an existing file is replaced
   */
  readonly append?: boolean;
  /**
   * Maximum size of the recording, in characters.
   * @default that of `createRecorder`
   */
  readonly maxSize?: number | undefined;
}

/** Recording that is being written. */
export interface RecordingFile {
  readonly recorder: Recorder;
  close(): void;
}

/** Opens a file for a recording. Each message is written at once, so that a stopped process loses none. */
export function openRecordingFile(
  { cwd, screen }: CliContext,
  path: string,
  { server, append = false, maxSize }: RecordingFileOptions,
): RecordingFile {
  const file = openPrivate(resolve(cwd, path), append ? 0 : constants.O_TRUNC, path);
  const isFile = fstatSync(file).isFile();
  let isBroken = false;
  let first: Buffer | undefined;
  // A full disk must not end the recorded connection: the result of a call would be lost after its effect.
  const stop = (reason: string) => {
    isBroken = true;
    screen.note(`${reason}. Later messages are not recorded`, 'error');
  };
  const write = (line: string) => {
    if (isBroken) return;
    try {
      // The messages of both would be one recording, which lacks the beginning of this one.
      if (first !== undefined && isReplaced(file, first))
        return stop(`${path}: another program has replaced or deleted the recording. Pass --append to record both`);
      writeSync(file, line);
      if (isFile && !append) first ??= Buffer.from(line);
    } catch (error) {
      stop(createFileError(path, 'write', error).summary);
    }
  };
  const recorder = createRecorder({
    server,
    ...(maxSize === undefined ? {} : { maxSize }),
    // Another process may append to the file at the same time.
    ...(append ? { run: randomUUID().slice(0, 8) } : {}),
    write,
    onLimit: () => screen.note(`${path}: the recording has its maximum size, and later messages are not recorded`),
  });
  return { recorder, close: () => closeSync(file) };
}

/** Tells if a file no longer begins with the first line that this process has written into it, or has no name any more. */
function isReplaced(file: number, first: Buffer): boolean {
  const start = Buffer.alloc(first.length);
  readSync(file, start, 0, start.length, 0);
  return !start.equals(first) || fstatSync(file).nlink === 0;
}

/** Opens a file to append to it, so that two processes that write into it overwrite no line of each other. */
function openPrivate(path: string, flag: number, shown: string): number {
  try {
    const { O_RDWR, O_WRONLY, O_CREAT, O_APPEND } = constants;
    // A pipe that is opened for reading too would never report that its reader has closed it.
    const isPlain = statSync(path, { throwIfNoEntry: false })?.isFile() ?? true;
    const file = openSync(path, (isPlain ? O_RDWR : O_WRONLY) | O_CREAT | O_APPEND | flag, PRIVATE_MODE);
    // The file may have existed with another mode. That of a device, such as `/dev/null`, belongs to all programs.
    if (process.platform !== 'win32' && fstatSync(file).isFile()) fchmodSync(file, PRIVATE_MODE);
    return file;
  } catch (error) {
    throw createFileError(shown, 'write', error);
  }
}

/** Reads a file with a recording, a list or a lock. */
export async function readSourceFile({ cwd }: Pick<CliContext, 'cwd'>, path: string): Promise<string> {
  try {
    return await readTextFile(resolve(cwd, path), { lenient: true });
  } catch (error) {
    throw createFileError(path, 'read', error);
  }
}

function createFileError(path: string, action: 'read' | 'write', error: unknown): TenonError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
  return createUsageError(`cannot ${action} ${path}: ${code}`, 'check the path and its permissions');
}
