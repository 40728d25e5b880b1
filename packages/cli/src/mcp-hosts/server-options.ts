import { existsSync } from 'node:fs';
import { extname, isAbsolute, resolve } from 'node:path';
import { type CommandTarget, findLiteralSecrets, type UrlTarget } from '@tenon/host';
import type { CliContext } from '../cli-context.js';
import { installBundle } from '../mcpb/install-bundle.js';
import { installRegistryServer } from '../registry/open-registry-server.js';
import type { RegistryName } from '../registry/registry-name.js';
import { createServerCommand } from '../target/server-command.js';
import { type TargetReference, takeTarget } from '../target/target-reference.js';
import { createUsageError } from '../usage-error.js';
import { createAccountBridge } from './hosts/format-entry.js';
import { formatReference } from './hosts/variable-text.js';
import { pinVersion } from './pin-version.js';

/** Options of the server to add. */
export interface ServerOptions {
  readonly env?: Record<string, string>;
  readonly header?: Record<string, string>;
  /** Values that a bundle or an entry of a registry requests, by name. */
  readonly userConfig?: Record<string, string>;
  readonly bearerEnv?: string;
  /** Service account at a URL: its ID, and the variable with its secret. */
  readonly clientId?: string;
  readonly clientSecretEnv?: string;
  readonly transport?: 'http' | 'http-sse';
  readonly pin: boolean;
  readonly project?: boolean;
}

const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** Names that all hosts accept. */
const SERVER_NAME = /^[A-Za-z0-9][\w.-]{0,63}$/;

/** Tells if the command of a target is not the user's own: an author wrote it into a bundle or a registry. */
export const isForeignCommand = (kind: TargetReference['kind']): boolean => kind === 'bundle' || kind === 'registry';

export function checkServerName(name: string): void {
  if (SERVER_NAME.test(name)) return;
  throw createUsageError(
    `invalid name of a server: ${name.slice(0, 100)}`,
    'use up to 64 letters, digits, -, _ and ., beginning with a letter or digit',
  );
}

/** Parses `NAME=VALUE`, or `NAME` for a variable of the user. The option may be repeated. */
export function parseEnvironment(text: string, before: Readonly<Record<string, string>> = {}): Record<string, string> {
  const at = text.indexOf('=');
  const name = at < 0 ? text : text.slice(0, at);
  // The text is not shown: it may be a secret.
  if (!VARIABLE_NAME.test(name)) throw createUsageError('--env: invalid name', 'write --env NAME or --env NAME=VALUE');
  return { ...before, [name]: at < 0 ? formatReference(name) : text.slice(at + 1) };
}

/**
 * Resolves the target and the options to a server as hosts start it. Its values contain variables, and no secrets.
 * @throws TenonError `cli/usage` for a secret; `hosts/pin` if npm does not report a version.
 */
export async function resolveServerOptions(
  context: CliContext,
  words: readonly string[],
  options: ServerOptions,
): Promise<CommandTarget | UrlTarget> {
  const target = await createTarget(context, words, options);
  refuseSecrets(target);
  return 'command' in target && options.pin ? pinVersion(target, context.env) : target;
}

async function createTarget(
  context: CliContext,
  words: readonly string[],
  options: ServerOptions,
): Promise<CommandTarget | UrlTarget> {
  const { reference, rest } = takeTarget(context, words);
  if (rest.length > 0) throw createUsageError(`unknown argument: ${rest.join(' ')}`, 'write a command after --');
  const { env = {} } = options;
  refuseValues(reference.kind, options);
  switch (reference.kind) {
    // The text is kept as it is, because it may contain variables.
    case 'url':
      return withAccount(createUrlTarget(words[0] ?? reference.url, options), options);
    case 'command':
      refuseUrlOptions(options);
      return { ...toAbsolute(reference.command, reference.args, context.cwd, options.project === true), env };
    case 'file':
      refuseUrlOptions(options);
      return { ...createServerCommand(reference, context.env), env };
    case 'bundle':
      refuseUrlOptions(options);
      return installBundle(context, reference.path, options);
    case 'registry':
      return createRegisteredTarget(context, reference, options);
    default:
      throw createUsageError(
        `${words[0]}: a server is added by its URL, its file or bundle, its name in a registry, or its command`,
        'pass a URL, a server file, a .mcpb bundle, a name in a registry, or a command after --',
      );
  }
}

