import type { Command } from 'commander';
import { TenonError } from 'tenon';
import type { CliContext } from '../cli-context.js';
import { exitCodes } from '../exit-codes.js';
import { formatActions, formatDiff } from '../mcp-hosts/format-changes.js';
import { listHostEntries } from '../mcp-hosts/host-config.js';
import { getUserPlaces } from '../mcp-hosts/hosts/host-paths.js';
import {
  openPlan,
  type PlannedChange,
  removePlannedServer,
  setPlannedServer,
  toConfig,
} from '../mcp-hosts/plan-change.js';
import { collectPlans, runChanges } from '../mcp-hosts/run-changes.js';
import { type HostSelectionOptions, selectHosts, withHostOptions } from '../mcp-hosts/select-hosts.js';
import { readSyncSource, type SyncSource, type UnreadServer } from '../mcp-hosts/sync-source.js';
import { createCommand, formatExamples } from '../options/create-command.js';
import { formatCount } from '../screen.js';
import { summaries } from '../summaries.js';
import { reportDangers } from '../target/review-target.js';

interface SyncOptions extends HostSelectionOptions {
  readonly from: string;
  readonly prune?: boolean;
}

export function createSyncCommand(context: CliContext): Command {
  const command = createCommand('sync', summaries.sync)
    .option('--from <host>', 'name of a host, or path of a configuration', 'mcp.json')
    .option('--prune', 'also remove the servers that the source does not have');
  return withHostOptions(command)
    .addHelpText(
      'after',
      formatExamples([
        ['tenon sync --from cursor --host codex,vscode', 'add and change servers'],
        ['tenon sync --from cursor --all --prune --dry-run', 'show what would be added, changed and removed'],
        ['tenon sync --from team.json --all --yes', 'the servers of a file'],
      ]),
    )
    .action(async (options: SyncOptions) => {
      const { screen } = context;
      const places = getUserPlaces(context);
      const source = await readSyncSource(options.from, options.project ? 'project' : 'user', places);
      const platform = options.project ? undefined : places.platform;
      const hosts = await selectHosts(context, options, places);
      const others = hosts.filter(({ file }) => file !== source.file);
      if (others.length === 0)
        screen.note(
          `nothing to change: ${source.file} is the source, and no other host was chosen. Pass others with --host`,
        );
      const plans = await collectPlans(others, async ({ host, file }) =>
        createSyncPlan(await openPlan(host, file, platform), source, options.prune ?? false),
      );
      const unread = [...source.unread, ...plans.flatMap(plan => listUnread(plan, source, options.prune ?? false))];
      for (const note of source.notes) screen.note(`warning: ${note}`, 'warning');
      if (!options.json)
        for (const { name, reason } of source.skipped) screen.note(`${name}: not copied, because ${reason}`);
      for (const { name, error } of unread)
        screen.note(`error: ${name}: left as it is, because it cannot be read: ${error}`, 'error');
      for (const { name, target } of source.servers) reportDangers(context, { target }, name);
      if (!(await confirmChanges(context, plans, options))) {
        screen.note('nothing was written');
        context.code = exitCodes.failure;
        return;
      }
      await runChanges(context, plans, options, { source: source.file, skipped: source.skipped, unread });
      context.code = unread.length > 0 ? exitCodes.failure : exitCodes.success;
    });
}

/** Plans to set the servers of the source, and with `prune` to remove all others that can be read. */
function createSyncPlan(plan: PlannedChange, { servers, skipped, unread }: SyncSource, prune: boolean): PlannedChange {
  const names = [...listHostEntries(toConfig(plan)).keys()];
  // Hosts have entries of other kinds too, such as extensions that they contain. Those stay.
  const others = names.filter(name => !plan.targets.has(name));
  const known = new Set([...others, ...[...servers, ...skipped, ...unread].map(({ name }) => name)]);
  const changed = servers
    .filter(({ name }) => !others.includes(name))
    .reduce((before, { name, target, hidden }) => setPlannedServer(before, name, target, hidden), plan);
  return prune ? names.filter(name => !known.has(name)).reduce(removePlannedServer, changed) : changed;
}

/** Lists the servers of a configuration that a plan would change or remove, and that cannot be read. */
function listUnread({ file, unread }: PlannedChange, { servers }: SyncSource, prune: boolean): UnreadServer[] {
  return [...unread].flatMap(([name, error]) =>
    prune || servers.some(each => each.name === name) ? [{ name, file, error }] : [],
  );
}

/**
 * Shows the changes in a terminal, and asks.
 * @throws TenonError `config/not-approved` without a terminal and `--yes`
 */
async function confirmChanges(
  { screen, terminal }: CliContext,
  plans: readonly PlannedChange[],
  { dryRun, yes }: SyncOptions,
): Promise<boolean> {
  const changing = plans.filter(({ before, after }) => after !== (before ?? ''));
  if (dryRun || yes || changing.length === 0) return true;
  for (const plan of changing) {
    for (const line of formatActions(plan, true)) screen.note(line);
    if (terminal.interactive) screen.note(formatDiff(plan));
  }
  if (!terminal.interactive)
    throw new TenonError('config/not-approved', 'nothing was written, because the changes are not approved', {
      hint: 'run this in a terminal, or pass --yes',
    });
  const message = `Write ${formatCount(changing.length, 'file')}?`;
  return (await terminal.confirm({ message })) === true;
}
