import { resolve } from 'node:path';
import { readTextFile } from '@tenon/base/node';
import type { CliContext } from './cli-context.js';
import { exitCodes } from './exit-codes.js';
import { createUsageError } from './usage-error.js';

/** Maximum number of lines of differences that are printed. */
const MAX_LINES = 100;

/** Text that a command has written into a file, and would write now. */
export interface WrittenFile {
  /** Path of the file, as the user wrote it. */
  readonly out: string;
  readonly text: string;
  /** Command that writes the file. */
  readonly command: string;
}

/**
 * Compares a file with the text that a command would write. Prints the differences, and sets the exit code.
 * @throws TenonError `cli/usage` if the file cannot be read
 */
export async function checkWrittenFile(
  context: CliContext,
  { out, text, command }: WrittenFile,
  { json }: { readonly json?: boolean | undefined },
): Promise<void> {
  const { screen, cwd } = context;
  const written = await readTextFile(resolve(cwd, out)).catch(() => {
    throw createUsageError(`cannot read ${out}`, 'write it first, without --check');
  });
  // Git and editors may change the ends of lines.
  const before = written.replaceAll('\r\n', '\n');
  const matches = before === text;
  context.code = matches ? exitCodes.success : exitCodes.drift;
  const difference = matches ? undefined : await formatDifferences(out, before, text);
  if (json) return screen.printJson({ file: out, matches, difference });
  if (difference === undefined) return screen.note(`${out} matches the server`);
  screen.print(difference);
  screen.note(`${out} differs from the server: run \`${command}\` again`);
}

async function formatDifferences(out: string, before: string, after: string): Promise<string> {
  const { createTwoFilesPatch } = await import('diff');
  const patch = createTwoFilesPatch(out, `${out} (server)`, before, after, undefined, undefined, { context: 1 });
  const lines = patch.trimEnd().split('\n').slice(1);
  const rest = lines.length - MAX_LINES;
  return [...lines.slice(0, MAX_LINES), ...(rest > 0 ? [`… and ${rest} more lines`] : [])].join('\n');
}