/** Converts an entry of the registry, after it was shown. Its variables become those of the host. */
async function createRegisteredTarget(
  context: CliContext,
  name: RegistryName,
  options: ServerOptions,
): Promise<CommandTarget | UrlTarget> {
  const target = await installRegistryServer(context, name, options);
  if ('url' in target) {
    const { headers, ...rest } = createUrlTarget(String(target.url), options);
    return { ...target, ...rest, headers: { ...target.headers, ...headers } };
  }
  refuseUrlOptions(options);
  return target;
}

function createUrlTarget(url: string, { env, header = {}, bearerEnv, transport }: ServerOptions): UrlTarget {
  if (env !== undefined) {
    throw createUsageError('--env is for servers that are started', 'pass --header or --bearer-env to a URL');
  }
  if (bearerEnv !== undefined && !VARIABLE_NAME.test(bearerEnv)) {
    throw createUsageError('--bearer-env: invalid name', 'pass the name of an environment variable');
  }
  const bearer = bearerEnv === undefined ? {} : { Authorization: `Bearer ${formatReference(bearerEnv)}` };
  return {
    url,
    headers: { ...header, ...bearer },
    ...(transport === 'http-sse' ? { transport } : {}),
  };
}

/** Returns the target with the service account that the options name. */
function withAccount(target: UrlTarget, options: ServerOptions): CommandTarget | UrlTarget {
  const { clientId, clientSecretEnv, bearerEnv } = options;
  if (clientId === undefined && clientSecretEnv === undefined) return target;
  if (clientId === undefined || clientSecretEnv === undefined || bearerEnv !== undefined)
    throw createUsageError(
      'a service account needs --client-id and --client-secret-env, and no --bearer-env',
      'pass both of them',
    );
  if (!VARIABLE_NAME.test(clientSecretEnv))
    throw createUsageError('--client-secret-env: invalid name', 'pass the name of an environment variable');
  return createAccountBridge(target, { clientId, secretVariable: clientSecretEnv });
}

function refuseUrlOptions({ header, bearerEnv, transport, clientId, clientSecretEnv }: ServerOptions): void {
  if ([header, bearerEnv, transport, clientId, clientSecretEnv].every(each => each === undefined)) return;
  throw createUsageError(
    '--header, --bearer-env, --client-id, --client-secret-env and --transport are for servers at a URL',
    'pass --env to a command',
  );
}

function refuseValues(kind: TargetReference['kind'], { userConfig }: ServerOptions): void {
  if (userConfig === undefined || isForeignCommand(kind)) return;
  throw createUsageError('--user-config is for bundles and servers of a registry', 'pass --env or --header instead');
}

/** Hosts start servers in folders of their own, so the paths of files become absolute. */
function toAbsolute(command: string, args: readonly string[], cwd: string, isProject: boolean): CommandTarget {
  const convert = (word: string, isCommand: boolean) => {
    const isPath = /^\.{1,2}[\\/]/.test(word) || (!isCommand && (/[\\/]/.test(word) || extname(word) !== ''));
    const path = resolve(cwd, word);
    return isPath && !isProject && !isAbsolute(word) && !word.startsWith('-') && existsSync(path) ? path : word;
  };
  return { command: convert(command, true), args: args.map(each => convert(each, false)) };
}

function refuseSecrets(target: CommandTarget | UrlTarget): void {
  const [part, ...others] = findLiteralSecrets(target);
  if (part === undefined) return;
  throw createUsageError(
    `${[part, ...others].join(', ')}: the value looks like a secret, and a configuration must not contain one`,
    getSecretHint(part),
  );
}

function getSecretHint(part: string): string {
  const [kind = '', name = ''] = part.split(/\.(.*)/s);
  if (kind === 'env') return `set the variable, and pass its name only: --env ${name}`;
  if (part === 'headers.Authorization') return 'set a variable, and pass its name: --bearer-env NAME';
  if (kind === 'headers') return `set a variable, and name it: --header '${name}=\${NAME}'`;
  return `set a variable, and write it instead of the value: '\${NAME}'`;
}
