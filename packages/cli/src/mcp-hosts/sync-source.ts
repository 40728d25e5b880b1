// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of configurations are written so
import { resolve } from 'node:path';
import { type CommandTarget, type ConfiguredEntry, findLiteralSecrets, type UrlTarget } from '@tenon/host';
import { isBundlePath } from '../mcpb/is-bundle-path.js';
import { createUsageError } from '../usage-error.js';
import { readConfigText } from './config-file.js';
import { checkSyntax, listHostEntries } from './host-config.js';
import { createAccountBridge } from './hosts/format-entry.js';
import { type ConfigScope, getHostFile, type UserPlaces } from './hosts/host-paths.js';
import type { McpHost } from './hosts/mcp-host.js';
import { mcpHosts } from './hosts/mcp-hosts.js';
import { formatReference, getReference, toVariableName } from './hosts/variable-text.js';
import { readHostTargets } from './read-host-targets.js';

type ServiceAccount = NonNullable<ConfiguredEntry['serviceAccount']>;

/** Servers that other configurations get. */
export interface SyncSource {
  readonly file: string;
  readonly servers: readonly SourceServer[];
  /** Servers that are neither added to other configurations nor removed from them. */
  readonly skipped: readonly SkippedServer[];
  /** Servers that cannot be read. */
  readonly unread: readonly UnreadServer[];
  /** Warnings about entries. */
  readonly notes: readonly string[];
}

/** Server of a configuration that cannot be read. It is neither copied nor removed. */
export interface UnreadServer {
  readonly name: string;
  readonly file: string;
  readonly error: string;
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
  if (named) listHostEntries({ host: named, file, text });
  else checkSyntax(getFormat(file), file, text);
  const read = await readHostTargets(file, named ?? findOwner(file, places));
  const servers: SourceServer[] = [];
  const skipped: SkippedServer[] = [];
  for (const [name, { target, isDisabled, hasEnvFile, serviceAccount }] of read.servers) {
    const server = createSourceServer(name, target, serviceAccount);
    if ('command' in target && isBundlePath(target.command))
      skipped.push({ name, reason: 'it is a bundle, which `tenon add` installs' });
    else if (isDisabled) skipped.push({ name, reason: 'it is disabled' });
    else if (hasEnvFile) skipped.push({ name, reason: 'it reads its variables from a file (`envFile`)' });
    else if ('reason' in server) skipped.push(server);
    else servers.push(server);
  }
  const unread = [...read.unread].map(([name, error]) => ({ name, file, error }));
  if (servers.length + skipped.length + unread.length === 0)
    throw createUsageError(`no server found in ${file}`, 'pass another --from');
  return { file, servers, skipped, unread, notes: read.notes };
}

const findOwner = (file: string, places: UserPlaces): McpHost | undefined =>
  mcpHosts.find(host => [getHostFile(host, 'user', places), getHostFile(host, 'project', places)].includes(file));

function getFormat(file: string): McpHost['format'] {
  if (file.endsWith('.toml')) return 'toml';
  return /\.ya?ml$/.test(file) ? 'yaml' : 'jsonc';
}

/** Variables that only this command and its gateway replace, with the reason why a server is not copied. */
const OWN_VARIABLES: readonly (readonly [start: string, reason: string])[] = [
  ['${caller:', 'it has values of its caller (`${caller:…}`), which only a gateway fills in'],
  ['${file:', 'it reads a value from a file (`${file:…}`), which other programs do not'],
];

/** Creates a server that other hosts can start. One with a service account becomes a command that signs in. */
function createSourceServer(
  name: string,
  target: CommandTarget | UrlTarget,
  account: ServiceAccount | undefined,
): SourceServer | SkippedServer {
  const texts = JSON.stringify([target, account]);
  const own = OWN_VARIABLES.find(([start]) => texts.includes(start));
  if (own) return { name, reason: own[1] };
  if ('url' in target && target.transport === 'openapi')
    return { name, reason: 'it is an OpenAPI document, which only `tenon` and its gateway serve' };
  const server = hideSecrets(name, target);
  if (account === undefined || 'reason' in server || !('url' in server.target)) return server;
  const { clientId, clientSecret, privateKey, issuer, scopes } = account;
  const [other] = Object.entries({ privateKey, issuer, scopes }).flatMap(([key, value]) => (value ? [key] : []));
  if (other !== undefined || clientSecret === undefined)
    return {
      name,
      reason: `its service account has \`auth.${other ?? 'privateKey'}\`, which other programs cannot use`,
    };
  const isLiteral = findLiteralSecrets(server.target, { serviceAccount: account }).includes('auth.clientSecret');
  const variable = isLiteral ? toVariableName(`${name}_CLIENT_SECRET`) : getReference(clientSecret);
  if (variable === undefined) return { name, reason: 'its `auth.clientSecret` is not one variable' };
  return {
    name,
    target: createAccountBridge(server.target, { clientId, secretVariable: variable }),
    hidden: isLiteral ? [`env.${variable}`] : [],
  };
}

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
