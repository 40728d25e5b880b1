import { deriveObject, deriveScalar, type JsonNode } from './json-node.js';

/**
 * Form in which a program writes its entries. `dollar`: Gemini CLI and its forks replace `$NAME`. Files of all programs
 * without a form of their own are `common`.
 */
export type EntryForm = 'common' | 'dollar' | 'zed' | 'codex' | 'goose' | 'opencode' | 'crush';

/** Determines the form of an entry by the section and the file that contain it. */
export function getEntryForm({ path: [section], members }: JsonNode, file: string): EntryForm {
  if (section === 'context_servers') return 'zed';
  if (section === 'mcp_servers' && file.endsWith('.toml')) return 'codex';
  if (section === 'extensions') return 'goose';
  if (section === 'mcp' && !file.endsWith('settings.json')) {
    const type = members.get('type')?.value;
    return type === 'local' || type === 'remote' ? 'opencode' : 'crush';
  }
  return /[\\/]\.(?:gemini|qwen)[\\/]settings\.json$/.test(file) ? 'dollar' : 'common';
}

/** Types of extensions of Goose that are no MCP servers. */
const FOREIGN_TYPES: readonly unknown[] = ['builtin', 'platform', 'frontend', 'inline_python'];

/** Tells if an entry is an extension of another program that is no MCP server. */
export const isForeignExtension = ({ members }: JsonNode, form: EntryForm): boolean =>
  form === 'goose' && FOREIGN_TYPES.includes(members.get('type')?.value);

/** Other spellings of keys, and the keys that they mean. */
const SPELLINGS: Readonly<Record<string, string>> = {
  ...nameAll('url', 'baseUrl', 'base_url', 'server_url', 'uri', 'endpoint'),
  ...nameAll('httpUrl', 'http_url'),
  ...nameAll('command', 'executable'),
  ...nameAll('args', 'arguments'),
  ...nameAll('env', 'environment', 'envs', 'environmentVariables'),
  ...nameAll('envFile', 'env_file'),
  ...nameAll('cwd', 'workingDirectory', 'working_directory', 'workingDir', 'workdir'),
  ...nameAll('transportType', 'transport_type'),
  ...nameAll('headers', 'http_headers', 'httpHeaders'),
  ...nameAll('includeTools', 'allowedTools', 'allowed_tools', 'enabledTools', 'enabled_tools', 'include_tools'),
  ...nameAll('excludeTools', 'blockedTools', 'blocked_tools', 'excludedTools', 'exclude_tools', 'disabled_tools'),
};

/** Keys of one program that mean others. They are no misspellings in its files. */
const OWN_KEYS: Readonly<Partial<Record<EntryForm, Readonly<Record<string, string>>>>> = {
  codex: {
    http_headers: 'headers',
    enabled_tools: 'includeTools',
    disabled_tools: 'excludeTools',
    tools: 'autoApprove',
  },
  goose: { cmd: 'command', envs: 'env', uri: 'url', available_tools: 'includeTools' },
  opencode: { environment: 'env', timeout: 'startTimeout' },
};

function nameAll(name: string, ...spellings: string[]): Record<string, string> {
  return Object.fromEntries(spellings.map(spelling => [spelling, name]));
}

/** Key in another spelling. */
interface RenamedKey {
  readonly key: string;
  readonly at: JsonNode;
  /** Key that it means. */
  readonly name: string;
}

export interface EntryMembers {
  readonly members: ReadonlyMap<string, JsonNode>;
  /** Keys in the spelling of another program. */
  readonly renamed: readonly RenamedKey[];
  /** Keys that mean the same as another key of the entry, with another value. */
  readonly conflicts: readonly RenamedKey[];
}

