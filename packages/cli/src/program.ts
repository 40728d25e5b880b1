import type { Command } from 'commander';
import packageJson from '../package.json' with { type: 'json' };
import type { CliContext } from './cli-context.js';
import type { CommandSource } from './completion/list-candidates.js';
import { type ExitCode, exitCodes } from './exit-codes.js';
import { type CommandName, summaries } from './summaries.js';

type CreateCommand = (context: CliContext) => Command;

interface CommandEntry {
  /** Arguments after `--` are the command line of a server. */
  readonly takesServer?: true;
  /** Loads the code of the command. */
  readonly load: () => Promise<CreateCommand>;
}

/** Loaders of the commands. The code of a command is loaded when it is used, because loading takes time. */
const commands: Readonly<Record<CommandName, CommandEntry>> = {
  list: { takesServer: true, load: async () => (await import('./commands/list.js')).createListCommand },
  call: { takesServer: true, load: async () => (await import('./commands/call.js')).createCallCommand },
  answer: { load: async () => (await import('./commands/answer.js')).createAnswerCommand },
  read: { takesServer: true, load: async () => (await import('./commands/read.js')).createReadCommand },
  prompt: { takesServer: true, load: async () => (await import('./commands/prompt.js')).createPromptCommand },
  complete: { takesServer: true, load: async () => (await import('./commands/complete.js')).createCompleteCommand },
  subscribe: { takesServer: true, load: async () => (await import('./commands/subscribe.js')).createSubscribeCommand },
  skills: {
    takesServer: true,
    load: async () => (await import('./commands/skills.js')).createSkillsCommand,
  },
  tasks: { takesServer: true, load: async () => (await import('./commands/tasks.js')).createTasksCommand },
  logout: { load: async () => (await import('./commands/logout.js')).createLogoutCommand },
  types: { takesServer: true, load: async () => (await import('./commands/types.js')).createTypesCommand },
  generate: {
    takesServer: true,
    load: async () => (await import('./commands/generate.js')).createGenerateCommand,
  },
  init: { load: async () => (await import('./commands/init.js')).createInitCommand },
  dev: { load: async () => (await import('./commands/dev.js')).createDevCommand },
  console: {
    takesServer: true,
    load: async () => (await import('./commands/console.js')).createConsoleCommand,
  },
  'import-openapi': {
    load: async () => (await import('./commands/import-openapi.js')).createImportOpenapiCommand,
  },
  migrate: { load: async () => (await import('./commands/migrate.js')).createMigrateCommand },
  record: { takesServer: true, load: async () => (await import('./commands/record.js')).createRecordCommand },
  replay: { takesServer: true, load: async () => (await import('./commands/replay.js')).createReplayCommand },
  mock: { load: async () => (await import('./commands/mock.js')).createMockCommand },
  doctor: {
    takesServer: true,
    load: async () => (await import('./commands/doctor.js')).createDoctorCommand,
  },
  conformance: {
    takesServer: true,
    load: async () => (await import('./commands/conformance.js')).createConformanceCommand,
  },
  search: { load: async () => (await import('./commands/search.js')).createSearchCommand },
  add: { takesServer: true, load: async () => (await import('./commands/add.js')).createAddCommand },
  remove: { load: async () => (await import('./commands/remove.js')).createRemoveCommand },
  sync: { load: async () => (await import('./commands/sync.js')).createSyncCommand },
  serve: { load: async () => (await import('./commands/serve.js')).createServeCommand },
  gateway: { load: async () => (await import('./commands/gateway.js')).createGatewayCommand },
  bridge: { load: async () => (await import('./commands/bridge.js')).createBridgeCommand },
  lock: { load: async () => (await import('./commands/lock.js')).createLockCommand },
  policy: { load: async () => (await import('./commands/policy.js')).createPolicyCommand },
  approvals: { load: async () => (await import('./commands/approvals.js')).createApprovalsCommand },
  store: { load: async () => (await import('./commands/store.js')).createStoreCommand },
  audit: { load: async () => (await import('./commands/audit.js')).createAuditCommand },
  daemon: { load: async () => (await import('./commands/daemon.js')).createDaemonCommand },
  agent: { load: async () => (await import('./commands/agent.js')).createAgentCommand },
  schema: { load: async () => (await import('./commands/schema.js')).createSchemaCommand },
  completion: {
    load: async () => {
      const { createCompletionCommand } = await import('./commands/completion.js');
      return context => createCompletionCommand(context, createCommandSource(context));
    },
  },
};

