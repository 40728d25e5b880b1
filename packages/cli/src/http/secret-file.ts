import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { TenonError } from 'tenon';
import type { CliContext } from '../cli-context.js';
import { createUsageError } from '../usage-error.js';
import { readBounded, SizeLimitError } from './read-bounded.js';

/** Maximum size of a file with a secret, in bytes. */
const MAX_SIZE = 65_536;

/** Access of the group to write, and any access of others. Pods and systemd let a service read its secrets as its group. */
const EXPOSED = 0o037;

export interface SecretFileOptions {
  /**
   * Fails if other users can read the file. The group may read it.
   * @default `false`: a warning
   */
  readonly refuseExposed?: boolean;
}

/** Reads a file with a secret, without the line break at its end. `-` stands for standard input. */
export async function readSecretFile(
  context: CliContext,
  file: string,
  option: string,
  { refuseExposed = false }: SecretFileOptions = {},
): Promise<string> {
  const secret = (await readText(context, file, option, refuseExposed)).trimEnd();
  if (secret.trim() !== '') return secret;
  throw createFileError(option, 'the file is empty');
}

async function readText(
  { cwd, screen }: CliContext,
  file: string,
  option: string,
  refuseExposed: boolean,
): Promise<string> {
  try {
    if (file === '-') return await readBounded(process.stdin, MAX_SIZE);
    const path = resolve(cwd, file);
    const { mode } = await stat(path);
    if (refuseExposed && process.platform !== 'win32' && (mode & EXPOSED) !== 0) {
      throw createUsageError(
        `${option}: other users have access to ${file}: mode 0${(mode & 0o777).toString(8)}`,
        `run \`chmod 600 ${file}\`, and replace the secrets if another user may have read them`,
      );
    }
    if (!refuseExposed && process.platform !== 'win32' && (mode & 0o077) !== 0)
      screen.note(`warning: other users of this machine can read ${file}: chmod 600 ${file}`, 'warning');
    return await readBounded(createReadStream(path), MAX_SIZE);
  } catch (error) {
    if (TenonError.is(error)) throw error;
    if (error instanceof SizeLimitError) throw createFileError(option, error.message);
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    const reason = isMissing ? 'file not found' : 'the file cannot be read';
    throw createUsageError(`${option}: ${reason}: ${file}`, 'pass the path of a file that you can read');
  }
}

const createFileError = (option: string, summary: string): TenonError =>
  createUsageError(`${option}: ${summary}`, `pass a file with the value for ${option}`);
