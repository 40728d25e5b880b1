import {
  checkFunction,
  checkObject,
  checkOptional,
  checkString,
  findNearestKey,
  requireArgument,
  requireKnownOptions,
  TenonError,
} from '@tenon/base';
import { type ConfigFinding, createConfigReport, quoteName, type ReportFinding } from './config-finding.js';
import type { ReadEnvFile } from './env-file.js';
import { type AskInput, createInputResolver } from './inputs.js';
import { type ConfigPath, type ConfigTextFault, createJsonNode, type JsonNode, parseDocument } from './json-node.js';
import { GOOSE_SECTION, MCP_SECTION, SERVER_SECTIONS } from './keys.js';
import { parseEntry } from './parse-entry.js';
import type { HasProgram } from './parse-target.js';
import { getWorkspace } from './paths.js';
import { createVariableResolver, type ReadSecretFile } from './resolve-variables.js';
import { readVirtualServers } from './sections/virtual-servers.js';
import type { ConfiguredEntry, EntryOrigin } from './server-entry.js';

/** Maximum number of servers of one configuration. */
export const MAX_SERVERS = 1000;

export interface EntryOptions {
  /**
   * Returns the value of an environment variable.
   * @default none, and `${…}` stays unchanged
   */
  readonly env?: ((name: string) => string | undefined) | undefined;
  /**
   * Asks the user for an input of a VS Code configuration. It is not called for disabled servers.
   * @default none, and a server with an input without a default is an error
   */
  readonly inputs?: AskInput | undefined;
  /**
   * Value of `${workspaceFolder}`, and base of relative `cwd`, `envFile` and `roots`.
   * @default the folder of the file
   */
  readonly workspace?: string | undefined;
  /**
   * Value of `${userHome}`.
   * @default none, and the variable is an error
   */
  readonly home?: string | undefined;
  /**
   * Reads an `envFile`.
   * @default none, and a server with an `envFile` is an error
   */
  readonly readEnvFile?: ReadEnvFile | undefined;
  /**
   * Reads the file of a `${file:PATH}`. It is not called for a configuration of a project.
   * @default none, and a server with such a variable is an error
   */
  readonly readSecretFile?: ReadSecretFile | undefined;
  /**
   * Tells if there is a program with a name that contains spaces. A `command` with spaces and without `args` is split
   * into words if there is none.
   * @default none has such a name
   */
  readonly hasProgram?: HasProgram | undefined;
}

/** Content of a configuration that is no JSON. */
export interface ParsedConfigText {
  /** The parsed value. */
  readonly value: unknown;
  /** Returns the line of the value at a path, from 1. */
  readonly findLine: (path: ConfigPath) => number | undefined;
  /**
   * Returns a number, date, or flag at a path as the file writes it, such as `1.10`. Variables and arguments of a server
   * get this text.
   * @default the text that JavaScript gives the value
   */
  readonly findText?: ((path: ConfigPath) => string | undefined) | undefined;
}

/** Options of `parseConfig`. */
export interface ConfigOptions extends EntryOptions {
  /** Absolute path of the file. It is shown to the user and stored with approvals. */
  readonly file: string;
  /** Author of the file. Servers of a `project` run only after approval: see `createTrust`. */
  readonly scope: EntryOrigin['scope'];
  readonly env: (name: string) => string | undefined;
  /**
   * Parses a text in another format, such as the TOML of Codex or the YAML of Goose and Continue. It throws a
   * `TenonError` with the code `config/syntax` for a text that it cannot parse.
   * @default JSON with comments and trailing commas
   */
  readonly parse?: ((text: string) => ParsedConfigText) | undefined;
  /**
   * Replaces variables by their values. Pass `false` to copy entries: all values stay as they are written, and no
   * `envFile` is read.
   * @default `true`
   */
  readonly resolve?: boolean | undefined;
}

/** Servers and findings of a configuration. */
export interface ConfigResult {
  /** Servers, in the order of the configuration. The variables of a disabled server are not resolved. */
  readonly entries: readonly ConfiguredEntry[];
  /** Selections of servers and entries by name, from `virtualServers`. See `servers` of `host.toServer`. */
  readonly virtualServers?: Readonly<Record<string, readonly string[]>>;
  /** Findings of the check of the configuration. */
  readonly findings: readonly ConfigFinding[];
}

/**
 * Parses a configuration: `mcpServers`, VS Code's `servers` with `inputs`, Zed's `context_servers`, `mcp` of OpenCode and
 * Crush, and with `parse` the files of Codex, Goose and Continue. Comments and trailing commas are allowed.
 *
 * Keys in the spelling of another program are read, with a warning.
 *
 * Findings are returned next to the valid servers. Invalid JSON results in no servers.
 */
export async function parseConfig(text: string, options: ConfigOptions): Promise<ConfigResult> {
  requireArgument('`text` of parseConfig', text, checkString);
  requireKnownOptions('parseConfig', options, {
    file: true,
    scope: true,
    env: true,
    inputs: true,
    workspace: true,
    home: true,
    readEnvFile: true,
    readSecretFile: true,
    hasProgram: true,
    parse: true,
    resolve: true,
  });
  requireArgument('`parse` of parseConfig', options.parse, checkOptional(checkFunction));
  let sections: readonly JsonNode[] = [];
  const { findings, report } = createConfigReport(options.file, path => getServerName(sections, path));
  const document = parseText(text.replace(/^\uFEFF/, ''), options.parse);
  if ('code' in document) {
    report('error', document.code, { path: [], line: document.line }, document.summary);
    return { entries: [], findings };
  }
  sections = listSections(document, options.parse !== undefined);
  const inputs = [['inputs'], ['mcp', 'inputs']].flatMap(path => getMemberNode(document, path)?.items ?? []);
  const entries = await parseSections(checkSections(document, sections, report), inputs, options, report);
  const virtualServers = readVirtualServers(document, report);
  return { entries, ...(virtualServers && { virtualServers }), findings };
}

