import { existsSync, statSync } from 'node:fs';
import { extname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { RequestHandler, Server, TenonError } from 'tenon';
import { findTypeScriptLoader } from '../target/file-command.js';
import { createUsageError } from '../usage-error.js';

/** A server of a module. A server that was written without `createServer` may have no `close`. */
export type LoadedServer = RequestHandler & Partial<Pick<Server, 'close'>>;

/** Exports that are tried if the reference names none. */
const DEFAULT_EXPORTS = ['default', 'server'];

/** Maximum number of exports that an error names. */
const MAX_NAMES = 20;

/**
 * Loads the server of a module. `reference` is a path, and may name an export: `server.js#admin`. An export may be a
 * server, or a function that returns one.
 */
export async function loadServer(reference: string, folder: string): Promise<LoadedServer> {
  const [, file = reference, name] = /^(.*?)(?:#([\w$]+))?$/.exec(reference) ?? [];
  const path = resolve(folder, file);
  requireModuleFile(path);
  const exports = await importModule(path);
  const names = name === undefined ? [...DEFAULT_EXPORTS, ...Object.keys(exports)] : [name];
  for (const each of names) {
    const server = await toServer(exports[each], each === name || DEFAULT_EXPORTS.includes(each));
    if (server !== undefined) return server;
  }
  throw createNoServerError(file, name, exports);
}

/** Throws for a path without a file, such as that of a folder. */
export function requireModuleFile(path: string): void {
  const isFolder = existsSync(path) && statSync(path).isDirectory();
  if (existsSync(path) && !isFolder) return;
  throw createUsageError(
    isFolder ? `this is a folder: ${path}` : `file not found: ${path}`,
    'pass the path of a JavaScript or TypeScript file',
  );
}

function createNoServerError(
  file: string,
  name: string | undefined,
  exports: Readonly<Record<string, unknown>>,
): TenonError {
  // Without a name, only functions were not tried, unless they have a default name.
  const others = Object.entries(exports)
    .filter(([each, value]) =>
      name === undefined ? typeof value === 'function' && !DEFAULT_EXPORTS.includes(each) : each !== name,
    )
    .map(([each]) => each)
    .filter(each => /^[\w$]+$/.test(each))
    .slice(0, MAX_NAMES);
  const list = others.length > 0 ? `name one of the exports: ${others.map(each => `#${each}`).join(', ')}` : undefined;
  const write = 'write `export default createServer(…)`';
  if (name === undefined)
    return createUsageError(`${file}: no server is exported`, [write, list].filter(Boolean).join(', or '));
  const summary = Object.hasOwn(exports, name)
    ? `the export "${name}" is not a server`
    : `no export has the name "${name}"`;
  return createUsageError(`${file}: ${summary}`, list ?? write);
}

async function importModule(path: string): Promise<Readonly<Record<string, unknown>>> {
  const loader = /^\.[cm]?tsx?$/.test(extname(path)) ? findTypeScriptLoader(path) : undefined;
  if (loader !== undefined) await import(loader);
  const { href } = pathToFileURL(path);
  const exports: Readonly<Record<string, unknown>> = await import(href);
  // The exports of TypeScript that is compiled to CommonJS are members of the default export.
  const { default: inner } = exports;
  return typeof inner === 'object' && inner !== null && !isServer(inner) ? { ...exports, ...inner } : exports;
}

/** Finds the server that a module exports. Calls no functions. */
export const findServer = (exports: Readonly<Record<string, unknown>>): LoadedServer | undefined =>
  [...DEFAULT_EXPORTS.map(name => exports[name]), ...Object.values(exports)].find(isServer);

/** Returns a server, or the server that a function returns. Only functions that were named are called. */
async function toServer(value: unknown, isNamed: boolean): Promise<LoadedServer | undefined> {
  const made = isNamed && typeof value === 'function' ? await value() : value;
  return isServer(made) ? made : undefined;
}

function isServer(value: unknown): value is LoadedServer {
  if (typeof value !== 'object' || value === null) return false;
  const { connect, answer, classifyRequest } = value as Partial<Record<keyof RequestHandler, unknown>>;
  return [connect, answer, classifyRequest].every(member => typeof member === 'function');
}