/** Reads the members of an entry in the form of any program, under the keys of this library. */
export function readMembers(node: JsonNode, form: EntryForm): EntryMembers {
  const members = new Map<string, JsonNode>();
  const renamed: RenamedKey[] = [];
  const conflicts: RenamedKey[] = [];
  const own = OWN_KEYS[form] ?? {};
  const written = unnestTransport(form === 'zed' ? unnestCommand(node) : node.members);
  for (const [key, at] of written) if (!Object.hasOwn(own, key) && !Object.hasOwn(SPELLINGS, key)) members.set(key, at);
  for (const [key, at] of written) {
    const name = Object.hasOwn(own, key) ? own[key] : Object.hasOwn(SPELLINGS, key) ? SPELLINGS[key] : undefined;
    if (name === undefined) continue;
    const other = members.get(name);
    if (other === undefined) members.set(name, at);
    else if (other.kind !== 'string' || other.value !== at.value) conflicts.push({ key, at, name });
    if (!Object.hasOwn(own, key)) renamed.push({ key, at, name });
  }
  for (const name of ['env', 'headers']) {
    const at = members.get(name);
    const pairs = at && readPairs(at);
    if (!at || !pairs) continue;
    members.set(name, deriveObject(at, pairs));
    renamed.push({ key: `${name}[]`, at, name });
  }
  addNamedVariables(members, form, renamed);
  convertTimeouts(members);
  // Goose writes an empty list for all tools.
  if (form === 'goose' && members.get('includeTools')?.items.length === 0) members.delete('includeTools');
  return { members, renamed, conflicts };
}

/** Some versions of Zed nest the command, arguments and environment in an object. */
function unnestCommand({ members }: JsonNode): ReadonlyMap<string, JsonNode> {
  const command = members.get('command');
  if (command?.kind !== 'object') return members;
  const inner = [...command.members].map(([key, at]): [string, JsonNode] => [key === 'path' ? 'command' : key, at]);
  return new Map([...[...members].filter(([key]) => key !== 'command'), ...inner]);
}

/** Some programs nest the command or the URL in `transport`. */
function unnestTransport(members: ReadonlyMap<string, JsonNode>): ReadonlyMap<string, JsonNode> {
  const transport = members.get('transport');
  if (transport?.kind !== 'object') return members;
  return new Map([...transport.members, ...[...members].filter(([key]) => key !== 'transport')]);
}

/** Reads a list of `{ name, value }`, as the Agent Client Protocol has. */
function readPairs({ items }: JsonNode): [string, JsonNode][] | undefined {
  const pairs = items.flatMap(({ members }): [string, JsonNode][] => {
    const [name, value] = [members.get('name')?.value, members.get('value')];
    return typeof name === 'string' && value ? [[name, value]] : [];
  });
  return items.length > 0 && pairs.length === items.length ? pairs : undefined;
}

/** Keys with a token, or with the name of the variable that contains it. */
const TOKEN_KEYS = ['bearerToken', 'bearer_token'];
const TOKEN_NAME_KEYS = ['bearer_token_env_var', 'bearerTokenEnv', 'bearer_token_env', 'bearerTokenEnvVar'];
const HEADER_NAME_KEYS = ['env_http_headers', 'envHttpHeaders', 'envHeaders'];
const VARIABLE_LIST_KEYS = ['env_vars', 'envVars', 'env_keys'];
/** Settings of requests that contain the headers. */
const REQUEST_KEYS = ['requestOptions', 'requestInit'];