/** Commands for completions. */
function createCommandSource(context: CliContext): CommandSource {
  const names = Object.keys(summaries);
  return {
    names,
    load: async name => {
      const wanted = name === undefined ? Object.values(commands) : [findCommand(name)];
      const creators = await Promise.all(wanted.flatMap(entry => (entry ? [entry.load()] : [])));
      return creators.map(create => create(context));
    },
  };
}

const findCommand = (name: string): CommandEntry | undefined =>
  Object.hasOwn(commands, name) ? commands[name as CommandName] : undefined;

/** Runs the command that the arguments name, and returns the exit code of the process. Never throws. */
export async function run(args: readonly string[], context: CliContext): Promise<ExitCode> {
  if (args.length === 1 && args[0] === '--version') {
    context.screen.print(packageJson.version);
    return exitCodes.success;
  }
  const [name = ''] = args;
  if (name === 'help' && args.includes('--all')) {
    const { formatAllCommands } = await import('./program-help.js');
    context.screen.print(formatAllCommands().trimEnd());
    return exitCodes.success;
  }
  const entry = findCommand(name);
  const dashes = entry?.takesServer ? args.indexOf('--') : -1;
  const commandArgs = dashes < 0 ? args : args.slice(0, dashes);
  if (dashes >= 0) context.serverCommand = args.slice(dashes + 1);
  const report = {
    json: isJson(commandArgs),
    verbose: commandArgs.includes('--verbose') || commandArgs.includes('-v'),
  };
  if (report.json) context.screen.useJson();
  try {
    const program = await createProgram(name === 'help' ? (args[1] ?? '') : name, context, report.json);
    // The parser answers `help` of an unknown command with the whole help, so the command itself is parsed.
    const isUnknown = name === 'help' && args[1] !== undefined && findCommand(args[1]) === undefined;
    // Every command prints, stores and passes on the numbers that it got.
    (await import('@tenon/base')).keepIntegers();
    await program.parseAsync(isUnknown ? commandArgs.slice(1) : commandArgs, { from: 'user' });
    return context.code;
  } catch (error) {
    if (isHelp(error)) return exitCodes.success;
    const { reportFailure } = await import('./report-failure.js');
    return reportFailure(error, report, context.screen);
  }
}

/** Tells if errors are printed as JSON. The parser of arguments is not asked, because it may be it that fails. */
const isJson = (args: readonly string[]): boolean =>
  args.some(
    (each, index) =>
      each === '--json' || each === '--output=json' || (each === '--output' && args[index + 1] === 'json'),
  );

/** Tells if the parser of arguments has printed a help text, which it also reports by an error. */
const isHelp = (thrown: unknown): boolean => thrown instanceof Error && 'exitCode' in thrown && thrown.exitCode === 0;

/** Creates the program with the named command. The others have their names and summaries only. */
async function createProgram(name: string, context: CliContext, json: boolean): Promise<Command> {
  const [{ Command }, { formatFirstPage }, create] = await Promise.all([
    import('commander'),
    import('./program-help.js'),
    findCommand(name)?.load(),
  ]);
  const program = new Command('tenon')
    .version(packageJson.version, '--version')
    .configureHelp({ formatHelp: formatFirstPage })
    .addHelpCommand(new Command('help').argument('[command]').summary('show the help of a command'));
  for (const [each, summary] of Object.entries(summaries))
    program.addCommand(create && each === name ? create(context) : new Command(each).summary(summary));
  program.hook('preAction', (_, command) => {
    if (command.optsWithGlobals<{ readonly input?: boolean }>().input !== false) return;
    context.noInput = true;
    context.terminal.releaseStdin();
  });
  for (const each of [program, ...listDescendants(program)]) {
    each
      .exitOverride(error => {
        const takesFiles = each.registeredArguments.some(argument => argument.name() === 'config');
        throw Object.assign(error, { command: formatPath(each), takesFiles });
      })
      .configureOutput({
        writeOut: text => context.screen.print(text.trimEnd()),
        // Help for a command that lacks a subcommand.
        writeErr: text => (json ? undefined : context.screen.note(text.trimEnd())),
        // Errors are reported as those of the commands.
        outputError: () => {},
      });
  }
  return program;
}

function listDescendants(command: Command): Command[] {
  return command.commands.flatMap(each => [each, ...listDescendants(each)]);
}

/** Returns the names of a command and its parents, such as `tenon audit verify`. */
function formatPath(command: Command): string {
  return command.parent ? `${formatPath(command.parent)} ${command.name()}` : command.name();
}
