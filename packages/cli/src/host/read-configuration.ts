import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { TenonError } from 'tenon';
import {
  type AskInput,
  type ConfigLocation,
  type ConfigProblem,
  type ConfiguredEntry,
  findProjectConfigs,
  findUserConfigs,
  readConfigFile,
  sanitizeText,
} from 'tenon/host';
import type { CliContext } from '../cli-context.js';

/** Content of the configuration files. */
export interface Configuration {
  readonly files: readonly string[];
  /** Enabled servers. If a name occurs in several files, the first entry is used. */
  readonly entries: readonly ConfiguredEntry[];
  /** Names of all servers in the files, including disabled and invalid ones. */
  readonly named: ReadonlySet<string>;
  /** Names of invalid servers. */
  readonly broken: readonly string[];
  /** Selections of servers and entries, by name. */
  readonly virtualServers: Readonly<Record<string, readonly string[]>>;
}

/**
 * Reads the configuration files: `paths`, else `mcp.json` of this folder, else the files of other programs in this
 * folder. Prints their problems. Rejects when there is no file, or when a file cannot be parsed.
 *
 * @param inputs Returns the values of inputs. Default: asks the user.
 */
export async function readConfiguration(
  context: CliContext,
  paths: readonly string[],
  inputs: AskInput = createInputPrompt(context),
): Promise<Configuration> {
  const sources = paths.length > 0 ? await resolveSources(paths, context.cwd) : await findSources(context.cwd);
  if (sources.length === 0) {
    throw new TenonError('cli/no-config', `no configuration found in ${context.cwd}`, {
      expected: 'mcp.json, .mcp.json, .cursor/mcp.json or .vscode/mcp.json',
      hint: 'create one of these files, or pass a path',
    });
  }
  const entries = new Map<string, ConfiguredEntry>();
  const broken = new Set<string>();
  let virtualServers: Configuration['virtualServers'] = {};
  for (const { path, scope } of sources) {
    const read = await readConfigFile(path, { scope, env: context.env, inputs });
    for (const problem of read.problems) reportProblem(context, problem);
    for (const { level, server } of read.problems) if (level === 'error' && server !== undefined) broken.add(server);
    virtualServers = { ...read.virtualServers, ...virtualServers };
    for (const entry of read.entries) {
      if (entries.has(entry.name))
        context.screen.note(
          `${path}: the server "${sanitizeText(entry.name)}" is skipped, because the name is used twice`,
        );
      else entries.set(entry.name, entry);
    }
  }
  return {
    files: sources.map(({ path }) => path),
    entries: [...entries.values()].filter(({ disabled }) => !disabled),
    named: new Set([...entries.keys(), ...broken]),
    broken: [...broken].filter(name => !entries.has(name)),
    virtualServers,
  };
}

type ConfigFileSource = Pick<ConfigLocation, 'path' | 'scope'>;

/**
 * Determines the scope of each file. A file has the scope `user` if it is a known user-level file of a program. Other
 * files may be part of a project.
 */
async function resolveSources(paths: readonly string[], cwd: string): Promise<ConfigFileSource[]> {
  const own = new Set((await findUserConfigs()).map(({ path }) => path));
  return paths.map(path => resolve(cwd, path)).map(path => ({ path, scope: own.has(path) ? 'user' : 'project' }));
}

/** Finds `mcp.json` of a folder, or else the files of other programs in it. */
export async function findSources(cwd: string): Promise<ConfigFileSource[]> {
  const path = join(cwd, 'mcp.json');
  const isThere = await stat(path).then(
    file => file.isFile(),
    () => false,
  );
  return isThere ? [{ path, scope: 'project' }] : findProjectConfigs(cwd);
}

/** Prints the problem of one server, which is then skipped. Throws the problem of a whole file. */
function reportProblem({ screen }: CliContext, { level, error, server }: ConfigProblem): void {
  if (level === 'error' && server === undefined) throw error;
  screen.note(`${level}: ${error.message}`);
}

function createInputPrompt({ terminal }: CliContext): AskInput {
  return async ({ id, description, password, options, default: fallback }) => {
    const label = sanitizeText(description ?? id, { max: 300 });
    const choice =
      options === undefined ? '' : ` (${options.map(each => sanitizeText(each, { max: 100 })).join(', ')})`;
    const usual = fallback === undefined || password ? '' : ` [${sanitizeText(fallback, { max: 100 })}]`;
    const answer = await terminal.ask(`${label}${choice}${usual}: `, { hidden: password });
    return answer === '' ? undefined : answer;
  };
}

/** Creates a function that asks the user for the value of each input once, also if the files are read again. */
export function createInputMemory(context: CliContext): AskInput {
  const ask = createInputPrompt(context);
  const values = new Map<string, string>();
  return async input => {
    const key = JSON.stringify(input);
    const value = values.get(key) ?? (await ask(input));
    if (value !== undefined) values.set(key, value);
    return value;
  };
}

/** Creates the error for a configuration without a server that may be started. */
export function createNoServersError({ files, entries }: Pick<Configuration, 'files' | 'entries'>): TenonError {
  return new TenonError('cli/no-servers', `no server found in ${files.join(', ')}`, {
    hint:
      entries.length === 0
        ? 'add a server under "mcpServers"'
        : 'approve a server: run this in a terminal, or pass --trust',
  });
}
