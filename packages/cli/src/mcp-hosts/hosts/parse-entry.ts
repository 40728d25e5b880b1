import type { CommandTarget, UrlTarget } from 'tenon/host';
import packageJson from '../../../package.json' with { type: 'json' };
import { isJsonObject } from '../../json-object.js';
import { unwrapWindowsCommand } from '../windows-command.js';
import type { HostEntry } from './format-entry.js';
import type { McpHost, UrlShape } from './mcp-host.js';
import { formatReference, parseVariables } from './variable-text.js';

/** Keys of a URL that hosts accept besides their own. */
const URL_KEYS = ['url', 'serverUrl', 'httpUrl', 'uri'];

/** Reads an entry of a host. Returns `undefined` if it has no command and no URL. */
export function parseHostEntry(host: McpHost, entry: unknown): CommandTarget | UrlTarget | undefined {
  if (!isJsonObject(entry)) return undefined;
  const command = parseCommand(host, entry);
  return command === undefined ? parseUrl(host, entry) : (parseBridge(unwrapWindowsCommand(command)) ?? command);
}

/** Reads the URL of a command that `tenon add` wrote for a host without servers at a URL. */
function parseBridge({ args = [] }: CommandTarget): UrlTarget | undefined {
  const [, spec = '', subcommand, url, ...options] = args;
  if (!spec.startsWith(`${packageJson.name}@`) || subcommand !== 'bridge' || url === undefined) return undefined;
  const headers: [string, string][] = [];
  for (let index = 0; index < options.length; index += 2) {
    const [option, value = ''] = options.slice(index, index + 2);
    if (option === '--bearer-env') headers.push(['Authorization', `Bearer ${formatReference(value)}`]);
    const [, name, text] = /^([^=]+)=(.*)$/s.exec(value) ?? [];
    if (option === '--header' && name !== undefined && text !== undefined) headers.push([name, text]);
  }
  return { url, headers: Object.fromEntries(headers) };
}

function parseCommand(host: McpHost, entry: HostEntry): CommandTarget | undefined {
  const { command: shape, variables } = host;
  const written = entry[shape.command];
  const words = typeof written === 'string' ? [written, ...readTexts(entry[shape.args ?? 'args'])] : readTexts(written);
  const [command, ...args] = words.map(each => parseVariables(each, variables));
  if (command === undefined) return undefined;
  const passed = variables.envNames === undefined ? [] : readTexts(entry[variables.envNames]);
  const form = variables.envNames === undefined ? variables : {};
  return {
    command,
    args,
    env: {
      ...Object.fromEntries(readMembers(entry[shape.env]).map(([key, value]) => [key, parseVariables(value, form)])),
      ...Object.fromEntries(passed.map(name => [name, formatReference(name)])),
    },
  };
}

function parseUrl(host: McpHost, entry: HostEntry): UrlTarget | undefined {
  const { url: shape, variables } = host;
  const key = [shape?.url, shape?.sse?.url, ...URL_KEYS].find(each => typeof entry[each ?? ''] === 'string');
  const url = entry[key ?? ''];
  if (shape === undefined || key === undefined || typeof url !== 'string') return undefined;
  const isSse = entry.type === 'sse' || (shape.sse?.url !== undefined && key === shape.sse.url);
  return {
    url: parseVariables(url, variables),
    headers: readHeaders(host, shape, entry),
    ...(isSse ? { transport: 'http-sse' as const } : {}),
  };
}

function readHeaders({ variables }: McpHost, shape: UrlShape, entry: HostEntry): Record<string, string> {
  const written = shape.headers.reduce<unknown>((inner, key) => (isJsonObject(inner) ? inner[key] : undefined), entry);
  const { headers = '', bearer = '' } = variables.headerNames ?? {};
  const token = entry[bearer];
  return {
    ...Object.fromEntries(readMembers(written).map(([key, value]) => [key, parseVariables(value, variables)])),
    ...Object.fromEntries(readMembers(entry[headers]).map(([key, name]) => [key, formatReference(name)])),
    ...(typeof token === 'string' ? { Authorization: `Bearer ${formatReference(token)}` } : {}),
  };
}

function readTexts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter(each => typeof each === 'string') : [];
}

function readMembers(value: unknown): [string, string][] {
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([key, each]) =>
    ['string', 'number', 'boolean'].includes(typeof each) ? [[key, String(each)]] : [],
  );
}

/** Keys of an entry that the form of a host decides. All others belong to the user. */
export function listOwnKeys({ command, url, variables }: McpHost): ReadonlySet<string> {
  const keys = [
    ...['type', command.command, command.args, command.env, command.name, variables.envNames],
    ...[url?.url, url?.sse?.url, url?.headers[0], ...URL_KEYS],
    ...[variables.headerNames?.headers, variables.headerNames?.bearer],
  ];
  return new Set(keys.filter(each => each !== undefined));
}
