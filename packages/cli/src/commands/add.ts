import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { TenonError } from 'tenon';
import type { CliContext } from '../cli-context.js';
import { exitCodes } from '../exit-codes.js';
import { getUserPlaces } from '../mcp-hosts/hosts/host-paths.js';
import type { AddedServer, AddLockOptions } from '../mcp-hosts/lock-added-server.js';
import { openPlan, type PlannedChange, setPlannedServer } from '../mcp-hosts/plan-change.js';
import { collectPlans, runChanges } from '../mcp-hosts/run-changes.js';
import { type HostSelectionOptions, selectHosts, withHostOptions } from '../mcp-hosts/select-hosts.js';
import {
  checkServerName,
  isForeignCommand,
  parseEnvironment,
  resolveServerOptions,
  type ServerOptions,
} from '../mcp-hosts/server-options.js';
import { createCommand, formatExamples } from '../options/create-command.js';
import { createPairParser } from '../options/option-parsers.js';
import { summaries } from '../summaries.js';
import { reportDangers, reviewTarget } from '../target/review-target.js';
import { takeTarget } from '../target/target-reference.js';

interface AddOptions extends HostSelectionOptions, ServerOptions, AddLockOptions {
  readonly project?: boolean;
  readonly force?: boolean;
}

export function createAddCommand(context: CliContext): Command {
  const command = createCommand('add', summaries.add)
    .usage('[options] NAME TARGET\n       tenon add [options] NAME -- COMMAND [ARGUMENTS…]')
    .argument('<name>', 'name of the server in the hosts')
    .argument(
      '[target...]',
      'URL, server file, bundle (.mcpb), or name in a registry; or, after --, the command that starts a server',
    )
    .option(
      '--env <NAME>',
      'variable to pass to the server; NAME=VALUE for a value that is no secret; repeatable',
      parseEnvironment,
    )
    .option(
      '-H, --header <header>',
      "header of every request, as 'Name: value'; repeatable",
      createPairParser('--header', 'Name: value'),
    )
    .option(
      '--user-config <NAME=VALUE>',
      'value that a bundle or a server of a registry requests; repeatable',
      createPairParser('--user-config'),
    )
    .option('--bearer-env <VARIABLE>', 'environment variable with a token to send')
    .option(
      '--client-id <id>',
      'ID of a service account, with --client-secret-env: the hosts start `tenon bridge` for it',
    )
    .option('--client-secret-env <VARIABLE>', 'environment variable with the secret of the service account')
    .addOption(new Option('--transport <name>', 'transport of a URL (default: http)').choices(['http', 'http-sse']))
    .option('--no-pin', 'leave the package of npx without a version')
    .option('--force', 'replace a server of this name that differs')
    .option(
      '--lock [file]',
      'start the server, show what it offers, and write that into this lock file (default: mcp.lock, for a bundle or a server of a registry also without this option if the file exists)',
    )
    .option('--no-lock', 'do not start the server, and write no lock file')
    .option('--trust', 'with a lock file: start a bundle or a server of a registry without asking for approval');
  return withHostOptions(command)
    .addHelpText(
      'after',
      formatExamples([
        ['tenon add docs https://example.com/mcp --host cursor,vscode', 'a server at a URL'],
        ['tenon add notes --all --env NOTES_TOKEN -- npx -y notes-mcp', 'a command, with a variable'],
        ['tenon add notes server.ts#server --host claude-code --project', 'an export of a module, for this project'],
        ['tenon add notes io.github.example/notes --all --lock', 'of a registry, after a review of its tools'],
        ['tenon add docs https://example.com/mcp --all --dry-run', 'show the changes only'],
      ]),
    )
    .action((name: string, words: string[], options: AddOptions) => addServer(context, name, words, options));
}

async function addServer(context: CliContext, name: string, words: string[], options: AddOptions): Promise<void> {
  checkServerName(name);
  const target = await resolveServerOptions(context, words, options);
  const { kind } = takeTarget(context, words).reference;
  if (isForeignCommand(kind)) reviewTarget(context, { target });
  else reportDangers(context, { target });
  const places = getUserPlaces(context);
  const hosts = await selectHosts(context, options, places);
  const platform = options.project ? undefined : places.platform;
  const plans = await collectPlans(hosts, async ({ host, file }) => {
    const plan = setPlannedServer(await openPlan(host, file, platform), name, target);
    if (!options.force) refuseReplacement(plan);
    return plan;
  });
  if (!options.dryRun && !(await approveAddition(context, { name, target, kind, file: plans[0]?.file }, options)))
    return;
  await runChanges(context, plans, options);
  context.code = exitCodes.success;
}

/**
 * Writes the lock file if there is one, and asks the user about a command that an author wrote. Sets the exit code if
 * the server must not be added.
 */
async function approveAddition(context: CliContext, server: AddedServer, options: AddOptions): Promise<boolean> {
  const isForeign = isForeignCommand(server.kind);
  const { lock = isForeign && existsSync(resolve(context.cwd, 'mcp.lock')) } = options;
  if (lock !== false) {
    // The lock file is written after an approval of the command and of what the server offers.
    const { lockAddedServer } = await import('../mcp-hosts/lock-added-server.js');
    context.code = await lockAddedServer(context, server, { ...options, lock });
    return context.code === exitCodes.success;
  }
  if (!isForeign || options.yes) return true;
  const { terminal } = context;
  if (await terminal.confirm({ message: `Add ${server.name}?` })) return true;
  throw new TenonError('config/not-approved', `${server.name} is not added: its command is not approved`, {
    hint: 'review the command above, and run this in a terminal to approve it, or pass --yes',
  });
}

function refuseReplacement({ host, file, actions }: PlannedChange): void {
  const changed = actions.find(({ action }) => action === 'change');
  if (changed === undefined) return;
  throw new TenonError('hosts/exists', `${host.title}: ${file} has another server with the name ${changed.name}`, {
    hint: 'choose another name, or pass --force to replace it; --force --dry-run shows the difference',
  });
}