/** Converts keys that name variables, or that nest the headers, to `env` and `headers`. */
function addNamedVariables(members: Map<string, JsonNode>, form: EntryForm, renamed: RenamedKey[]): void {
  const headers: [string, JsonNode][] = [];
  const env: [string, JsonNode][] = [];
  const take = (key: string, isOwn: boolean, name: string): JsonNode | undefined => {
    const at = members.get(key);
    members.delete(key);
    if (at && !isOwn) renamed.push({ key, at, name });
    return at;
  };
  for (const key of REQUEST_KEYS) {
    if (members.get(key)?.members.get('headers') === undefined) continue;
    headers.push(...(take(key, true, 'headers')?.members.get('headers')?.members ?? []));
  }
  headers.push(...(members.get('headers')?.members ?? []));
  for (const key of HEADER_NAME_KEYS)
    for (const [header, at] of take(key, form === 'codex', 'headers')?.members ?? [])
      headers.push([header, deriveScalar(at, formatReference(at))]);
  for (const key of TOKEN_NAME_KEYS) {
    const at = take(key, form === 'codex', 'headers');
    if (at) headers.push(['Authorization', deriveScalar(at, `Bearer ${formatReference(at)}`)]);
  }
  for (const key of TOKEN_KEYS) {
    const at = take(key, false, 'headers');
    if (at) headers.push(['Authorization', deriveScalar(at, `Bearer ${String(at.value)}`)]);
  }
  for (const key of VARIABLE_LIST_KEYS)
    for (const at of take(key, form === 'codex' || form === 'goose', 'env')?.items ?? []) {
      const name = at.members.get('name') ?? at;
      env.push([String(name.value), deriveScalar(at, formatReference(name))]);
    }
  const [anyHeader, anyVariable] = [headers[0]?.[1], env[0]?.[1]];
  if (anyHeader && members.get('headers')?.members.size !== headers.length)
    members.set('headers', deriveObject(members.get('headers') ?? anyHeader, headers));
  // Goose names the variables of the headers in the same list.
  if (anyVariable && !members.has('url'))
    members.set(
      'env',
      deriveObject(members.get('env') ?? anyVariable, [...env, ...(members.get('env')?.members ?? [])]),
    );
}

const formatReference = ({ value }: JsonNode): string => `\${${String(value)}}`;

/** Timeouts of Codex, and the number of milliseconds of their unit. */
const TIMEOUTS: readonly (readonly [key: string, name: string, unit: number])[] = [
  ['startup_timeout_sec', 'startTimeout', 1000],
  ['startup_timeout_ms', 'startTimeout', 1],
  ['tool_timeout_sec', 'totalTimeout', 1000],
  ['timeoutMs', 'totalTimeout', 1],
];

function convertTimeouts(members: Map<string, JsonNode>): void {
  for (const [key, name, unit] of TIMEOUTS) {
    const at = members.get(key);
    if (at?.kind !== 'number') continue;
    members.delete(key);
    if (!members.has(name)) members.set(name, deriveScalar(at, Number(at.value) * unit));
  }
}

const NAME = '([A-Za-z_][A-Za-z0-9_]*)';
/** Variables in the form of a program, by expressions whose first group is the name. */
const VARIABLES: Readonly<Partial<Record<EntryForm, readonly RegExp[]>>> = {
  dollar: [new RegExp(`(?<!\\$)\\$${NAME}`, 'g')],
  opencode: [new RegExp(`\\{env:${NAME}\\}`, 'g'), /(?<!\$)\{(file:[^{}]+)\}/g],
  crush: [new RegExp(`\\$\\(echo \\$${NAME}\\)`, 'g'), new RegExp(`(?<!\\$)\\$${NAME}`, 'g')],
};
/** `$env:NAME` of mcporter, and `${{ secrets.NAME }}` of Continue. */
const COMMON_VARIABLES = [
  new RegExp(`^\\$env:${NAME}$`),
  new RegExp(`\\$\\{\\{\\s*(?:secrets\\.)?${NAME}\\s*\\}\\}`, 'g'),
];

/** Writes the variables of a text as `${NAME}`. */
export function toReferences(text: string, form: EntryForm): string {
  // Codex replaces nothing in a text. Its lists of variables have become texts that are a whole variable.
  if (form === 'codex' && !/^(?:Bearer )?\$\{[A-Za-z_]\w*\}$/.test(text)) return text.replaceAll('${', () => '$${');
  return [...(VARIABLES[form] ?? []), ...COMMON_VARIABLES].reduce(
    (result, pattern) => result.replace(pattern, (_, name: string) => `\${${name}}`),
    text,
  );
}

/** Returns the beginning of a variable whose value is the output of a program. */
export function findUnsupportedVariable(text: string, form: EntryForm): string | undefined {
  return form === 'crush' && text.includes('$(') ? '$(…)' : undefined;
}
