import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { memoryStores, type Stores } from 'tenon';
import type { CallerSignIn } from 'tenon/auth';
import {
  type ConfiguredEntry,
  createHost,
  describeDrift,
  type Host,
  type HostFiles,
  type HostServer,
  openAudit,
} from 'tenon/host';
import { sqliteStores } from 'tenon/sqlite';
import { approvalsBy, type Manner } from './approving.js';
import { BEARER } from './guarding.js';
import { misuse, variable } from './misuse.js';
import { noticesOn } from './reporting.js';
import { signsIn } from './signing-in.js';
import { YES_OR_NO } from './terminal.js';
import type { World } from './world.js';

/** What a gateway holds its servers to. */
export interface HostingOptions {
  readonly policy?: string;
  readonly approve?: Manner;
  readonly store?: string;
  /** A path, `true` for `mcp.lock`, `false` for none at all. Absent: `mcp.lock` where it is there. */
  readonly lock?: string | boolean;
  readonly drift?: 'block' | 'ask' | 'warn';
  readonly audit?: string;
  readonly auditKeyEnv?: string;
  readonly prefix?: 'auto' | 'always' | 'never';
  readonly budget?: number;
  readonly maxOutput?: number;
  readonly maxProcesses?: number;
  /** In milliseconds. */
  readonly idle?: number;
  readonly screening?: 'report' | 'mask' | 'block';
  readonly browser?: boolean;
  /** Signs callers in to servers. Without it the user of this machine signs in. */
  readonly callerSignIn?: CallerSignIn;
}

export interface Hosting {
  readonly host: Host;
  close(): Promise<void>;
}

/** Makes the host of a gateway. Nothing is started by it. */
export async function hostOf(
  world: World,
  entries: readonly ConfiguredEntry[],
  options: HostingOptions,
): Promise<Hosting> {
  const lock = lockOf(world, options);
  const stores = storesOf(world, options);
  const key =
    options.auditKeyEnv === undefined ? undefined : variable(world.env, options.auditKeyEnv, '--audit-key-env');
  const audit = options.audit === undefined ? undefined : await openAudit(resolve(world.cwd, options.audit), { key });
  try {
    const host = await createHost({
      servers: serversOf(entries),
      stores,
      ...permission(world, options, stores),
      ...(lock === undefined ? {} : drifting(world, lock, options)),
      ...(audit ? { audit } : {}),
      ...(options.prefix ? { prefix: options.prefix } : {}),
      ...(options.screening ? { screening: options.screening } : {}),
      ...(options.budget === undefined ? {} : { budget: options.budget }),
      ...(options.maxOutput === undefined ? {} : { output: { total: options.maxOutput, text: options.maxOutput } }),
      ...(options.maxProcesses === undefined ? {} : { maxProcesses: options.maxProcesses }),
      ...(options.idle === undefined ? {} : { restTime: options.idle }),
      ...(options.callerSignIn
        ? { callerSignIn: options.callerSignIn }
        : { credentials: credentialsOf(world, entries, options) }),
      ...noticesOn(world.screen),
    });
    const close = async () => {
      await host.close();
      await audit?.close();
      await stores.close();
    };
    return { host, close };
  } catch (error) {
    await audit?.close();
    await stores.close();
    throw error;
  }
}

/** Servers of a configuration as a host takes them. */
export function serversOf(entries: readonly ConfiguredEntry[]): Record<string, HostServer> {
  return Object.fromEntries(
    entries.map(({ name, target, written: _, ...dealings }) => [name, { ...target, ...dealings }]),
  );
}

function storesOf({ cwd }: World, { store, approve }: HostingOptions): Stores {
  if (approve === 'store' && store === undefined) {
    throw misuse('--approve store needs a store', 'give its file, and the same one to `tenon approvals`: --store FILE');
  }
  return store === undefined ? memoryStores() : sqliteStores(resolve(cwd, store));
}

/** Without a policy nothing is asked about, unless somebody is named who is asked. */
function permission({ cwd, terminal }: World, { policy, approve }: HostingOptions, stores: Stores): Partial<HostFiles> {
  if (policy === undefined && approve === undefined) return {};
  if (approve === 'terminal' && !terminal.interactive) {
    throw misuse(
      '--approve terminal: there is no terminal to ask at',
      'run it in one, or ask elsewhere: --approve client',
    );
  }
  const manner = approve ?? (terminal.interactive ? 'terminal' : 'client');
  return { policy: policy === undefined ? [] : resolve(cwd, policy), approvals: approvalsBy(manner, terminal, stores) };
}

function lockOf({ cwd }: World, { lock }: HostingOptions): string | undefined {
  if (lock === false) return undefined;
  const path = resolve(cwd, typeof lock === 'string' ? lock : 'mcp.lock');
  if (existsSync(path)) return path;
  if (lock === undefined) return undefined;
  throw misuse(`there is no lock ${path}`, 'write it first: tenon lock');
}

function drifting({ screen, terminal }: World, lock: string, { drift }: HostingOptions): Partial<HostFiles> {
  const manner = drift ?? (terminal.interactive ? 'ask' : 'block');
  if (manner === 'ask' && !terminal.interactive) {
    throw misuse('--drift ask: there is no terminal to ask at', 'run it in one, or give --drift block');
  }
  screen.note(`held to ${lock}`);
  return {
    lock,
    whenChanged: manner,
    whenUnknown: manner === 'ask' ? 'ask' : 'block',
    async askDrift(drifts) {
      const text = `\nNot as it stands in the lock:\n\n${describeDrift(drifts)}\n\nApprove it, and write it into the lock? [y/n] `;
      return (await terminal.choose(text, YES_OR_NO)) === 'yes';
    },
  };
}

/** The user of this machine signs in for what runs on their behalf; what others call is called without their tokens. */
export function credentialsOf(
  world: World,
  entries: readonly ConfiguredEntry[],
  { browser = true }: Pick<HostingOptions, 'browser'> = {},
): NonNullable<HostFiles['credentials']> {
  const authorizer = signsIn(world, { browser });
  const own = entries.filter(({ target }) => 'url' in target && !hasToken(target.headers));
  const names = new Set(own.map(({ name }) => name));
  return (server, principal) =>
    names.has(server) && (principal === undefined || principal === BEARER) ? authorizer : undefined;
}

export function hasToken(headers: Readonly<Record<string, string>> = {}): boolean {
  return Object.keys(headers).some(name => name.toLowerCase() === 'authorization');
}
