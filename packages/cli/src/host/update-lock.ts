import { resolve } from 'node:path';
import {
  acceptDrift,
  type ConfiguredEntry,
  compareWithLock,
  type Drift,
  describeDrift,
  type Lock,
  type LockFile,
  openLockFile,
  type ServerInventory,
  sanitizeName,
  type UnreadableList,
} from '@tenon/host';
import { TenonError } from 'tenon';
import type { CliContext } from '../cli-context.js';
import { type ExitCode, exitCodes } from '../exit-codes.js';
import { formatCount } from '../screen.js';
import { collectInventories } from './collect-inventory.js';
import { isApprovalNeeded, shortenReason } from './host-reports.js';

/** Differences between the inventories of servers and the lock. */
export interface LockComparison {
  readonly drifts: readonly Drift[];
  /** Names of unreachable servers. */
  readonly unavailable: readonly string[];
  /** Lists that servers could not send. The lock keeps the entries that it has of them. */
  readonly failedLists: readonly FailedServerList[];
}

/** List of a server that could not be read. */
export interface FailedServerList extends UnreadableList {
  readonly server: string;
}

export interface WriteLockOptions {
  /** Path of the lock file. */
  readonly file: string;
  /** Writes the file without asking. */
  readonly yes?: boolean | undefined;
}

/** Starts one server, shows what it offers, and writes that into a lock file after the user has agreed. */
export async function lockServer(
  context: CliContext,
  entry: ConfiguredEntry,
  options: WriteLockOptions,
): Promise<ExitCode> {
  const file = openLockFile(resolve(context.cwd, options.file));
  const before = (await file.read()) ?? { servers: new Map() };
  const comparison = await compareServers(context, [entry], before);
  if (comparison.drifts.length > 0) context.screen.note(`${describeDrift(comparison.drifts)}\n`);
  return writeLock(context, { file, before }, comparison, options);
}

/** Starts servers, and compares what they offer with a lock. */
export async function compareServers(
  context: CliContext,
  entries: readonly ConfiguredEntry[],
  before: Lock,
): Promise<LockComparison> {
  const { inventories, unavailable } = await collectInventories(context, entries);
  for (const { server, reason } of unavailable)
    context.screen.note(`${sanitizeName(server)} is unavailable: ${shortenReason(reason)}`);
  const failedLists = listFailures(inventories);
  for (const { server, list, reason } of failedLists)
    context.screen.note(
      `${sanitizeName(server)} cannot send its ${list}: ${shortenReason(reason)}. The lock keeps what it has of them. Correct the server, and run this again`,
    );
  const drifts: Drift[] = [];
  for (const entry of entries) {
    const inventory = inventories.find(({ server }) => server === entry.name);
    if (inventory) drifts.push(...(await compareWithLock(before, entry, inventory)));
  }
  return { drifts, unavailable: unavailable.map(({ server }) => server), failedLists };
}

/** Returns the lists that could not be read, of all servers. */
export const listFailures = (inventories: readonly ServerInventory[]): FailedServerList[] =>
  inventories.flatMap(({ server, failed = [] }) => failed.map(each => ({ server, ...each })));

/**
 * Writes the accepted changes into a lock file, after the user has agreed to those that need approval.
 *
 * @returns exit code of the command
 */
export async function writeLock(
  context: CliContext,
  { file, before }: { readonly file: LockFile; readonly before: Lock },
  { drifts, unavailable, failedLists }: LockComparison,
  options: WriteLockOptions,
): Promise<ExitCode> {
  const { screen, terminal } = context;
  const { file: path } = options;
  const failed = unavailable.map(each => sanitizeName(each)).join(', ');
  // An empty lock blocks every server, so it must not be written because of a temporary failure, or by mistake.
  if ((await acceptDrift(before, drifts)).servers.size === 0) {
    if (unavailable.length === 0)
      throw new TenonError('cli/no-servers', `${path} is not written: it would have no server, and block all of them`, {
        hint: `enable a server in the configuration and run this again, or delete ${path}`,
      });
    screen.note(
      `${path} is not written: all servers are unavailable. Correct the problems above, then run this again: ${failed}`,
    );
    return exitCodes.unreachable;
  }
  const isAsked = drifts.some(isApprovalNeeded) && !options.yes;
  if (isAsked && !terminal.interactive) {
    screen.note(`${path} is not written: standard input is not a terminal. Review the changes, and pass --yes`);
    return exitCodes.drift;
  }
  if (isAsked && !(await terminal.confirm({ message: `Write this into ${path}?` }))) return exitCodes.drift;
  const after = await file.update(held => acceptDrift(held, drifts));
  screen.note(`${path} has ${formatCount(after.servers.size, 'server')}`);
  if (unavailable.length > 0)
    screen.note(`${failed}: unavailable. A server without an entry in ${path} will not be started`);
  return unavailable.length + failedLists.length > 0 ? exitCodes.unreachable : exitCodes.success;
}
