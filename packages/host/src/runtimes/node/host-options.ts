import { join } from 'node:path';
import {
  checkArray,
  checkEither,
  checkFunction,
  checkObject,
  checkOneOf,
  checkOptional,
  checkString,
  type OptionChecks,
  type Stores,
  TenonError,
} from '@tenon/base';
import { getHomeFolder } from '@tenon/base/node';
import type { ConfigFinding } from '../../config/config-finding.js';
import type { ConfiguredEntry } from '../../config/server-entry.js';
import { toHostServers } from '../../config/to-host-servers.js';
import { type AskTrust, createTrust, type Trust } from '../../config/trust.js';
import type { HostOptions, HostServer } from '../../host-options.js';
import { HOST_CHECKS } from '../../option-checks.js';
import type { HostGuardOptions } from '../../security/guard/guard-options.js';
import { openAudit } from './audit/audit-file.js';
import { readConfigFile } from './config-file.js';
import { type HostLockOptions, openLockGuard } from './lock-guard.js';
import { readPolicyFile } from './policy-file.js';
import { loadTrustKey } from './trust-key.js';

/** Options of a host that reads files. */
export interface NodeHostOptions extends Omit<HostOptions, 'servers' | 'policy' | 'audit' | 'mayStart'> {
  /** Servers by name, in addition to those of configuration files. */
  readonly servers?: Readonly<Record<string, HostServer>> | undefined;
  /**
   * Paths of configuration files: `mcp.json`, `.vscode/mcp.json`, …. If two files have a server with the same name, the
   * first one applies.
   */
  readonly config?: string | readonly ConfigSource[] | undefined;
  /**
   * Called for each finding in the configurations.
   * @default an error in a configuration is thrown
   */
  readonly onConfigFinding?: ((finding: ConfigFinding) => void) | undefined;
  /**
   * Requests approval for a server of a project.
   * @default only servers that were approved before run
   */
  readonly trust?: AskTrust | undefined;
  /**
   * Path of the file with the key for such approvals.
   * @default `~/.tenon/trust.key`
   */
  readonly trustKey?: string | undefined;
  /**
   * Policy rules, or the path of a policy file.
   * @default no policy
   */
  readonly policy?: HostOptions['policy'] | string;
  /**
   * A lock file, and the handling of servers that differ from it. Replaces `lockGuard`.
   * @default no lock
   */
  readonly lock?: HostLockOptions | undefined;
  /**
   * The audit log, or the path of its file.
   * @default no audit log
   */
  readonly audit?: HostOptions['audit'] | string;
}

const checkSource = checkEither(checkString, checkObject({ path: checkString, scope: checkOneOf('user', 'project') }));
const { mayStart: _, ...SHARED_CHECKS } = HOST_CHECKS;

/** Checks of the options of `createHost` on Node. */
export const NODE_HOST_CHECKS: OptionChecks<NodeHostOptions> = {
  ...SHARED_CHECKS,
  servers: checkOptional(SHARED_CHECKS.servers),
  config: checkOptional(checkEither(checkString, checkArray(checkSource))),
  onConfigFinding: checkOptional(checkFunction),
  trust: checkOptional(checkFunction),
  trustKey: checkOptional(checkString),
  policy: checkOptional(checkEither(checkString, SHARED_CHECKS.policy)),
  // `openLockGuard` checks its options.
  lock: checkOptional(checkObject()),
  audit: checkOptional(checkEither(checkString, SHARED_CHECKS.audit)),
};

/** A configuration file and its author. Servers of a project need approval. */
export type ConfigSource = string | { readonly path: string; readonly scope: 'user' | 'project' };

/** Options that were read from files, and resources to close. */
export interface LoadedHost {
  readonly options: HostOptions;
  close(): Promise<void>;
}

/** Loads the options of a host from files. Rejects when a file cannot be read. */
export async function loadHost(nodeOptions: NodeHostOptions, stores: Stores): Promise<LoadedHost> {
  const { servers = {}, config, trust: askTrust, trustKey: keyPath, lock, policy, audit, ...rest } = nodeOptions;
  const { onConfigFinding: _, ...options } = rest;
  const entries = await readConfigs(nodeOptions);
  const trust = entries.some(({ origin }) => origin?.scope === 'project')
    ? createTrust({
        values: stores.values,
        key: await loadTrustKey(keyPath ?? join(getHomeFolder(), '.tenon', 'trust.key')),
        ...(askTrust ? { ask: askTrust } : {}),
      })
    : undefined;
  const rules = await resolvePolicy(policy);
  const lockGuard = lock === undefined ? undefined : await openLockGuard(lock);
  // The audit file is opened last, because it stays locked while it is open.
  const opened =
    typeof audit === 'string'
      ? await openAudit(audit, { sync: 'batch', ...(stores.durable ? { replica: true } : {}) })
      : undefined;
  const record = opened ?? (audit as HostOptions['audit']);
  return {
    options: {
      ...options,
      servers: { ...toHostServers(entries), ...servers },
      stores,
      ...(lockGuard === undefined ? {} : { lockGuard }),
      ...(rules === undefined ? {} : { policy: rules }),
      ...(record === undefined ? {} : { audit: record }),
      ...(trust ? { mayStart: createStartCheck(trust, entries) } : {}),
    },
    close: async () => opened?.close(),
  };
}

async function readConfigs({ config = [], onConfigFinding }: NodeHostOptions): Promise<ConfiguredEntry[]> {
  const sources = typeof config === 'string' ? [config] : config;
  const entriesByName = new Map<string, ConfiguredEntry>();
  for (const source of sources) {
    const { path, scope } = typeof source === 'string' ? { path: source, scope: 'user' as const } : source;
    const { entries, findings } = await readConfigFile(path, { scope });
    for (const finding of findings) {
      if (onConfigFinding) onConfigFinding(finding);
      else if (finding.level === 'error') throw finding.error;
    }
    for (const entry of entries) if (!entriesByName.has(entry.name)) entriesByName.set(entry.name, entry);
  }
  return [...entriesByName.values()];
}

function createStartCheck(trust: Trust, entries: readonly ConfiguredEntry[]): (server: string) => Promise<void> {
  return async server => {
    const entry = entries.find(({ name }) => name === server);
    if (entry === undefined || (await trust.isApproved(entry))) return;
    throw new TenonError('config/not-approved', `the server "${server}" of ${entry.origin?.file} was not approved`, {
      hint: 'approve the server when you are asked',
    });
  };
}

async function resolvePolicy(policy: NodeHostOptions['policy']): Promise<HostGuardOptions['policy']> {
  return typeof policy === 'string' ? readPolicyFile(policy) : policy;
}