/** Parses servers that a program configures, with the rules and checks of configuration files. */
export async function parseServerEntries(
  servers: Readonly<Record<string, unknown>>,
  options: EntryOptions = {},
): Promise<ConfigResult> {
  requireKnownOptions('parseServerEntries', options, {
    env: true,
    inputs: true,
    workspace: true,
    home: true,
    readEnvFile: true,
    readSecretFile: true,
    hasProgram: true,
  });
  const { findings, report } = createConfigReport('servers', ([name]) => name);
  const entries = await parseSections([createJsonNode(servers)], [], { ...options, file: 'servers' }, report);
  return { entries, findings };
}

async function parseSections(
  sections: readonly JsonNode[],
  inputSpots: readonly JsonNode[],
  options: EntryOptions & Pick<ConfigOptions, 'resolve'> & { file: string; scope?: EntryOrigin['scope'] },
  report: ReportFinding,
): Promise<ConfiguredEntry[]> {
  const { file, scope, env, home, readEnvFile, readSecretFile, hasProgram, resolve = true } = options;
  const { workspace = getWorkspace(file) } = options;
  const inputs = createInputResolver(inputSpots, report, options.inputs);
  const fill = resolve ? createVariableResolver({ env, inputs, workspace, home, scope, readSecretFile }) : undefined;
  const entries: ConfiguredEntry[] = [];
  for (const [name, spot] of listServers(sections, report)) {
    const entry = await parseEntry(name, spot, { file, scope, workspace, home, fill, readEnvFile, hasProgram, report });
    if (entry) entries.push(entry);
  }
  return entries;
}

/**
 * Lists the servers with unique names. If a name is repeated, no entry is used. Otherwise the user could see one entry,
 * and the host could run the other.
 */
function listServers(sections: readonly JsonNode[], report: ReportFinding): [string, JsonNode][] {
  const named = sections.filter(each => {
    if (each.kind === 'object' || each.kind === 'array') return true;
    report('error', 'config/shape', each, 'invalid value', { expected: 'an object of servers by name' });
    return false;
  });
  const all = named.flatMap(({ members, repeated, items }) => [...members.values(), ...repeated, ...items]);
  const twice = new Set<string>();
  const servers = new Map<string, JsonNode>();
  for (const spot of all) {
    const last = spot.path.at(-1);
    const name = typeof last === 'number' ? getListedName(spot) : String(last);
    if (name === undefined) {
      report('error', 'config/name', spot, 'the server has no name', { expected: 'a text in `name`' });
      continue;
    }
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

const getListedName = ({ members }: JsonNode): string | undefined => {
  const name = members.get('name')?.value;
  return typeof name === 'string' ? name : undefined;
};

function getServerName(sections: readonly JsonNode[], path: ConfigPath): string | undefined {
  const section = sections.find(each => each.path.every((name, at) => path[at] === name));
  const name = section && path[section.path.length];
  if (typeof name !== 'number') return name;
  const item = section?.items[name];
  return item && getListedName(item);
}

function parseText(text: string, parse: ConfigOptions['parse']): JsonNode | ConfigTextFault {
  if (!parse) return parseDocument(text);
  try {
    const parsed = parse(text);
    requireArgument('the result of `parse` of parseConfig', parsed, checkObject({ findLine: checkFunction }));
    const { value, findLine, findText } = parsed;
    return createJsonNode(value, [], findLine, findText);
  } catch (error) {
    if (!TenonError.is(error) || error.code !== 'config/syntax') throw error;
    return { code: 'config/syntax', line: undefined, summary: error.summary };
  }
}

/** Lists the parts of a configuration that contain servers. */
function listSections(root: JsonNode, isOtherFormat: boolean): JsonNode[] {
  const known = isOtherFormat ? [...SERVER_SECTIONS, GOOSE_SECTION] : SERVER_SECTIONS;
  const found = known.flatMap(path => getMemberNode(root, path) ?? []);
  if (found.length > 0) return found;
  const mcp = getMemberNode(root, MCP_SECTION);
  return mcp?.kind === 'object' ? [mcp] : [];
}

/** Returns the sections that may be used, and reports findings about the whole configuration. */
function checkSections(root: JsonNode, found: readonly JsonNode[], report: ReportFinding): JsonNode[] {
  const details = { expected: 'an object with `mcpServers` or `servers`' };
  if (root.kind !== 'object') report('error', 'config/shape', root, 'invalid configuration', details);
  for (const spot of root.repeated)
    if ([...SERVER_SECTIONS, MCP_SECTION].some(([first]) => first === spot.path[0]) || spot.path[0] === 'inputs')
      report('error', 'config/duplicate-key', spot, 'duplicate key', { hint: 'remove one of them' });
  const repeated = new Set(root.repeated.map(({ path }) => path[0]));
  if (root.kind === 'object' && !found.length) reportNoServers(root, report);
  return found.filter(({ path }) => !repeated.has(path[0] as string));
}

function getMemberNode(spot: JsonNode | undefined, path: ConfigPath): JsonNode | undefined {
  return path.reduce<JsonNode | undefined>((each, name) => each?.members.get(name as string), spot);
}

/**
 * Reports a configuration without servers as a warning, because a misspelled key looks the same as settings without
 * servers.
 */
function reportNoServers(root: JsonNode, report: ReportFinding): void {
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
