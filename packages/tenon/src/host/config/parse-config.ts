import { findNearestKey } from '../../protocol/nearest-key.js';
import type { ReadEnvFile } from './env-file.js';
import { type AskInput, createInputResolver } from './inputs.js';
import { type ConfigPath, createJsonNode, type JsonNode, parseDocument } from './json-node.js';
import { SERVER_SECTIONS } from './keys.js';
import { parseEntry } from './parse-entry.js';
import { getWorkspace } from './paths.js';
import { type ConfigProblem, createProblemReport, quoteName, type ReportProblem } from './problem.js';
import { createVariableResolver } from './resolve-variables.js';
import type { ConfiguredEntry, EntryOrigin } from './server-entry.js';

/** Maximum number of servers of one configuration. */
export const MAX_SERVERS = 1000;

export interface EntryOptions {
  /** Looks a variable of the environment up. Absent: `${…}` is left as it stands. */
  readonly env?: ((name: string) => string | undefined) | undefined;
  /** Asks the user for an input of a VS Code configuration. Not called for servers that are disabled. */
  readonly inputs?: AskInput | undefined;
  /** `${workspaceFolder}`, and where relative `cwd`, `envFile` and `roots` begin. Default: the folder of the file. */
  readonly workspace?: string | undefined;
  /** `${userHome}`. */
  readonly home?: string | undefined;
  /** Reads an `envFile`; absent: a server that has one is an error. */
  readonly readEnvFile?: ReadEnvFile | undefined;
}

/** Options of `parseConfig`. */
export interface ConfigOptions extends EntryOptions {
  /** The path of the file, as it is shown and as approval remembers it: an absolute one. */
  readonly file: string;
  /** Author of the file. Servers of a `project` run only once they are approved: see `createTrust`. */
  readonly scope: EntryOrigin['scope'];
  readonly env: (name: string) => string | undefined;
}

/** Servers and problems of a configuration. */
export interface ConfigResult {
  /** In their order in the configuration. A disabled one is given as it is written: nothing is filled in. */
  readonly entries: readonly ConfiguredEntry[];
  /** Mistakes in the configuration. */
  readonly problems: readonly ConfigProblem[];
}

/**
 * Parses a configuration: `mcpServers`, VS Code's `servers` with `inputs`, or Zed's `context_servers`, with comments
 * and trailing commas. Mistakes are returned as problems beside the valid servers; invalid JSON gives no servers.
 */
export async function parseConfig(text: string, options: ConfigOptions): Promise<ConfigResult> {
  const { problems, report } = createProblemReport(options.file, getServerName);
  const document = parseDocument(text.replace(/^\uFEFF/, ''));
  if ('code' in document) {
    report('error', document.code, { path: [], line: document.line }, document.summary);
    return { entries: [], problems };
  }
  const inputs = [['inputs'], ['mcp', 'inputs']].flatMap(path => getMemberNode(document, path)?.items ?? []);
  const entries = await parseSections(findSections(document, report), inputs, options, report);
  return { entries, problems };
}

/** Parses servers that a program configures, by the rules and checks of configuration files. */
export async function parseServerEntries(
  servers: Readonly<Record<string, unknown>>,
  options: EntryOptions = {},
): Promise<ConfigResult> {
  const { problems, report } = createProblemReport('servers', ([name]) => name);
  const entries = await parseSections([createJsonNode(servers)], [], { ...options, file: 'servers' }, report);
  return { entries, problems };
}

async function parseSections(
  sections: readonly JsonNode[],
  inputSpots: readonly JsonNode[],
  options: EntryOptions & { readonly file: string; readonly scope?: EntryOrigin['scope'] },
  report: ReportProblem,
): Promise<ConfiguredEntry[]> {
  const { file, scope, env, home, readEnvFile, workspace = getWorkspace(file) } = options;
  const inputs = createInputResolver(inputSpots, report, options.inputs);
  const fill = createVariableResolver({ env, inputs, workspace, home });
  const entries: ConfiguredEntry[] = [];
  for (const [name, spot] of listServers(sections, report)) {
    const entry = await parseEntry(name, spot, { file, scope, workspace, fill, readEnvFile, report });
    if (entry) entries.push(entry);
  }
  return entries;
}

/** Those of which there is one. Of two with the same name none is taken: one could be shown and the other run. */
function listServers(sections: readonly JsonNode[], report: ReportProblem): [string, JsonNode][] {
  const named = sections.filter(each => {
    if (each.kind === 'object') return true;
    report('error', 'config/shape', each, 'invalid value', { expected: 'an object of servers by name' });
    return false;
  });
  const all = named.flatMap(({ members, repeated }) => [...members.values(), ...repeated]);
  const twice = new Set<string>();
  const servers = new Map<string, JsonNode>();
  for (const spot of all) {
    const name = String(spot.path.at(-1));
    if (servers.has(name)) twice.add(name);
    servers.set(name, spot);
  }
  const details = { hint: 'rename one of the servers' };
  for (const name of twice)
    report('error', 'config/duplicate-key', servers.get(name) as JsonNode, 'duplicate server name', details);
  const single = [...servers].filter(([name]) => !twice.has(name));
  const first = single[MAX_SERVERS]?.[1];
  if (first) report('error', 'config/too-large', first, 'too many servers', { expected: `at most ${MAX_SERVERS}` });
  return single.slice(0, MAX_SERVERS);
}

function getServerName(path: ConfigPath): string | number | undefined {
  const section = SERVER_SECTIONS.find(names => names.every((name, at) => path[at] === name));
  return section && path[section.length];
}

/** The parts of a configuration that name servers. */
function findSections(root: JsonNode, report: ReportProblem): JsonNode[] {
  const details = { expected: 'an object with `mcpServers` or `servers`' };
  if (root.kind !== 'object') report('error', 'config/shape', root, 'invalid configuration', details);
  for (const spot of root.repeated)
    if (SERVER_SECTIONS.some(([first]) => first === spot.path[0]) || spot.path[0] === 'inputs')
      report('error', 'config/duplicate-key', spot, 'duplicate key');
  const repeated = new Set(root.repeated.map(({ path }) => path[0]));
  const found = SERVER_SECTIONS.flatMap(path => getMemberNode(root, path) ?? []);
  if (root.kind === 'object' && !found.length) reportNoServers(root, report);
  return found.filter(({ path }) => !repeated.has(path[0] as string));
}

function getMemberNode(spot: JsonNode | undefined, path: ConfigPath): JsonNode | undefined {
  return path.reduce<JsonNode | undefined>((each, name) => each?.members.get(name as string), spot);
}

/** The settings of a program may name no server; a slip of the pen in the key would look the same. */
function reportNoServers(root: JsonNode, report: ReportProblem): void {
  const known = SERVER_SECTIONS.flatMap(([first, second]) => (second === undefined ? [first as string] : []));
  for (const [key, spot] of [...root.members].slice(0, MAX_SERVERS)) {
    const nearest = findNearestKey(key, known);
    if (!nearest) continue;
    const details = { hint: `did you mean ${quoteName(nearest)}?` };
    return report('warning', 'config/unknown-key', spot, `unknown key ${quoteName(key)}`, details);
  }
  report('warning', 'config/no-servers', root, 'the configuration has no servers', {
    expected: '`mcpServers`, `servers` or `context_servers`',
  });
}
