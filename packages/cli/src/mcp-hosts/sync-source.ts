import { resolve } from 'node:path';
import { type CommandTarget, findLiteralSecrets, type UrlTarget } from 'tenon/host';
import { isJsonObject } from '../json-object.js';
import { isBundlePath } from '../mcpb/is-bundle-path.js';
import { createUsageError } from '../usage-error.js';
import { readConfigText } from './config-file.js';
import { listHostEntries } from './host-config.js';
import { type ConfigScope, getHostFile, type UserPlaces } from './hosts/host-paths.js';
import type { McpHost } from './hosts/mcp-host.js';
import { mcpHosts } from './hosts/mcp-hosts.js';
import { parseHostEntry } from './hosts/parse-entry.js';
import { formatReference, toVariableName } from './hosts/variable-text.js';
import { unwrapWindowsCommand } from './windows-command.js';

/** Servers that other configurations get. */
export interface SyncSource {
  readonly file: string;
  readonly servers: readonly SourceServer[];
  /** Servers that are neither added to other configurations nor removed from them. */
  readonly skipped: readonly SkippedServer[];
}

/** Server without its secrets. */
export interface SourceServer {
  readonly name: string;
  readonly target: CommandTarget | UrlTarget;
  /** Parts whose secrets have become variables: `env.TOKEN`. */
  readonly hidden: readonly string[];
}

export interface SkippedServer {
  readonly name: string;
  readonly reason: string;
}

/** Hosts whose forms files of other programs have, by the first section that a file contains. */
const COMMON_FORMS = ['claude-code', 'vscode', 'zed', 'codex', 'goose', 'continue', 'amp', 'opencode'];

/**
 * Reads the servers of a host or a file.
 *
 * @param from Name of a host, or path of a file.
 */
export async function readSyncSource(from: string, scope: ConfigScope, places: UserPlaces): Promise<SyncSource> {
  const named = mcpHosts.find(({ id }) => id === from);
  const file = named === undefined ? resolve(places.cwd, from) : getHostFile(named, scope, places);
  if (file === undefined) {
    throw createUsageError(`--from ${from}: it has no configuration of a project`, 'leave --project out');
  }
  const text = await readConfigText(file);
  if (text === undefined) {
    throw createUsageError(
      `--from ${from}: ${file} does not exist`,
      'pass the name of a host, or a file: --from cursor',
    );
  }
  const host = named ?? findForm(file, text, places);
  const servers: SourceServer[] = [];
  const skipped: SkippedServer[] = [];
  for (const [name, entry] of listHostEntries({ host, file, text })) {
    const parsed = parseHostEntry(host, entry);
    if (parsed === undefined) continue;
    const target = 'command' in parsed ? unwrapWindowsCommand(parsed) : parsed;
    const server = hideSecrets(name, target);
    if ('command' in target && isBundlePath(target.command))
      skipped.push({ name, reason: 'it is a bundle, which `tenon add` installs' });
    else if (isDisabled(entry)) skipped.push({ name, reason: 'it is disabled' });
    else if ('reason' in server) skipped.push(server);
    else servers.push(server);
  }
  if (servers.length + skipped.length === 0)
    throw createUsageError(`no server found in ${file}`, 'pass another --from');
  return { file, servers, skipped };
}

/** Finds the host that a file belongs to, else one with the same form. */
function findForm(file: string, text: string, places: UserPlaces): McpHost {
  const owner = mcpHosts.find(host =>
    [getHostFile(host, 'user', places), getHostFile(host, 'project', places)].includes(file),
  );
  if (owner) return owner;
  const format = getFormat(file);
  const candidates = COMMON_FORMS.flatMap(id => mcpHosts.filter(each => each.id === id && each.format === format));
  const [first] = candidates;
  const found = candidates.find(host => hasServers(host, file, text)) ?? first;
  if (found) return found;
  throw createUsageError(`${file}: the format is not known`, 'pass a .json, .toml or .yaml file');
}

function getFormat(file: string): McpHost['format'] {
  if (file.endsWith('.toml')) return 'toml';
  return /\.ya?ml$/.test(file) ? 'yaml' : 'jsonc';
}

function hasServers(host: McpHost, file: string, text: string): boolean {
  try {
    return listHostEntries({ host, file, text }).size > 0;
  } catch {
    return false;
  }
}

const isDisabled = (entry: unknown): boolean =>
  isJsonObject(entry) && (entry.disabled === true || entry.enabled === false);

/** Replaces the secrets of a server by variables. A secret in an argument or a URL has no name, so it is not copied. */
function hideSecrets(name: string, target: CommandTarget | UrlTarget): SourceServer | SkippedServer {
  const hidden = findLiteralSecrets(target);
  const unnamed = hidden.filter(part => !/^(?:env|headers)\./.test(part));
  if (unnamed.length > 0) return { name, reason: `${unnamed.join(', ')} contains a secret` };
  const replace = (kind: string, members: Readonly<Record<string, string>> = {}) =>
    Object.fromEntries(
      Object.entries(members).map(([key, value]) => [
        key,
        hidden.includes(`${kind}.${key}`) ? createVariable(kind === 'env' ? key : `${name}_${key}`, value) : value,
      ]),
    );
  if ('command' in target) return { name, target: { ...target, env: replace('env', target.env) }, hidden };
  return { name, target: { ...target, headers: replace('headers', target.headers) }, hidden };
}

function createVariable(name: string, value: string): string {
  const [scheme = ''] = /^Bearer\s+/i.exec(value) ?? [];
  return scheme + formatReference(toVariableName(name));
}
