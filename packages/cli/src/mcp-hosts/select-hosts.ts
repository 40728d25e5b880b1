import { findNearestKey } from '@tenon/host';
import type { Command } from 'commander';
import type { CliContext } from '../cli-context.js';
import { parseNames } from '../options/option-parsers.js';
import { createUsageError } from '../usage-error.js';
import { type ConfigScope, getHostFile, isInstalled, type UserPlaces } from './hosts/host-paths.js';
import type { McpHost } from './hosts/mcp-host.js';
import { mcpHosts } from './hosts/mcp-hosts.js';

/** Options of each command that changes the configurations of hosts. */
export interface HostSelectionOptions {
  readonly host?: string[];
  readonly all?: boolean;
  readonly project?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly input?: boolean;
  readonly json?: boolean;
}

/** File of one host, or of several hosts that share it. */
export interface SelectedHost {
  readonly host: McpHost;
  readonly file: string;
}

export function withHostOptions(command: Command): Command {
  return command
    .option('--host <names>', 'hosts, separated by commas; repeatable (see the list below)', parseNames)
    .option('--all', 'all hosts that are installed')
    .option('--project', 'the configuration of this folder, instead of that of the user')
    .option('--dry-run', 'show the changes as a diff, and change no configuration')
    .option('-y, --yes', 'do not ask before anything is written')
    .option('--json', 'print the result as JSON on standard output')
    .addHelpText('after', `\nHosts:\n${mcpHosts.map(({ id, title }) => `  ${id.padEnd(18)}${title}`).join('\n')}`);
}

/**
 * Selects the hosts of the options, else asks. Hosts that share a file are selected once.
 * @throws TenonError `cli/usage` for an unknown host, and if none is named and there is nobody to ask.
 */
export async function selectHosts(
  context: CliContext,
  options: HostSelectionOptions,
  places: UserPlaces,
): Promise<readonly SelectedHost[]> {
  const scope: ConfigScope = options.project ? 'project' : 'user';
  const hosts = options.host?.map(findHost) ?? (await chooseHosts(context, options, places, scope));
  const selected = hosts.map(host => ({ host, file: getFile(host, scope, places) }));
  return selected.filter(({ file }, index) => selected.findIndex(each => each.file === file) === index);
}

/** Finds a host by its name on the command line. */
function findHost(id: string): McpHost {
  const host = mcpHosts.find(each => each.id === id);
  if (host) return host;
  const ids = mcpHosts.map(each => each.id);
  const nearest = findNearestKey(id, ids);
  throw createUsageError(
    `unknown host: ${id}`,
    nearest === undefined ? `use one of: ${ids.join(', ')}` : `did you mean "${nearest}"?`,
  );
}

function getFile(host: McpHost, scope: ConfigScope, places: UserPlaces): string {
  const file = getHostFile(host, scope, places);
  if (file !== undefined) return file;
  throw createUsageError(
    `${host.title} has no configuration of a project`,
    'leave --project out, or leave this host out',
  );
}

async function chooseHosts(
  { terminal }: CliContext,
  { all, input = true }: HostSelectionOptions,
  places: UserPlaces,
  scope: ConfigScope,
): Promise<readonly McpHost[]> {
  const installed = mcpHosts.filter(
    host => isInstalled(host, places) && getHostFile(host, scope, places) !== undefined,
  );
  const ids = installed.map(({ id }) => id);
  if (installed.length === 0) throw createUsageError('no installed host found', 'name one: --host claude-code');
  if (all) return installed;
  if (!input || !terminal.interactive) {
    throw createUsageError(`no host named. Installed: ${ids.join(', ')}`, `pass --host ${ids[0]}, or --all`);
  }
  const options = installed.map(host => ({ value: host, label: host.title }));
  const selected = await terminal.selectSeveral({ message: 'Hosts', options, initial: installed });
  if (selected === undefined) throw createUsageError('no host chosen', `pass --host ${ids[0]}, or --all`);
  return selected;
}
