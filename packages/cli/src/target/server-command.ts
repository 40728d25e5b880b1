import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CliContext } from '../cli-context.js';
import { createFileCommand, type FileCommand, isNode } from './file-command.js';
import type { TargetReference } from './target-reference.js';

/** This program, beside the folder of this module and beside the folder of its bundle. */
const ENTRY = fileURLToPath(new URL(`../tenon${extname(import.meta.url)}`, import.meta.url));
/** Module that serves what a server file exports. */
const SERVE_EXPORT = new URL(`../serve/serve-export${extname(import.meta.url)}`, import.meta.url);

type FileReference = Omit<Extract<TargetReference, { kind: 'file' }>, 'kind'>;

/** Creates the command that starts a server file, or that serves an export of a module on stdio. */
export function createServerCommand({ path, exported }: FileReference, env: CliContext['env']): FileCommand {
  if (exported === undefined) return createFileCommand(path, env);
  return { command: process.execPath, args: [ENTRY, 'serve', '--stdio', `${path}#${exported}`] };
}

/**
 * Creates the same command for a target of this program: a file that only exports a server is served on stdio. Needs
 * Node, because other runtimes cannot load a module before the file.
 */
export function createFileTarget(file: FileReference, env: CliContext['env']): FileCommand {
  const { command, args } = createServerCommand(file, env);
  if (file.exported !== undefined || command !== process.execPath || !isNode()) return { command, args };
  // The loader of TypeScript has to come first.
  const loader =
    args.length > 1 ? args.slice(0, -1) : createFileCommand(fileURLToPath(SERVE_EXPORT), env).args.slice(0, -1);
  return { command, args: [...loader, '--import', SERVE_EXPORT.href, file.path] };
}
