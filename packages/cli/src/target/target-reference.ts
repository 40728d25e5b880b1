import { existsSync, statSync } from 'node:fs';
import { extname, resolve } from 'node:path';
import { parseWebUrl } from '@tenon/base';
import { addUrlScheme } from 'tenon/node';
import type { CliContext } from '../cli-context.js';
import { isBundlePath } from '../mcpb/is-bundle-path.js';
import { isRecordingFile } from '../recording/is-recording-file.js';
import { parseRegistryName } from '../registry/registry-name.js';
import { createUsageError } from '../usage-error.js';

/** Server as the user names it on the command line. */
export type TargetReference =
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'command'; readonly command: string; readonly args: readonly string[] }
  | { readonly kind: 'file'; readonly path: string; readonly exported?: string }
  | { readonly kind: 'bundle'; readonly path: string }
  | { readonly kind: 'recording'; readonly path: string }
  | { readonly kind: 'registry'; readonly name: string; readonly version: string }
  | { readonly kind: 'name'; readonly name: string };

/** Extensions of files that a runtime can start. */
const FILE_EXTENSIONS = ['.js', '.mjs', '.cjs', '.ts', '.mts', '.cts', '.py'];

/** Tells if a path is that of a server file, by its extension. */
export const isServerPath = (path: string): boolean => FILE_EXTENSIONS.includes(extname(path));

/** A module and one of its exports: `server.ts#notes`. */
const MODULE_EXPORT = /^(.+\.[cm]?[jt]s)#([\w$]+)$/;

/** An address without the scheme of a URL: `127.0.0.1:3000/mcp`. */
const HOST_AND_PORT = /^[\w.-]+:\d+(?:\/|$)/;

const TARGET_HINT =
  'pass a URL, a name in a configuration or a registry, a server file, a .mcpb bundle, a recording, or a command after --';

/**
 * Reads the target from the arguments of a command: the command line after `--` if there is one, else the first
 * argument. Returns the target and the other arguments.
 */
export function takeTarget(
  { serverCommand, cwd }: Pick<CliContext, 'serverCommand' | 'cwd'>,
  words: readonly string[],
): { reference: TargetReference; rest: readonly string[] } {
  if (serverCommand) {
    const [command, ...args] = serverCommand;
    if (!command) throw createUsageError('no command after --', 'write the command of a server after --');
    return { reference: { kind: 'command', command, args }, rest: words };
  }
  const [first, ...rest] = words;
  if (first === undefined) throw createUsageError('no target', TARGET_HINT);
  return { reference: parseTarget(first, cwd), rest };
}

/** Reads the target of a command that has no other arguments. */
export function takeOnlyTarget(
  context: Pick<CliContext, 'serverCommand' | 'cwd'>,
  words: readonly string[],
): TargetReference {
  const { reference, rest } = takeTarget(context, words);
  if (rest.length === 0) return reference;
  throw createUsageError(
    `unknown argument: ${rest.join(' ')}`,
    'pass one target, and write the command of a server after --',
  );
}

/** Parses a target in one word: a URL, a path of a server file, a bundle or a recording, or a name in a configuration. */
export function parseTarget(text: string, cwd: string): TargetReference {
  const url = parseWebUrl(text);
  if (url !== undefined) return { kind: 'url', url: url.href };
  if (/^\w+:\/\//.test(text)) throw createUsageError(`invalid URL of a server: ${text}`, 'pass an https: or http: URL');
  const completed = addUrlScheme(text);
  const isAddress = HOST_AND_PORT.test(text) || /^localhost(?:\/|$)|^\d+(?:\.\d+){3}\//.test(text);
  if (completed !== undefined && isAddress && !existsSync(resolve(cwd, text)))
    throw createUsageError(
      `${text}: a URL without http:// or https:// at its start`,
      `pass ${completed}${/\/./.test(text) ? '' : `${text.endsWith('/') ? '' : '/'}mcp`}`,
    );
  const path = resolve(cwd, text);
  const isStartable = isServerPath(text);
  const isFolder = existsSync(path) && statSync(path).isDirectory();
  if (isStartable && existsSync(path) && !isFolder) return { kind: 'file', path };
  const [, module = '', exported = ''] = MODULE_EXPORT.exec(text) ?? [];
  if (exported !== '' && existsSync(resolve(cwd, module)))
    return { kind: 'file', path: resolve(cwd, module), exported };
  if (isBundlePath(text) && existsSync(path) && !isFolder) return { kind: 'bundle', path };
  if (!isStartable && isRecordingFile(path)) return { kind: 'recording', path };
  const registered = existsSync(path) ? undefined : parseRegistryName(text);
  if (registered !== undefined && !isStartable) return { kind: 'registry', ...registered };
  if (/[\\/]/.test(text)) {
    const exists = existsSync(path);
    const found = isFolder ? 'this is a folder' : 'no runtime is known for this file';
    const reason = exists ? found : 'file not found';
    const url = exists || completed === undefined ? '' : `pass ${completed} for a URL, `;
    throw createUsageError(
      `${text}: ${reason}`,
      `${url}pass a ${FILE_EXTENSIONS.join(', ')} file, or ${TARGET_HINT.slice(5)}`,
    );
  }
  return { kind: 'name', name: text };
}
