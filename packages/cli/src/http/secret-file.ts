import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import type { CliContext } from '../cli-context.js';
import { createUsageError } from '../usage-error.js';

/** Maximum size of a file with a secret, in bytes. */
const MAX_SIZE = 65_536;

/** Reads a file with a secret, without the line break at its end. `-` stands for standard input. */
export async function readSecretFile(context: CliContext, file: string, option: string): Promise<string> {
  const read = file === '-' ? await text(process.stdin) : await readChecked(context, file, option);
  const secret = read.trimEnd();
  if (secret.trim() !== '' && read.length <= MAX_SIZE) return secret;
  throw createUsageError(
    `${option}: ${secret.trim() === '' ? 'the file is empty' : `more than ${MAX_SIZE} bytes`}`,
    `pass a file with the value for ${option}`,
  );
}

async function readChecked({ cwd, screen }: CliContext, file: string, option: string): Promise<string> {
  const path = resolve(cwd, file);
  try {
    const { mode, size } = await stat(path);
    if (size > MAX_SIZE) return 'x'.repeat(MAX_SIZE + 1);
    if (process.platform !== 'win32' && (mode & 0o077) !== 0)
      screen.note(`warning: other users of this machine can read ${file}: chmod 600 ${file}`, 'warning');
    return await readFile(path, 'utf8');
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'file not found' : 'the file cannot be read';
    throw createUsageError(`${option}: ${reason}: ${file}`, 'pass the path of a file that you can read');
  }
}
