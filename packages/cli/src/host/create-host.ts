import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import {
  type Audit,
  type AuditAnchor,
  type CodeModePolicy,
  type ConfiguredEntry,
  createHost,
  describeDrift,
  type Host,
  type HostLockOptions,
  type HostOptions,
  type LockGuard,
  type NodeHostOptions,
  openAudit,
  openLockGuard,
  type Policy,
  readAuditAnchors,
  readPolicyFile,
  type ServerChanges,
  toHostServers,
} from '@tenon/host';
import { memoryStores, type SealKey, type Stores } from 'tenon';
import type { AuthExceptionsByServer, Authorizer, CallerSignIn } from 'tenon/auth';
import type { Telemetry } from 'tenon/telemetry';
import type { CliContext } from '../cli-context.js';
import { hasToken } from '../http/http-access.js';
import { BEARER_PRINCIPAL } from '../http/http-auth.js';
import { createUserSignIn } from '../http/sign-in.js';
import { openSealedStores, type StoreOptions } from '../stores/open-stores.js';
import { readSealKeys } from '../stores/seal-keys.js';
import { createUsageError, readVariable } from '../usage-error.js';
import { type ApprovalMode, createGatewayApprovals } from './approvals.js';
import { createHostListeners } from './host-reports.js';

/** Options of `createGatewayHost`. */
export interface GatewayHostOptions extends StoreOptions {
  readonly policy?: string;
  readonly approve?: ApprovalMode;
  /**
   * Path of the lock file. `true` uses `mcp.lock`. `false` uses no lock file.
   * @default `mcp.lock` if it exists
   */
  readonly lock?: string | boolean;
  readonly drift?: 'block' | 'ask' | 'warn';
  readonly audit?: string;
  readonly auditKeyEnv?: string;
  readonly prefix?: 'auto' | 'always' | 'never';
  readonly budget?: number;
  /**
   * Offer of programs to callers.
   * @default `off`
   */
  readonly codeMode?: CodeModePolicy;
  readonly maxOutput?: number;
  readonly maxProcesses?: number;
  readonly maxPerCaller?: number;
  /**
   * Idle time after which a server is stopped, in milliseconds.
   * @default that of `createHost`
   */
  readonly idle?: number;
  /**
   * Lists what the policy always denies to a caller.
   * @default `false`
   */
  readonly listDenied?: boolean;
  /**
   * IDs of further extensions that the host carries.
   * @default none
   */
  readonly extensions?: readonly string[];
  readonly screening?: 'report' | 'mask' | 'block';
  readonly printUrl?: boolean;
  /**
   * Signs callers in to servers.
   * @default the user of this machine signs in
   */
  readonly callerSignIn?: CallerSignIn;
  /**
   * Called when the state of a server has changed.
   * @default nothing is called
   */
  readonly onServerState?: HostOptions['onServerState'];
  /**
   * Measures calls.
   * @default none
   */
  readonly telemetry?: Telemetry;
  /**
   * Returns a policy to use in place of each policy that is read, whose decisions it observes.
   * @default no decision is observed
   */
  readonly observePolicy?: (policy: Policy) => Policy;
}

export interface GatewayHost {
  readonly host: Host;
  /** Lock file, and the guard that applies it. Absent without a lock. */
  readonly lock: { readonly file: string; readonly guard: LockGuard } | undefined;
  /** Audit log with its key, and a function that reads the anchors of all replicas from a store that they share. */
  readonly audit: {
    /** Absent for a gateway without an audit log. */
    readonly log: Audit | undefined;
    readonly key: string | undefined;
    readonly readAnchors: (() => Promise<readonly AuditAnchor[]>) | undefined;
  };
  /** Servers that the host has now. */
  getEntries(): readonly ConfiguredEntry[];
  /** Replaces the servers or the policy while the host is running. */
  update(update: { readonly entries?: readonly ConfiguredEntry[]; readonly policy?: Policy }): ServerChanges;
  close(): Promise<void>;
}

/** Creates the host of a gateway. It starts no servers. */
export async function createGatewayHost(
  context: CliContext,
  entries: readonly ConfiguredEntry[],
  options: GatewayHostOptions,
): Promise<GatewayHost> {
  const lock = findLock(context, options);
  let current = entries;
  // Read once, because the path may be a pipe.
  const keys = await readSealKeys(context, options);
  const stores = await openHostStores(context, options, keys);
  const key =
    options.auditKeyEnv === undefined ? undefined : readVariable(context.env, options.auditKeyEnv, '--audit-key-env');
  // Only stores that outlive the process can hold anchors.
  const replica = stores.durable ? { replica: true as const } : {};
  const audit =
    options.audit === undefined ? undefined : await openAudit(resolve(context.cwd, options.audit), { key, ...replica });
  try {
    const guard = lock === undefined ? undefined : await openLockGuard(createLockOptions(context, lock, options));
    const host = await createHost({
      name: 'tenon-gateway',
      servers: toHostServers(entries),
      stores,
      inputRequests: { keys },
      ...(await createPolicyOptions(context, options, stores)),
      ...(guard ? { lockGuard: guard } : {}),
      ...(audit ? { audit } : {}),
      ...(options.prefix ? { prefix: options.prefix } : {}),
      onServerState: options.onServerState,
      ...(options.telemetry ? { telemetry: options.telemetry } : {}),
      ...(options.listDenied ? { listDenied: true } : {}),
      ...(options.extensions ? { extensions: options.extensions } : {}),
      ...(options.screening ? { screening: { onThreat: options.screening } } : {}),
      ...(options.budget === undefined ? {} : { budget: options.budget }),
      ...(options.codeMode === undefined ? {} : { codeMode: options.codeMode }),
      ...(options.maxOutput === undefined
        ? {}
        : { output: { maxTotal: options.maxOutput, maxText: options.maxOutput } }),
      ...(options.maxProcesses === undefined ? {} : { maxProcesses: options.maxProcesses }),
      ...(options.maxPerCaller === undefined ? {} : { maxConnectionsPerCaller: options.maxPerCaller }),
      ...(options.idle === undefined ? {} : { connectionIdleTimeout: options.idle }),
      ...(options.callerSignIn
        ? { callerSignIn: options.callerSignIn }
        : { credentials: createCredentials(context, () => current, options) }),
      ...createHostListeners(context.screen, options.drift !== 'warn', options.screening ?? 'report'),
    });
    const close = async () => {
      await host.close();
      await audit?.close();
      await stores.close();
    };
    const update: GatewayHost['update'] = ({ entries: changed, policy }) => {
      current = changed ?? current;
      const observed = policy && options.observePolicy ? options.observePolicy(policy) : policy;
      return host.update({ policy: observed, ...(changed ? { servers: toHostServers(changed) } : {}) });
    };
    const locked = lock !== undefined && guard ? { file: lock, guard } : undefined;
    const readAnchors = stores.durable ? () => readAuditAnchors(stores.values) : undefined;
    return { host, lock: locked, audit: { log: audit, key, readAnchors }, getEntries: () => current, update, close };
  } catch (error) {
    await audit?.close();
    await stores.close();
    throw error;
  }
}

