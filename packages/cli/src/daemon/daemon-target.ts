import type { HttpTarget, StdioTarget } from 'tenon';
import type { AuthExceptions } from 'tenon/auth';
import type { CliContext } from '../cli-context.js';
import { chooseTokenStore, type TokenStoreKind } from '../http/token-store-kind.js';
import {
  type EntryTimeouts,
  getProtocolSettings,
  type ProtocolSettings,
  type ResolvedTarget,
} from '../target/resolve-target.js';
import { createTargetAuthorizer } from '../target/target-authorizer.js';
import type { ConnectionOptions } from '../target/target-options.js';
import { createUsageError } from '../usage-error.js';

/** Server to keep, as it is sent to the daemon. */
export interface DaemonTarget {
  readonly label: string;
  readonly settings?: ProtocolSettings | undefined;
  /** Timeouts in the configuration. */
  readonly timeouts?: EntryTimeouts | undefined;
  readonly stdio?: Pick<StdioTarget, 'command' | 'args' | 'cwd'> & { readonly env: Readonly<Record<string, string>> };
  readonly http?: {
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly transport?: 'http' | 'http-sse' | undefined;
    /** Token to send. */
    readonly bearer?: string | undefined;
    /** Uses the tokens of earlier sign-ins. */
    readonly stored: boolean;
    readonly clientId?: string | undefined;
    /** Exceptions of the authorization. The command has read them from its options or from the user's configuration. */
    readonly exceptions?: AuthExceptions | undefined;
    readonly tokenStore?: TokenStoreKind | undefined;
  };
}

/**
 * Variables that a program needs to find its files, its user and its language. The daemon gets no others, because it
 * runs longer than the command, and the others may contain secrets.
 */
const SAFE =
  /^(?:PATH|PATHEXT|HOME|USER|LOGNAME|SHELL|TERM|LANG|LANGUAGE|LC_\w+|TZ|TMPDIR|TMP|TEMP|XDG_\w+|TENON_HOME|SYSTEMROOT|SYSTEMDRIVE|WINDIR|COMSPEC|APPDATA|LOCALAPPDATA|USERPROFILE|USERNAME|HOMEDRIVE|HOMEPATH|PROGRAM\w+)$/i;

/** Variables that the daemon needs to reach servers behind a proxy, or with a certificate of an own authority. */
const NETWORK = /^(?:(?:HTTP|HTTPS|NO|ALL)_PROXY|NODE_USE_ENV_PROXY|NODE_EXTRA_CA_CERTS|SSL_CERT_(?:FILE|DIR))$/i;

/** Returns the variables of an environment that the daemon gets. */
export function selectDaemonVariables(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return selectVariables(env, name => SAFE.test(name) || NETWORK.test(name));
}

function selectVariables(
  env: Readonly<Record<string, string | undefined>>,
  isSelected: (name: string) => boolean,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (isSelected(name) && value !== undefined ? [[name, value]] : [])),
  );
}

/** Creates the description of a target for the daemon. Returns `undefined` if it cannot be kept. */
export function createDaemonTarget(
  { env }: CliContext,
  resolved: ResolvedTarget,
  options: ConnectionOptions,
): DaemonTarget | undefined {
  const { target, label, exceptions: configured, timeouts } = resolved;
  const settings = getProtocolSettings(resolved, options);
  if ('command' in target) {
    const { command, args = [], cwd } = target;
    const entries = Object.entries(target.env ?? {}).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    );
    const all = { ...selectVariables(env, name => SAFE.test(name)), ...Object.fromEntries(entries) };
    return { label, settings, timeouts, stdio: { command, args, ...(cwd === undefined ? {} : { cwd }), env: all } };
  }
  if (!('url' in target) || typeof target.headers === 'function' || hasClientSecret(options)) return undefined;
  const { url, headers = {}, transport, auth } = target;
  const bearer = typeof auth === 'string' ? auth : undefined;
  const stored = auth !== undefined && bearer === undefined;
  const exceptions = { ...configured, ...options.authException };
  const { clientId } = options;
  // The daemon may have been started with another variable.
  const isChosen = options.tokenStore !== undefined || Boolean(env.TENON_TOKEN_STORE);
  const tokenStore = stored && isChosen ? chooseTokenStore({ env }, options.tokenStore) : undefined;
  return {
    label,
    settings,
    timeouts,
    http: { url: String(url), headers, transport, bearer, stored, clientId, exceptions, tokenStore },
  };
}

/** Tells if the command uses a secret of a client, which stays in its process. */
const hasClientSecret = ({ auth, clientSecretEnv, clientSecretFile, clientKeyFile }: ConnectionOptions): boolean =>
  auth === 'client-credentials' || (clientSecretEnv ?? clientSecretFile ?? clientKeyFile) !== undefined;

/** Restores the target in the daemon. */
export function restoreTarget(
  context: CliContext,
  { stdio, http, settings, timeouts }: DaemonTarget,
): (HttpTarget | StdioTarget) & ProtocolSettings & EntryTimeouts {
  if (stdio) return { ...stdio, ...settings, ...timeouts };
  if (!http) throw createUsageError('no target', 'send a URL or a command');
  const { url, headers, transport, bearer, stored, clientId, exceptions = {}, tokenStore } = http;
  const client = clientId === undefined ? {} : { id: clientId };
  const signIn = { auth: 'stored', input: false, ...(tokenStore ? { tokenStore } : {}) } as const;
  const auth = bearer ?? (stored ? createTargetAuthorizer(context, signIn, client, { [url]: exceptions }) : undefined);
  return {
    ...settings,
    ...timeouts,
    url,
    headers,
    ...(transport === undefined ? {} : { transport }),
    ...(auth === undefined ? {} : { auth }),
  };
}
