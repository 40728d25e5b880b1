import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createFileCommand, type FileCommand } from './file-command.js';

/** This program, beside the folder of this module and beside the folder of its bundle. */
const ENTRY = fileURLToPath(new URL(`../tenon${extname(import.meta.url)}`, import.meta.url));

/** Creates the command that starts a server file, or that serves an export of a module on stdio. */
export function createServerCommand(
  { path, exported }: { readonly path: string; readonly exported?: string },
  env: Readonly<Record<string, string | undefined>>,
): FileCommand {
  if (exported === undefined) return createFileCommand(path, env);
  return { command: process.execPath, args: [ENTRY, 'serve', '--stdio', `${path}#${exported}`] };
}
