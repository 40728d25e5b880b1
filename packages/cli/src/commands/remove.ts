import { findNearestKey } from '@tenon/host';
import type { Command } from 'commander';
import { TenonError } from 'tenon';
import type { CliContext } from '../cli-context.js';
import { exitCodes } from '../exit-codes.js';
import { listHostEntries } from '../mcp-hosts/host-config.js';
import { getUserPlaces } from '../mcp-hosts/hosts/host-paths.js';
import { openPlan, type PlannedChange, removePlannedServer, toConfig } from '../mcp-hosts/plan-change.js';
import { collectPlans, runChanges } from '../mcp-hosts/run-changes.js';
import { type HostSelectionOptions, selectHosts, withHostOptions } from '../mcp-hosts/select-hosts.js';
import { createCommand, formatExamples } from '../options/create-command.js';
import { summaries } from '../summaries.js';

export function createRemoveCommand(context: CliContext): Command {
  const command = createCommand('remove', summaries.remove).argument('<name>', 'name of the server in the hosts');
  return withHostOptions(command)
    .addHelpText(
      'after',
      formatExamples([
        ['tenon remove notes --host cursor', 'from one host'],
        ['tenon remove notes --all --dry-run', 'show the changes of all installed hosts'],
      ]),
    )
    .action(async (name: string, options: HostSelectionOptions) => {
      const hosts = await selectHosts(context, options, getUserPlaces(context));
      const opened = await collectPlans(hosts, ({ host, file }) => openPlan(host, file));
      const plans = await collectPlans(opened, async plan => removePlannedServer(plan, name));
      if (plans.every(({ actions }) => actions.length === 0)) throw createNotFoundError(name, opened);
      await runChanges(context, plans, options);
      context.code = exitCodes.success;
    });
}

function createNotFoundError(name: string, plans: readonly PlannedChange[]): TenonError {
  const names = [...new Set(plans.flatMap(plan => [...listHostEntries(toConfig(plan)).keys()]))];
  const nearest = findNearestKey(name, names);
  return new TenonError(
    'hosts/not-found',
    `server "${name}" not found in ${plans.map(({ file }) => file).join(', ')}`,
    {
      hint:
        nearest === undefined
          ? names.length === 0
            ? 'check the host and the name: no server is configured there'
            : `use one of: ${names.join(', ')}`
          : `did you mean "${nearest}"?`,
    },
  );
}