async function openHostStores(
  context: CliContext,
  options: GatewayHostOptions,
  keys: readonly SealKey[] | undefined,
): Promise<Stores> {
  const stores = await openSealedStores(context, options, keys);
  if (options.approve === 'store' && stores === undefined) {
    throw createUsageError(
      '--approve store needs a store',
      'pass --store FILE or a URL, and pass the same store to `tenon approvals`',
    );
  }
  return stores ?? memoryStores();
}

/** Creates the policy options. Without a policy, approvals are requested only if an approver is configured. */
async function createPolicyOptions(
  { cwd, terminal }: CliContext,
  { policy, approve, observePolicy }: GatewayHostOptions,
  stores: Stores,
): Promise<Partial<NodeHostOptions>> {
  if (policy === undefined && approve === undefined) return {};
  if (approve === 'terminal' && !terminal.interactive) {
    throw createUsageError(
      '--approve terminal: no terminal found',
      'run the command in a terminal, or pass --approve client',
    );
  }
  const mode = approve ?? (terminal.interactive ? 'terminal' : 'client');
  const file = policy === undefined ? undefined : resolve(cwd, policy);
  const observed = file !== undefined && observePolicy ? observePolicy(await readPolicyFile(file)) : file;
  return {
    policy: observed ?? [],
    approvals: createGatewayApprovals(mode, terminal, stores),
  };
}

function findLock({ cwd }: CliContext, { lock }: GatewayHostOptions): string | undefined {
  if (lock === false) return undefined;
  const path = resolve(cwd, typeof lock === 'string' ? lock : 'mcp.lock');
  if (existsSync(path)) return path;
  if (lock === undefined) return undefined;
  throw createUsageError(`lock not found: ${path}`, 'run `tenon lock` first');
}

function createLockOptions(
  { screen, terminal }: CliContext,
  file: string,
  { drift }: GatewayHostOptions,
): HostLockOptions {
  const mode = drift ?? (terminal.interactive ? 'ask' : 'block');
  if (mode === 'ask' && !terminal.interactive) {
    throw createUsageError('--drift ask: no terminal found', 'run the command in a terminal, or pass --drift block');
  }
  screen.note(`lock file: ${file}`);
  return {
    file,
    onChanged: mode,
    onUnknown: mode === 'ask' ? 'ask' : 'block',
    async confirm(drifts) {
      const details = `\nChanges against the lock file:\n\n${describeDrift(drifts)}`;
      const message = 'Approve it, and write it into the lock?';
      return (await terminal.confirm({ message, details })) === true;
    },
  };
}

/**
 * Creates the credentials for servers. The user of this machine signs in for their own calls. Calls of other users
 * never get the tokens of this user.
 */
export function createCredentials(
  context: CliContext,
  getEntries: () => readonly ConfiguredEntry[],
  { printUrl = false }: Pick<GatewayHostOptions, 'printUrl'> = {},
): NonNullable<NodeHostOptions['credentials']> {
  let current: { readonly key: string; readonly authorizer: Authorizer } | undefined;
  /** Returns the authorizer for all servers. A change of their exceptions replaces it. */
  const getAuthorizer = (): Authorizer => {
    const exceptions = collectExceptions(getEntries());
    const key = JSON.stringify(exceptions);
    if (current?.key !== key) {
      const flow = printUrl ? 'url' : 'browser';
      current = {
        key,
        authorizer: createUserSignIn(context, { flow, storedOnly: context.noInput === true, exceptions }),
      };
    }
    return current.authorizer;
  };
  const isForUser = (server: string) => {
    const { target, serviceAccount, perCaller } = getEntries().find(({ name }) => name === server) ?? {};
    if (serviceAccount !== undefined) return false;
    return target !== undefined && 'url' in target && !hasToken({ ...target.headers, ...perCaller?.headers });
  };
  return (server, principal) =>
    isForUser(server) && (principal === undefined || principal === BEARER_PRINCIPAL) ? getAuthorizer() : undefined;
}

/** Collects the exceptions of the servers, by URL. */
function collectExceptions(entries: readonly ConfiguredEntry[]): AuthExceptionsByServer {
  return Object.fromEntries(
    entries.flatMap(({ target, authExceptions }) =>
      'url' in target && authExceptions ? [[target.url, authExceptions]] : [],
    ),
  );
}
