import { homedir } from 'node:os';
import { join } from 'node:path';
import type { ConfigProblem } from '../../host/config/problem.js';
import type { ConfiguredEntry } from '../../host/config/server-entry.js';
import { type AskTrust, createTrust, type Trust } from '../../host/config/trust.js';
import type { GuardOptions } from '../../host/guarding/options.js';
import { accept } from '../../host/lock/accepting.js';
import type { Drift } from '../../host/lock/drift.js';
import { createGate, type Gate } from '../../host/lock/gate.js';
import type { HostOptions, HostServer } from '../../host/options.js';
import { TenonError } from '../../jsonrpc/error.js';
import type { Stores } from '../../stores/stores.js';
import { openAudit } from './audit-file.js';
import { configFile } from './config-file.js';
import { trustKey } from './config-key.js';
import { lockFile } from './lock-file.js';
import { readPolicyFile } from './policy-file.js';

/** What a host reads from files, beside what it is given. */
export interface HostFiles extends Omit<HostOptions, 'servers' | 'policy' | 'audit' | 'mayStart'> {
  readonly servers?: Readonly<Record<string, HostServer>> | undefined;
  /** Paths of configurations: `mcp.json`, `.vscode/mcp.json`, …; of two servers of one name the first stands. */
  readonly config?: string | readonly ConfigSource[] | undefined;
  /** Told of what is wrong in the configurations. What is an error, and not told to anybody, is thrown. */
  readonly onConfigProblem?: ((problem: ConfigProblem) => void) | undefined;
  /** Asks whether a server of a project may run. Without it none does that was not approved. */
  readonly trust?: AskTrust | undefined;
  /** Where the key of such approvals is kept. Default `~/.tenon/trust.key`. */
  readonly trustKey?: string | undefined;
  /** Rules, or the path of a policy file. */
  readonly policy?: HostOptions['policy'] | string;
  /** The path of `mcp.lock`. What differs from it is blocked, unless `whenChanged` says otherwise. */
  readonly lock?: string | undefined;
  /** What becomes of what differs from the lock; `ask`: `askDrift` is asked. Default `block`. */
  readonly whenChanged?: 'block' | 'ask' | 'warn' | undefined;
  /** What becomes of servers that are not in the lock: `trust-first` writes them into it. Default `block`. */
  readonly whenUnknown?: 'block' | 'ask' | 'trust-first' | undefined;
  readonly askDrift?: ((drifts: readonly Drift[]) => Promise<boolean>) | undefined;
  /** The record, or the path of its file. */
  readonly audit?: HostOptions['audit'] | string;
}

/** A configuration, and whose it is: one that came with a project is asked about. */
export type ConfigSource = string | { readonly path: string; readonly scope: 'user' | 'project' };

/** What was read, and what has to be closed. */
export interface ReadHost {
  readonly options: HostOptions;
  close(): Promise<void>;
}

/** Reads what a host is made of. Rejects when a file is there and can not be read. */
export async function readHost(given: HostFiles, stores: Stores): Promise<ReadHost> {
  const { servers = {}, config, trust: askTrust, trustKey: keyPath, lock, policy, audit, ...rest } = given;
  const { onConfigProblem: _, whenChanged: __, whenUnknown: ___, askDrift: ____, ...options } = rest;
  const entries = await configured(given);
  const trust = entries.some(({ origin }) => origin?.scope === 'project')
    ? createTrust({
        values: stores.values,
        key: await trustKey(keyPath ?? join(homedir(), '.tenon', 'trust.key')),
        ...(askTrust ? { ask: askTrust } : {}),
      })
    : undefined;
  const rules = await policyOf(policy);
  const gate = lock === undefined ? undefined : await gateOf(lock, given);
  // It is locked while it is open: nothing can fail after it.
  const opened = typeof audit === 'string' ? await openAudit(audit, { sync: 'batch' }) : undefined;
  const record = opened ?? (audit as HostOptions['audit']);
  return {
    options: {
      ...options,
      servers: { ...fromEntries(entries), ...servers },
      stores,
      ...(gate === undefined ? {} : { gate }),
      ...(rules === undefined ? {} : { policy: rules }),
      ...(record === undefined ? {} : { audit: record }),
      ...(trust ? { mayStart: starts(trust, entries) } : {}),
    },
    close: async () => opened?.close(),
  };
}

async function configured({ config = [], onConfigProblem }: HostFiles): Promise<ConfiguredEntry[]> {
  const sources = typeof config === 'string' ? [config] : config;
  const found = new Map<string, ConfiguredEntry>();
  for (const source of sources) {
    const { path, scope } = typeof source === 'string' ? { path: source, scope: 'user' as const } : source;
    const { entries, problems } = await configFile(path, { scope });
    for (const problem of problems) {
      if (onConfigProblem) onConfigProblem(problem);
      else if (problem.level === 'error') throw problem.error;
    }
    for (const entry of entries) if (!found.has(entry.name)) found.set(entry.name, entry);
  }
  return [...found.values()];
}

function fromEntries(entries: readonly ConfiguredEntry[]): Record<string, HostServer> {
  return Object.fromEntries(
    entries.map(({ name, target, written: _, ...dealings }) => [name, { ...target, ...dealings }]),
  );
}

function starts(trust: Trust, entries: readonly ConfiguredEntry[]): (server: string) => Promise<void> {
  return async server => {
    const entry = entries.find(({ name }) => name === server);
    if (entry === undefined || (await trust.approved(entry))) return;
    throw new TenonError('config/not-approved', `the server "${server}" of ${entry.origin?.file} was not approved`, {
      next: 'approve it when it is asked about',
    });
  };
}

async function policyOf(policy: HostFiles['policy']): Promise<GuardOptions['policy']> {
  return typeof policy === 'string' ? readPolicyFile(policy) : policy;
}

async function gateOf(path: string, { whenChanged, whenUnknown, askDrift }: HostFiles): Promise<Gate> {
  const file = lockFile(path);
  return createGate({
    lock: (await file.read()) ?? { servers: new Map() },
    ...(whenChanged ? { onDrift: whenChanged } : {}),
    ...(whenUnknown ? { unknown: whenUnknown } : {}),
    ...(askDrift ? { ask: askDrift } : {}),
    onApproved: async drifts => void (await file.update(lock => accept(lock, drifts))),
  });
}
