import { resolve } from 'node:path';
import type { Command } from 'commander';
import {
  acceptDrift,
  compareWithLock,
  type Drift,
  describeDrift,
  type Lock,
  type LockFile,
  openLockFile,
  sanitizeName,
} from 'tenon/host';
import type { CliContext } from '../cli-context.js';
import { type ExitCode, exitCodes } from '../exit-codes.js';
import { collectInventories } from '../host/collect-inventory.js';
import { shortenReason } from '../host/host-reports.js';
import { type Configuration, readConfiguration } from '../host/read-configuration.js';
import { checkTrust } from '../host/server-trust.js';
import { summaries } from '../summaries.js';
import { YES_OR_NO } from '../terminal.js';
import { createCommand, formatExamples } from './command.js';

interface LockOptions {
  readonly check?: boolean;
  readonly strict?: boolean;
  readonly file: string;
  readonly yes?: boolean;
  readonly trust?: boolean;
  readonly json?: boolean;
}

export function lockCommand(context: CliContext): Command {
  return createCommand('lock', summaries.lock)
    .argument('[config...]', 'configuration files (default: ./mcp.json, else the configuration in this folder)')
    .option('--check', 'write nothing: exit with 7 if a change needs approval, with 4 if a server cannot be reached')
    .option('--strict', 'with --check: exit with 7 for minor changes, too')
    .option('--file <path>', 'path of the lock file', 'mcp.lock')
    .option('--yes', 'write the lock file without asking')
    .option('--trust', 'start the configured commands without asking for approval')
    .option('--json', 'print the changes as JSON')
    .addHelpText(
      'after',
      formatExamples([
        ['tenon lock', 'show changes, ask, and write mcp.lock'],
        ['tenon lock --check --trust', 'check in CI'],
      ]),
    )
    .action(async (configs: string[], options: LockOptions) => {
      context.code = await updateOrCheckLock(context, configs, options);
    });
}

/** Differences between the inventories of servers and the lock. */
interface LockComparison {
  readonly drifts: readonly Drift[];
  /** Names of unreachable servers. */
  readonly unavailable: readonly string[];
}

async function updateOrCheckLock(
  context: CliContext,
  configs: readonly string[],
  options: LockOptions,
): Promise<ExitCode> {
  const configuration = await readConfiguration(context, configs);
  const file = openLockFile(resolve(context.cwd, options.file));
  const before = await file.read();
  const known = before ?? { servers: new Map() };
  const comparison = await compareServers(context, configuration, known, options);
  if (options.json) context.screen.printJson(toJson(comparison));
  else if (comparison.drifts.length > 0) context.screen.print(`${describeDrift(comparison.drifts)}\n`);
  return options.check
    ? reportCheck(context, before, comparison, options)
    : writeLock(context, { file, before: known }, comparison, options);
}

async function compareServers(
  context: CliContext,
  { entries, named, broken }: Configuration,
  before: Lock,
  options: LockOptions,
): Promise<LockComparison> {
  const { approved, refused } = await checkTrust(context, entries, options.trust ?? false);
  const { inventories, unavailable } = await collectInventories(context, approved);
  for (const { server, reason } of unavailable)
    context.screen.note(`${sanitizeName(server)} is unavailable: ${shortenReason(reason)}`);
  const drifts: Drift[] = [];
  for (const entry of approved) {
    const own = inventories.find(({ server }) => server === entry.name);
    if (own) drifts.push(...(await compareWithLock(before, entry, own)));
  }
  for (const name of before.servers.keys()) {
    if (!named.has(name)) drifts.push({ server: name, kind: 'removed server', severity: 'note', of: 'server', name });
  }
  return {
    drifts,
    unavailable: [...unavailable.map(({ server }) => server), ...refused.map(({ name }) => name), ...broken],
  };
}

function reportCheck(
  { screen }: CliContext,
  before: Lock | undefined,
  { drifts, unavailable }: LockComparison,
  options: LockOptions,
): ExitCode {
  const grave = options.strict ? drifts : drifts.filter(isGrave);
  if (before === undefined) screen.note(`lock not found: ${options.file}. Run \`tenon lock\` to write it`);
  if (grave.length > 0) {
    screen.note(`${formatCount(grave.length, 'change')} to be approved. Run \`tenon lock\` to see and approve`);
    return exitCodes.drift;
  }
  if (before === undefined) return exitCodes.failure;
  if (unavailable.length > 0) return exitCodes.unreachable;
  screen.note(`nothing differs from ${options.file}${drifts.length > 0 ? ' that must be approved' : ''}`);
  return exitCodes.success;
}

async function writeLock(
  context: CliContext,
  { file, before }: { readonly file: LockFile; readonly before: Lock },
  { drifts, unavailable }: LockComparison,
  options: LockOptions,
): Promise<ExitCode> {
  const { screen, terminal } = context;
  const { file: path } = options;
  const failed = unavailable.map(each => sanitizeName(each)).join(', ');
  // An empty lock blocks every server, so it must not be written because of a temporary failure.
  if (unavailable.length > 0 && (await acceptDrift(before, drifts)).servers.size === 0) {
    screen.note(`${path} is not written: all servers are unavailable. Start these, then run this again: ${failed}`);
    return exitCodes.unreachable;
  }
  const isAsked = drifts.some(isGrave) && !options.yes;
  if (isAsked && !terminal.interactive) {
    screen.note(`${path} is not written: standard input is not a terminal. Review the changes, and pass --yes`);
    return exitCodes.drift;
  }
  if (isAsked && (await terminal.choose(`Write this into ${path}? [y/n] `, YES_OR_NO)) !== 'yes')
    return exitCodes.drift;
  const after = await file.update(held => acceptDrift(held, drifts));
  screen.note(`${path} has ${formatCount(after.servers.size, 'server')}`);
  if (unavailable.length > 0)
    screen.note(`${failed}: unavailable. A server without an entry in ${path} will not be started`);
  return unavailable.length > 0 ? exitCodes.unreachable : exitCodes.success;
}

const isGrave = ({ severity }: Drift): boolean => severity === 'approve';

const formatCount = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

/** Converts a comparison to JSON. Lists new definitions by name only. */
function toJson({ drifts, unavailable }: LockComparison) {
  const serialized = drifts.map(({ found, ...drift }) => (found ? { ...drift, source: found.source } : drift));
  return { drifts: serialized, unavailable };
}
