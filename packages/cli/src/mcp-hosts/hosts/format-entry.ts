import type { CommandTarget, UrlTarget } from '@tenon/host';
import packageJson from '../../../package.json' with { type: 'json' };
import { createUsageError } from '../../usage-error.js';
import { wrapWindowsCommand } from '../windows-command.js';
import type { CommandShape, McpHost, UrlShape } from './mcp-host.js';
import { formatReference, formatVariables, getReference, listReferenceNames } from './variable-text.js';

export type HostEntry = Readonly<Record<string, unknown>>;

/** Entry in the form of a host. */
export interface FormattedEntry {
  readonly entry: HostEntry;
  /** Variables that the host does not replace. The entry contains `<NAME>` for them. */
  readonly unsupported: readonly string[];
}

/**
 * Writes a server in the form of a host. Its values may contain variables such as `${TOKEN}`.
 *
 * @param platform Platform that starts the server. Default: any
 */
export function formatEntry(
  host: McpHost,
  name: string,
  target: CommandTarget | UrlTarget,
  platform?: string,
): FormattedEntry {
  const needsBridge = 'url' in target && target.transport === 'http-sse' && host.url?.withoutSse === true;
  if ('url' in target && host.url && !needsBridge) return formatUrl(host, host.url, name, target);
  const command = 'command' in target ? target : createBridge(host, target);
  return formatCommand(host, host.command, name, wrapWindowsCommand(command, platform));
}

function formatCommand(host: McpHost, shape: CommandShape, name: string, target: CommandTarget): FormattedEntry {
  const { args = [], env = {} } = target;
  const { envNames, text } = host.variables;
  const passed = envNames === undefined ? [] : Object.keys(env).filter(each => getReference(env[each] ?? '') === each);
  const literals = Object.entries(env).filter(([each]) => !passed.includes(each));
  // A host with a list of names replaces nothing in other values of the environment.
  const form = envNames === undefined ? host.variables : {};
  const values = literals.map(([key, value]) => [key, formatVariables(value, form)]);
  const words = [target.command, ...args].map(each => formatVariables(each, host.variables));
  const unsupported = [
    ...(text === undefined ? [target.command, ...args] : []),
    ...(form.text === undefined ? literals.map(([, value]) => value) : []),
  ].flatMap(listReferenceNames);
  const [command, ...rest] = words;
  return {
    unsupported: [...new Set(unsupported)],
    entry: {
      ...(shape.name === undefined ? {} : { [shape.name]: name }),
      ...(shape.type === undefined ? {} : { type: shape.type }),
      ...(shape.args === undefined ? { [shape.command]: words } : { [shape.command]: command, [shape.args]: rest }),
      ...(values.length === 0 ? {} : { [shape.env]: Object.fromEntries(values) }),
      ...(envNames === undefined || passed.length === 0 ? {} : { [envNames]: passed }),
      ...shape.fixed,
    },
  };
}

function formatUrl(host: McpHost, shape: UrlShape, name: string, target: UrlTarget): FormattedEntry {
  const sse = target.transport === 'http-sse' ? shape.sse : undefined;
  const type = sse?.type ?? shape.type;
  const { members, unsupported } = formatHeaders(host, shape, target.headers ?? {});
  const replacesVariables = host.variables.text !== undefined;
  return {
    unsupported: [...new Set([...(replacesVariables ? [] : listReferenceNames(target.url)), ...unsupported])],
    entry: {
      ...(shape.name === undefined ? {} : { [shape.name]: name }),
      ...(type === undefined ? {} : { type }),
      [sse?.url ?? shape.url]: formatVariables(target.url, host.variables),
      ...members,
      ...shape.fixed,
    },
  };
}

function formatHeaders(
  { variables }: McpHost,
  { headers: path }: UrlShape,
  headers: Readonly<Record<string, string>>,
): { members: HostEntry; unsupported: readonly string[] } {
  const { headerNames, envNames, text } = variables;
  const plain: Record<string, string> = {};
  const named: Record<string, string> = {};
  let bearer: string | undefined;
  const unsupported: string[] = [];
  for (const [key, value] of Object.entries(headers)) {
    const name = getReference(value);
    const token =
      key.toLowerCase() === 'authorization' ? getReference(value.replace(/^Bearer\s+(?=\$)/, '')) : undefined;
    if (headerNames && token !== undefined && token !== name) bearer = token;
    else if (headerNames && name !== undefined) named[key] = name;
    else {
      plain[key] = formatVariables(value, variables);
      if (text === undefined) unsupported.push(...listReferenceNames(value));
    }
  }
  const used = Object.values(headers).flatMap(listReferenceNames);
  const members = {
    ...(Object.keys(plain).length === 0 ? {} : nestMembers(path, plain)),
    ...(headerNames && Object.keys(named).length > 0 ? { [headerNames.headers]: named } : {}),
    ...(headerNames && bearer !== undefined ? { [headerNames.bearer]: bearer } : {}),
    ...(headerNames === undefined && envNames !== undefined && used.length > 0
      ? { [envNames]: [...new Set(used)] }
      : {}),
  };
  return { members, unsupported };
}

function nestMembers([key = '', ...inner]: readonly string[], value: unknown): HostEntry {
  return { [key]: inner.length === 0 ? value : nestMembers(inner, value) };
}

/** Service account whose secret is in a variable. */
export interface BridgedAccount {
  readonly clientId: string;
  /** Name of the variable. */
  readonly secretVariable: string;
}

/** Returns a command that connects to a URL as a service account, because no other host can do so itself. */
export function createAccountBridge(target: UrlTarget, { clientId, secretVariable }: BridgedAccount): CommandTarget {
  const bridge = createBridge({ title: 'a bridge' }, target);
  return {
    ...bridge,
    args: [
      ...(bridge.args ?? []),
      ...['--auth', 'client-credentials', '--client-id', clientId, '--client-secret-env', secretVariable],
    ],
    env: { ...bridge.env, [secretVariable]: formatReference(secretVariable) },
  };
}

/** Returns a command that connects to a URL, for a host that cannot connect to it. */
function createBridge({ title }: Pick<McpHost, 'title'>, { url, headers = {} }: UrlTarget): CommandTarget {
  const args = ['-y', `${packageJson.name}@${packageJson.version}`, 'bridge', url];
  const env: Record<string, string> = {};
  // Sorted, so that equal servers have equal commands.
  for (const [key, value] of Object.entries(headers).sort(([a], [b]) => (a < b ? -1 : 1))) {
    const token = getReference(value.replace(/^Bearer\s+(?=\$)/, ''));
    if (token !== undefined && key.toLowerCase() === 'authorization') {
      args.push('--bearer-env', token);
      env[token] = formatReference(token);
    } else if (listReferenceNames(value).length > 0) {
      throw createUsageError(
        `${title} starts a command for this URL, and the variable of the header ${key} cannot be passed to one`,
        'pass a token by --bearer-env, or leave this host out',
      );
    } else args.push('--header', `${key}=${value}`);
  }
  return { command: 'npx', args, ...(Object.keys(env).length === 0 ? {} : { env }) };
}
