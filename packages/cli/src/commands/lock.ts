import { resolve } from 'node:path';
import { type Drift, describeDrift, type Lock, openLockFile } from '@tenon/host';
import type { Command } from 'commander';
import type { CliContext } from '../cli-context.js';
import { type ExitCode, exitCodes } from '../exit-codes.js';
import { approveEntries } from '../host/approve-entries.js';
import { isApprovalNeeded } from '../host/host-reports.js';
import { type Configuration, createNoServersError, readConfiguration } from '../host/read-configuration.js';
import { compareServers, type LockComparison, writeLock } from '../host/update-lock.js';
import { createCommand, formatExamples } from '../options/create-command.js';
import { parseNames } from '../options/option-parsers.js';
import { formatCount } from '../screen.js';
import { summaries } from '../summaries.js';
import { createUnknownNameError } from '../tools/create-unknown-name-error.js';
import { createUsageError } from '../usage-error.js';

interface LockOptions {
  readonly check?: boolean;
  readonly strict?: boolean;
  /** Servers, and `SERVER/NAME` of definitions. */
  readonly only?: readonly string[];
  readonly file: string;
  readonly yes?: boolean;
  readonly trust?: boolean;
  readonly json?: boolean;
}

export function createLockCommand(context: CliContext): Command {
  return createCommand('lock', summaries.lock)
    .argument(
      '[config...]',
      'configuration files or bundles (default: ./mcp.json, else the configuration in this folder)',
    )
    .option(
      '--check',
      'write nothing: exit with 7 if a change needs approval, with 4 if a server or one of its lists cannot be read',
    )
    .option('--strict', 'with --check: exit with 7 for minor changes, too')
    .option(
      '--only <names>',
      'only the changes of these servers and definitions: SERVER or SERVER/NAME; others are neither shown nor written',
      parseNames,
    )
    .option('--file <path>', 'path of the lock file', 'mcp.lock')
    .option('-y, --yes', 'write the lock file without asking')
    .option('--trust', 'start the configured commands without asking for approval')
    .option('--json', 'print the changes as JSON')
    .addHelpText(
      'after',
      formatExamples([
        ['tenon lock', 'show changes, ask, and write mcp.lock'],
        ['tenon lock --only shop/price', 'accept the changes of one tool'],
        ['tenon lock --check --trust', 'check in CI'],
      ]),
    )
    .action(async (configs: string[], options: LockOptions) => {
      context.code = await updateOrCheckLock(context, configs, options);
    });
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
  const comparison = await compareConfiguration(context, configuration, known, options);
  if (options.json) context.screen.printJson(toJson(comparison));
  else if (comparison.drifts.length > 0) context.screen.print(`${describeDrift(comparison.drifts)}\n`);
  return options.check
    ? reportCheck(context, before, comparison, options)
    : writeLock(context, { file, before: known }, comparison, options);
}

async function compareConfiguration(
  context: CliContext,
  { files, entries, named, broken }: Configuration,
  before: Lock,
  options: LockOptions,
): Promise<LockComparison> {
  const { approved, refused, failed } = await approveEntries(context, entries, options.trust ?? false);
  if (refused.length > 0 && refused.length === entries.length) throw createNoServersError({ files, entries });
  for (const each of options.only ?? []) await refuseUnknownServer(each, [...named, ...before.servers.keys()]);
  const isWanted = ({ server, name }: Pick<Drift, 'server' | 'name'>) =>
    options.only === undefined || options.only.some(each => each === server || each === `${server}/${name}`);
  const { drifts, unavailable, failedLists } = await compareServers(context, approved, before);
  const removed = [...before.servers.keys()]
    .filter(name => !named.has(name))
    .map(name => ({ server: name, kind: 'removed server', severity: 'note', of: 'server', name }) as const);
  const unread = [...unavailable, ...[...refused, ...failed, ...broken].map(({ name }) => name)];
  for (const each of options.only ?? []) await refuseUnknownDefinition(each, before, drifts, unread);
  return {
    drifts: [...drifts, ...removed].filter(isWanted),
    unavailable: unread,
    failedLists: failedLists.filter(({ server }) => isWanted({ server, name: server })),
  };
}

/** Refuses an item of `--only` that selects no server, because each check of it would find no change. */
async function refuseUnknownServer(item: string, names: readonly string[]): Promise<void> {
  if (names.some(name => item === name || item.startsWith(`${name}/`))) return;
  throw await createUnknownNameError('server', item.split('/', 1).join(), [...new Set(names)]);
}

/** Refuses an item of `--only` that selects a definition which neither the lock nor the server has. */
async function refuseUnknownDefinition(
  item: string,
  { servers }: Lock,
  drifts: readonly Drift[],
  unread: readonly string[],
): Promise<void> {
  const server = item.split('/', 1).join();
  const name = item.slice(server.length + 1);
  if (name === '' || unread.includes(server)) return;
  const locked = servers.get(server);
  if (locked === undefined)
    throw createUsageError(`--only: the lock has no server "${server}" yet`, `pass --only ${server} to approve it`);
  const known = Object.values(locked).flatMap(part => (part instanceof Map ? [...part.keys()] : []));
  const names = [...known, ...drifts.filter(drift => drift.server === server).map(drift => drift.name)];
  if (!names.includes(name)) throw await createUnknownNameError('definition', name, names);
}

function reportCheck(
  { screen }: CliContext,
  before: Lock | undefined,
  { drifts, unavailable, failedLists }: LockComparison,
  options: LockOptions,
): ExitCode {
  const changes = options.strict ? drifts : drifts.filter(isApprovalNeeded);
  if (before === undefined) screen.note(`lock not found: ${options.file}. Run \`tenon lock\` to write it`);
  if (changes.length > 0) {
    screen.note(`${formatCount(changes.length, 'change')} to be approved. Run \`tenon lock\` to see and approve`);
    return exitCodes.drift;
  }
  if (before === undefined) return exitCodes.failure;
  if (unavailable.length + failedLists.length > 0) return exitCodes.unreachable;
  screen.note(
    drifts.length > 0 ? `no change in ${options.file} needs approval` : `nothing differs from ${options.file}`,
  );
  return exitCodes.success;
}

/** Converts a comparison to JSON. Lists new definitions by name only. */
function toJson({ drifts, unavailable, failedLists }: LockComparison) {
  const serialized = drifts.map(({ found, ...drift }) => (found ? { ...drift, source: found.source } : drift));
  return { drifts: serialized, unavailable, failedLists };
}
