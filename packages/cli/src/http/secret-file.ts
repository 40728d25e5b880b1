import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { TenonError } from 'tenon';
import type { CliContext } from '../cli-context.js';
import { createUsageError } from '../usage-error.js';
import { readBounded, SizeLimitError } from './read-bounded.js';

/** Maximum size of a file with a secret, in bytes. */
const MAX_SIZE = 65_536;

/** Reads a file with a secret, without the line break at its end. `-` stands for standard input. */
export async function readSecretFile(context: CliContext, file: string, option: string): Promise<string> {
  const secret = (await readText(context, file, option)).trimEnd();
  if (secret.trim() !== '') return secret;
  throw createFileError(option, 'the file is empty');
}

async function readText({ cwd, screen }: CliContext, file: string, option: string): Promise<string> {
  try {
    if (file === '-') return await readBounded(process.stdin, MAX_SIZE);
    const path = resolve(cwd, file);
    const { mode } = await stat(path);
    if (process.platform !== 'win32' && (mode & 0o077) !== 0)
      screen.note(`warning: other users of this machine can read ${file}: chmod 600 ${file}`, 'warning');
    return await readBounded(createReadStream(path), MAX_SIZE);
  } catch (error) {
    if (error instanceof SizeLimitError) throw createFileError(option, error.message);
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    const reason = isMissing ? 'file not found' : 'the file cannot be read';
    throw createUsageError(`${option}: ${reason}: ${file}`, 'pass the path of a file that you can read');
  }
}

const createFileError = (option: string, problem: string): TenonError =>
  createUsageError(`${option}: ${problem}`, `pass a file with the value for ${option}`);
