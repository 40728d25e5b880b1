import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { TenonError } from 'tenon';
import { createUsageError } from '../usage-error.js';

/** Command line that starts a server file. */
export interface FileCommand {
  readonly command: string;
  readonly args: readonly string[];
}

/** First version of Node that runs TypeScript without an option. */
const RUNS_TYPESCRIPT = [22, 18] as const;
const STRIPS_TYPES = [22, 6] as const;

/** Chooses the runtime of a server file: Node for JavaScript and TypeScript, uv or Python for Python. */
export function createFileCommand(
  path: string,
  env: Readonly<Record<string, string | undefined>>,
  nodeVersion: string = process.versions.node,
): FileCommand {
  const extension = extname(path);
  if (extension === '.py') return createPythonCommand(path, env);
  if (/^\.[cm]?js$/.test(extension)) return { command: process.execPath, args: [path] };
  return { command: process.execPath, args: [...getTypeScriptOptions(path, nodeVersion), path] };
}

/**
 * Returns the options of Node for TypeScript. Prefers `tsx` of the project, because it also resolves imports that end
 * with `.js`.
 */
function getTypeScriptOptions(path: string, nodeVersion: string): string[] {
  const tsx = resolveTsx(path);
  if (tsx !== undefined) return ['--import', tsx];
  if (isAtLeast(nodeVersion, RUNS_TYPESCRIPT)) return [];
  if (isAtLeast(nodeVersion, STRIPS_TYPES)) return ['--experimental-strip-types'];
  throw createTypeScriptError(path, nodeVersion);
}

/**
 * Returns the URL of the module that lets this process import a TypeScript file: `tsx` of the project. Returns
 * `undefined` if the runtime itself can.
 */
export function findTypeScriptLoader(path: string, nodeVersion: string = process.versions.node): string | undefined {
  if (!isNode()) return undefined;
  const tsx = resolveTsx(path);
  if (tsx === undefined && !isAtLeast(nodeVersion, RUNS_TYPESCRIPT)) throw createTypeScriptError(path, nodeVersion);
  return tsx;
}

/** Tells if the runtime runs TypeScript without another package. */
export function canRunTypeScript(nodeVersion: string = process.versions.node): boolean {
  return !isNode() || isAtLeast(nodeVersion, RUNS_TYPESCRIPT);
}

function createTypeScriptError(path: string, nodeVersion: string): TenonError {
  return createUsageError(
    `${path}: Node ${nodeVersion} cannot run TypeScript`,
    'install tsx in the project, or use Node 22.18 or later',
  );
}

/** Tells if this process is Node. Bun and Deno run TypeScript themselves. */
export const isNode = (): boolean => process.versions.bun === undefined && process.versions.deno === undefined;

function resolveTsx(path: string): string | undefined {
  try {
    return pathToFileURL(createRequire(path).resolve('tsx')).href;
  } catch {
    return undefined;
  }
}

function isAtLeast(version: string, [major, minor]: readonly [number, number]): boolean {
  const [ownMajor = 0, ownMinor = 0] = version.split('.').map(Number);
  return ownMajor > major || (ownMajor === major && ownMinor >= minor);
}

function createPythonCommand(path: string, env: Readonly<Record<string, string | undefined>>): FileCommand {
  if (isInPath('uv', env)) return { command: 'uv', args: ['run', path] };
  return { command: process.platform === 'win32' ? 'python' : 'python3', args: [path] };
}

function isInPath(program: string, env: Readonly<Record<string, string | undefined>>): boolean {
  const names = process.platform === 'win32' ? [`${program}.exe`] : [program];
  const folders = (env.PATH ?? '').split(delimiter).filter(folder => folder !== '');
  return folders.some(folder => names.some(name => existsSync(join(folder, name))));
}
