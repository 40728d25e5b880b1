import { stat } from 'node:fs/promises';
import { dirname, join, parse, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import {
  type AskInput,
  type ConfigFinding,
  type ConfigLocation,
  type ConfigResult,
  type ConfiguredEntry,
  sanitizeText,
} from '@tenon/host';
import { TenonError } from 'tenon';
import type { CliContext } from '../cli-context.js';
import { getFolders } from '../folders.js';
import { findProjectHostFiles, findUserHostFiles } from '../mcp-hosts/find-host-files.js';
import { getUserPlaces } from '../mcp-hosts/hosts/host-paths.js';
import { isBundlePath } from '../mcpb/is-bundle-path.js';
import { isServerPath } from '../target/target-reference.js';
import { createUsageError } from '../usage-error.js';
import { createInputPrompt } from './input-prompt.js';
import { readAnyConfigFile } from './read-config-text.js';

/** Server that cannot run, because its entry or its bundle is invalid. */
export interface FailedServer {
  readonly name: string;
  readonly error: TenonError;
}

/** Content of the configuration files. */
export interface Configuration {
  readonly files: readonly string[];
  /** Enabled servers. If a name occurs in several files, the first entry is used. */
  readonly entries: readonly ConfiguredEntry[];
  /** Names of the disabled servers. */
  readonly disabled: readonly string[];
  /** Names of all servers in the files, including disabled and invalid ones. */
  readonly named: ReadonlySet<string>;
  /** Invalid servers. The findings are reported. */
  readonly broken: readonly FailedServer[];
  /** Selections of servers and entries, by name. */
  readonly virtualServers: Readonly<Record<string, readonly string[]>>;
}

/** Options of `readConfiguration`. */
export interface ReadConfigurationOptions {
  /** Returns the values of inputs. Default: asks the user. */
  readonly inputs?: AskInput;
  /** Reads the files of the user's MCP hosts if there is no other file. Default: false. */
  readonly withUserFiles?: boolean;
}

/**
 * Reads the configuration files: `paths`, else `mcp.json` of this folder, else the files of other programs in this
 * folder. A path may be a bundle. Prints the findings of the files. Rejects when there is no file, or when a file cannot
 * be parsed.
 */
export async function readConfiguration(
  context: CliContext,
  paths: readonly string[],
  { inputs = createInputPrompt(context), withUserFiles = false }: ReadConfigurationOptions = {},
): Promise<Configuration> {
  const sources = await listConfigSources(context, paths, withUserFiles);
  const entries = new Map<string, ConfiguredEntry>();
  const broken = new Map<string, TenonError>();
  const files: string[] = [];
  let virtualServers: Configuration['virtualServers'] = {};
  for (const source of sources) {
    const { path } = source;
    const read = await readConfigSource(source, context.env, inputs);
    for (const finding of read.findings) reportFinding(context, finding, source);
    for (const { level, server, error } of read.findings)
      if (level === 'error' && server !== undefined) broken.set(server, error);
    virtualServers = { ...read.virtualServers, ...virtualServers };
    // A later reading must not fail because of a mistake in other settings.
    if (!source.isSettings || read.entries.length > 0) files.push(path);
    for (const entry of read.entries) {
      const known = entries.get(entry.name);
      if (known === undefined) entries.set(entry.name, entry);
      // Several MCP hosts often have the same server.
      else if (!isSameDefinition(known, entry))
        context.screen.note(
          `${path}: the server "${sanitizeText(entry.name)}" is skipped, because the name is used twice`,
        );
    }
  }
  return {
    files: files.length > 0 ? files : sources.map(({ path }) => path),
    entries: [...entries.values()].filter(({ disabled }) => !disabled),
    disabled: [...entries.values()].filter(({ disabled }) => disabled).map(({ name }) => name),
    named: new Set([...entries.keys(), ...broken.keys()]),
    broken: [...broken].filter(([name]) => !entries.has(name)).map(([name, error]) => ({ name, error })),
    virtualServers,
  };
}

/** Tells if two entries define the same server. */
export const isSameDefinition = (one: ConfiguredEntry, other: ConfiguredEntry): boolean =>
  isDeepStrictEqual([one.target, { ...one.written }], [other.target, { ...other.written }]);

/** File with a configuration. */
export interface ConfigFileSource extends Pick<ConfigLocation, 'path' | 'scope'> {
  /** True for a file with other settings of an MCP host. It may have no servers, and its findings stop nothing. */
  readonly isSettings?: boolean;
}

/**
 * Lists the configuration files: `paths`, else those of this folder, else those of the user's MCP hosts if these are wanted.
 * @throws TenonError `cli/no-config`
 */
export async function listConfigSources(
  { cwd, env }: Pick<CliContext, 'cwd' | 'env'>,
  paths: readonly string[],
  withUserFiles = false,
): Promise<ConfigFileSource[]> {
  const server = paths.find(isServerPath);
  if (server !== undefined)
    throw createUsageError(
      `${server}: this is a server, and no configuration`,
      'write the server into mcp.json: "mcpServers": { "NAME": { "command": "node", "args": ["server.mjs"] } }',
    );
  const sources = paths.length > 0 ? await resolveSources(paths, { cwd, env }) : await findSources({ cwd, env });
  if (sources.length > 0) return sources;
  const ofUser = withUserFiles ? await findUserSources({ cwd, env }) : [];
  if (ofUser.length > 0) return ofUser;
  throw new TenonError('cli/no-config', `no configuration found in ${cwd}`, {
    expected: 'mcp.json, .mcp.json, .cursor/mcp.json or .vscode/mcp.json',
    hint: 'create one of these files, or pass a path',
  });
}

/** Reads a configuration file or a bundle. */
export const readConfigSource = async (
  { path, scope }: ConfigFileSource,
  env: CliContext['env'],
  inputs: AskInput,
): Promise<ConfigResult> =>
  isBundlePath(path) ? createBundleConfig(path, scope) : readAnyConfigFile(path, { scope, env, inputs });

/** Creates the configuration of a bundle alone. Its server has the name of the file. */
const createBundleConfig = (path: string, scope: ConfigFileSource['scope']): ConfigResult => ({
  entries: [{ name: parse(path).name, target: { command: path }, origin: { file: path, line: 1, scope } }],
  findings: [],
  virtualServers: {},
});

/**
 * Determines the scope of each file. A file has the scope `user` if it is a known user-level file of a program, or in
 * the settings folder of this command. Other files may be part of a project.
 */
async function resolveSources(
  paths: readonly string[],
  { cwd, env }: Pick<CliContext, 'cwd' | 'env'>,
): Promise<ConfigFileSource[]> {
  const userPaths = new Set(await findUserHostFiles(getUserPlaces({ cwd, env })));
  const isOfUser = (path: string) => userPaths.has(path) || dirname(path) === resolve(getFolders(env).settings);
  return paths.map(path => resolve(cwd, path)).map(path => ({ path, scope: isOfUser(path) ? 'user' : 'project' }));
}

/** Finds `mcp.json` of a folder, or else the files of MCP hosts in it. */
export async function findSources({ cwd, env }: Pick<CliContext, 'cwd' | 'env'>): Promise<ConfigFileSource[]> {
  const path = join(cwd, 'mcp.json');
  const isThere = await stat(path).then(
    file => file.isFile(),
    () => false,
  );
  if (isThere) return [{ path, scope: 'project' }];
  const files = await findProjectHostFiles(getUserPlaces({ cwd, env }));
  return files.map(file => ({ path: file, scope: 'project', isSettings: !/mcp\.json$/.test(file) }));
}

/** Finds the files of the user's MCP hosts. */
export async function findUserSources(context: Pick<CliContext, 'cwd' | 'env'>): Promise<ConfigFileSource[]> {
  const files = await findUserHostFiles(getUserPlaces(context));
  return files.map(path => ({ path, scope: 'user', isSettings: true }));
}

/** Prints the finding about one server, which is then skipped. Throws the error of a whole file that only has servers. */
export function reportFinding(
  { screen }: Pick<CliContext, 'screen'>,
  { level, error, server }: ConfigFinding,
  { isSettings = false }: Pick<ConfigFileSource, 'isSettings'> = {},
): void {
  if (isSettings && error.code === 'config/no-servers') return;
  if (level === 'error' && server === undefined && !isSettings) throw error;
  screen.note(`${level}: ${error.message}`, level);
}

/** Creates the error for a configuration without a server that may be started. */
export function createNoServersError(
  { files, entries }: Pick<Configuration, 'files' | 'entries'>,
  failed: readonly FailedServer[] = [],
): TenonError {
  const place = files.join(', ');
  if (entries.length > failed.length)
    return new TenonError('config/not-approved', `no server of ${place} is approved`, {
      hint: 'run this in a terminal to approve one, or pass --trust',
    });
  return new TenonError('cli/no-servers', `no server found in ${place}`, {
    hint: entries.length === 0 ? 'add a server under "mcpServers"' : 'correct the problems that are reported above',
  });
}
