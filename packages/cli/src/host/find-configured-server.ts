import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { type ConfiguredEntry, findNearestKey } from '@tenon/host';
import { TenonError } from 'tenon';
import type { CliContext } from '../cli-context.js';
import type { TargetOptions } from '../target/target-options.js';
import { createUsageError } from '../usage-error.js';
import { approveEntry } from './approve-entries.js';
import { createInputPrompt } from './input-prompt.js';
import { createPlaceholderEnv, getPlaceholder } from './placeholders.js';
import {
  type ConfigFileSource,
  findUserSources,
  isSameDefinition,
  listConfigSources,
  readConfigSource,
  reportFinding,
} from './read-configuration.js';

/** Names in a configuration file, and the wanted server. */
interface SearchedFile {
  readonly source: ConfigFileSource;
  readonly names: readonly string[];
  /** The wanted server, with placeholders for inputs and variables. Absent if it is invalid or not in the file. */
  readonly entry: ConfiguredEntry | undefined;
}

const INPUT = /\$\{input:([^}]*)\}/g;

/**
 * Finds a server by its name. Searches the files of `--config`, else the configuration of this folder, else those of
 * the user's MCP hosts, in this order. Resolves variables and inputs of this server only.
 *
 * @throws TenonError if its command may not be started.
 */
export async function findConfiguredServer(
  context: CliContext,
  name: string,
  { config = [], trust = false }: TargetOptions,
): Promise<ConfiguredEntry> {
  const found = await findDefinitions(context, name, config);
  const used = found.find(({ entry }) => entry?.disabled !== true) ?? found[0];
  reportOthers(context, used, found);
  return approveEntry(context, await resolveServer(context, name, used), trust);
}

/** Checks that a server of this name is configured. @throws TenonError `cli/usage` if there is none. */
export async function requireConfiguredServer(
  context: CliContext,
  name: string,
  { config = [] }: TargetOptions,
): Promise<void> {
  await findDefinitions(context, name, config);
}

/** Finds the files that define a server, in their order. */
async function findDefinitions(
  context: CliContext,
  name: string,
  config: readonly string[],
): Promise<[SearchedFile, ...SearchedFile[]]> {
  const here = await searchFiles(context, name, await listOwnSources(context, config));
  const user = config.length > 0 || hasServer(here, name) ? [] : await findUserSources(context);
  // A host may have written a file that this command cannot read. It does not prevent the use of others.
  const ofHosts = await searchFiles(context, name, user);
  const files = [...here, ...ofHosts];
  const [first, ...others] = files.filter(({ names }) => names.includes(name));
  if (first === undefined) throw createUnknownServerError(name, files, context);
  return [first, ...others];
}

const hasServer = (files: readonly SearchedFile[], name: string): boolean =>
  files.some(({ names }) => names.includes(name));

async function listOwnSources(context: CliContext, config: readonly string[]): Promise<ConfigFileSource[]> {
  try {
    return await listConfigSources(context, config);
  } catch (error) {
    if (TenonError.is(error) && error.code === 'cli/no-config') return [];
    throw error;
  }
}

/** Reads files without asking the user, and without the values of variables. */
async function searchFiles(
  context: CliContext,
  name: string,
  sources: readonly ConfigFileSource[],
): Promise<SearchedFile[]> {
  const env = createPlaceholderEnv(context.env);
  const files = sources.map(async (source): Promise<SearchedFile> => {
    try {
      const { entries, findings } = await readConfigSource(source, env, getPlaceholder);
      const failed = findings.filter(({ level }) => level === 'error');
      for (const { server, error } of failed) if (server === undefined) throw error;
      const names = [...entries.map(entry => entry.name), ...failed.flatMap(({ server }) => server ?? [])];
      return { source, names, entry: entries.find(entry => entry.name === name) };
    } catch (error) {
      if (source.isSettings) return { source, names: [], entry: undefined };
      throw error;
    }
  });
  return Promise.all(files);
}

/** Tells which file is used if others define the server differently. */
function reportOthers({ screen }: CliContext, used: SearchedFile, found: readonly SearchedFile[]): void {
  const others = found.filter(
    ({ entry }) => entry !== used.entry && !(entry && used.entry && isSameDefinition(entry, used.entry)),
  );
  if (others.length === 0) return;
  screen.note(`using ${used.source.path}, not ${others.map(({ source }) => source.path).join(', ')}`);
}

/** Reads the server with the values of its variables. The user is asked for its inputs, and for no others. */
async function resolveServer(
  context: CliContext,
  name: string,
  { source, entry: found }: SearchedFile,
): Promise<ConfiguredEntry> {
  const texts = Object.values(found?.written ?? {}).join('\n');
  const ids = new Set([...texts.matchAll(INPUT)].map(([, id]) => id));
  const ask = createInputPrompt(context);
  const { entries, findings } = await readConfigSource(source, context.env, input =>
    found === undefined || ids.has(input.id) ? ask(input) : getPlaceholder(input),
  );
  for (const finding of findings)
    if (finding.server === name || finding.server === undefined) reportFinding(context, finding, source);
  const entry = entries.find(each => each.name === name);
  if (entry !== undefined && !entry.disabled) return entry;
  throw createUnusableServerError(name, source.path, entry !== undefined);
}

function createUnknownServerError(name: string, files: readonly SearchedFile[], { cwd }: CliContext): Error {
  if (existsSync(resolve(cwd, name)))
    return createUsageError(
      `"${name}" is not a server file, a bundle or a recording`,
      'pass a configuration by --config, a server file (.js, .ts, .py), or a command after --',
    );
  const known = [...new Set(files.flatMap(({ names }) => names))];
  if (known.length === 0 && files.length > 0)
    return createUsageError(
      `server "${name}" not found, because there are no servers in ${files.map(({ source }) => source.path).join(', ')}`,
      'add it under "mcpServers" there, or pass a URL, a server file, or a command after --',
    );
  if (known.length === 0) {
    return createUsageError(
      `server "${name}" not found: there is no configuration, and no file of this name`,
      'pass a URL, a server file, a command after --, or --config FILE',
    );
  }
  const nearest = findNearestKey(name, known);
  const hint = nearest === undefined ? `use one of: ${known.join(', ')}` : `did you mean "${nearest}"?`;
  return createUsageError(`server "${name}" not found in ${files.map(({ source }) => source.path).join(', ')}`, hint);
}

/** Creates the error for a server that the configuration contains, and that cannot be started. */
function createUnusableServerError(name: string, file: string, isDisabled: boolean): TenonError {
  return isDisabled
    ? new TenonError('cli/unusable-server', `server "${name}" is disabled in ${file}`, {
        hint: 'enable it there, or pass its URL, or its command after --',
      })
    : new TenonError('cli/unusable-server', `the entry of server "${name}" in ${file} is invalid`, {
        hint: 'correct the problem of this server that is reported above',
      });
}
