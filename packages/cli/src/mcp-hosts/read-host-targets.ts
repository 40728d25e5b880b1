import type { CommandTarget, ConfiguredEntry, UrlTarget } from '@tenon/host';
import packageJson from '../../package.json' with { type: 'json' };
import { readAnyConfigFile } from '../host/read-config-text.js';
import type { McpHost, VariableForm } from './hosts/mcp-host.js';
import { formatReference, parseVariables } from './hosts/variable-text.js';
import { unwrapWindowsCommand } from './windows-command.js';

/** Servers of a configuration file. Their values contain variables such as `${TOKEN}`. */
export interface HostTargets {
  readonly servers: ReadonlyMap<string, HostTarget>;
  /** Names of the servers that cannot be read, and their errors. */
  readonly unread: ReadonlyMap<string, string>;
  /** Warnings about keys and spellings. */
  readonly notes: readonly string[];
}

export interface HostTarget {
  readonly target: CommandTarget | UrlTarget;
  readonly isDisabled: boolean;
  /** True if the entry names a file of variables. The target does not contain them. */
  readonly hasEnvFile: boolean;
  /** Service account that calls the server. Absent for most servers. */
  readonly serviceAccount?: ConfiguredEntry['serviceAccount'];
}

/**
 * Reads the servers of a configuration file by the rules of `@tenon/host`, without the values of variables.
 *
 * @param host Host whose form the file has. Default: any, with variables as `${NAME}`
 */
export async function readHostTargets(file: string, host?: McpHost): Promise<HostTargets> {
  const { entries, findings } = await readAnyConfigFile(file, { resolve: false });
  const errors = findings.filter(({ level }) => level === 'error');
  const fileError = errors.find(({ server }) => server === undefined);
  if (fileError && entries.length === 0) throw fileError.error;
  const unread = new Map<string, string>();
  // The first error of a server explains the others.
  for (const { server, key, error } of errors) if (!unread.has(server ?? key)) unread.set(server ?? key, error.message);
  return {
    servers: new Map(entries.map(entry => [entry.name, toHostTarget(entry, host)])),
    unread,
    notes: findings.flatMap(({ level, error }) => (level === 'warning' ? error.message : [])),
  };
}

function toHostTarget(
  { target, disabled = false, serviceAccount, written = {} }: ConfiguredEntry,
  host: McpHost | undefined,
): HostTarget {
  const read = (text: string) => parseVariables(text, host?.variables ?? SHELL);
  const readAll = (members: Readonly<Record<string, string>> = {}) =>
    Object.fromEntries(Object.entries(members).map(([name, text]) => [name, read(text)]));
  const state = {
    isDisabled: disabled,
    hasEnvFile: written.envFile !== undefined,
    ...(serviceAccount && { serviceAccount: mapValues(serviceAccount, read) }),
  };
  if ('url' in target) {
    // For some hosts the key of the URL tells the transport. Gemini CLI tries both for such a URL without a type.
    const { sse } = host?.url ?? {};
    const isSseEntry = sse?.url !== undefined && (sse.type === undefined || /\/sse\/?$/.test(target.url));
    const isSse = target.transport === 'http-sse' || (isSseEntry && target.transport === undefined);
    const url = { url: read(target.url), headers: readAll(target.headers) };
    if (target.transport === 'openapi') return { ...state, target: { ...url, transport: 'openapi' } };
    return { ...state, target: isSse ? { ...url, transport: 'http-sse' } : url };
  }
  const { command, args = [], env } = target;
  const program = unwrapWindowsCommand({ command: read(command), args: args.map(read), env: readAll(env) });
  return { ...state, target: parseBridge(program) ?? program };
}

const mapValues = <T extends object>(members: T, change: (text: string) => string): T => {
  const changed = { ...members };
  for (const name of Object.keys(members) as (keyof T)[])
    Object.assign(changed, { [name]: change(String(members[name])) });
  return changed;
};

// biome-ignore lint/suspicious/noTemplateCurlyInString: variables of configurations are written so
const SHELL: VariableForm = { text: '${VAR}' };

/** Reads the URL of a command that `tenon add` wrote for a host without servers at a URL. */
function parseBridge({ args = [] }: CommandTarget): UrlTarget | undefined {
  const [, spec = '', subcommand, url, ...options] = args;
  if (!spec.startsWith(`${packageJson.name}@`) || subcommand !== 'bridge' || url === undefined) return undefined;
  const headers: [string, string][] = [];
  for (let index = 0; index < options.length; index += 2) {
    const [option = '', value = ''] = options.slice(index, index + 2);
    // Such a command has settings that a URL and headers do not tell, so it stays a command.
    if (!['--bearer-env', '--header'].includes(option)) return undefined;
    if (option === '--bearer-env') headers.push(['Authorization', `Bearer ${formatReference(value)}`]);
    const [, name, text] = /^([^=]+)=(.*)$/s.exec(value) ?? [];
    if (option === '--header' && name !== undefined && text !== undefined) headers.push([name, text]);
  }
  return { url, headers: Object.fromEntries(headers) };
}
