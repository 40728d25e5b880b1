import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createUsageError } from '../usage-error.js';

/** Installed conformance suite. */
export interface ConformanceSuite {
  readonly version: string;
  /** Path of its program. */
  readonly program: string;
}

const PACKAGE = '@modelcontextprotocol/conformance';
const INSTALL = `install it in the project: npm install --save-dev ${PACKAGE}@alpha`;

/**
 * Finds the official conformance suite in the project, or among the global packages of npm. Throws if it is not
 * installed.
 */
export function findSuite(cwd: string, env: Readonly<Record<string, string | undefined>>): ConformanceSuite {
  const path = resolveInProject(cwd) ?? listGlobalFolders(env).map(toPackagePath).find(existsSync);
  if (path === undefined) throw createUsageError(`${PACKAGE} is not installed`, INSTALL);
  const content: unknown = JSON.parse(readFileSync(path, 'utf8'));
  const { version, bin } = Object(content) as { readonly version?: unknown; readonly bin?: unknown };
  const program = typeof bin === 'string' ? bin : Object.values(Object(bin))[0];
  if (typeof version !== 'string' || typeof program !== 'string')
    throw createUsageError(`${path}: the package has no program`, INSTALL);
  return { version, program: join(dirname(path), program) };
}

const toPackagePath = (folder: string): string => join(folder, PACKAGE, 'package.json');

/** The suite does not export its `package.json`, so the folders are searched. */
function resolveInProject(cwd: string): string | undefined {
  const folders = createRequire(join(cwd, 'package.json')).resolve.paths(PACKAGE) ?? [];
  return folders.map(toPackagePath).find(existsSync);
}

/** Lists the folders of global packages: that of the configured prefix, and that beside the running Node. */
function listGlobalFolders(env: Readonly<Record<string, string | undefined>>): string[] {
  const { npm_config_prefix: prefix = env.NPM_CONFIG_PREFIX, APPDATA } = env;
  const beside = dirname(process.execPath);
  if (process.platform === 'win32')
    return [prefix, APPDATA && join(APPDATA, 'npm'), beside].flatMap(each =>
      each ? [join(each, 'node_modules')] : [],
    );
  return [prefix, dirname(beside)].flatMap(each => (each ? [join(each, 'lib', 'node_modules')] : []));
}
