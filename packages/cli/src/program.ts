import { Command, CommanderError } from 'commander';
import { TenonError, version } from 'tenon';
import type { CliContext } from './cli-context.js';
import { approvalsCommand } from './commands/approvals.js';
import { auditCommand } from './commands/audit.js';
import { bridgeCommand } from './commands/bridge.js';
import { gatewayCommand } from './commands/gateway.js';
import { lockCommand } from './commands/lock.js';
import { policyCommand } from './commands/policy.js';
import { describeError } from './error-hints.js';
import { type ExitCode, exitCodes } from './exit-codes.js';

/** Commands, in the order of the help. */
const commands: readonly ((context: CliContext) => Command)[] = [
  gatewayCommand,
  bridgeCommand,
  lockCommand,
  policyCommand,
  approvalsCommand,
  auditCommand,
];

const EXIT_CODES_HELP = `
Exit codes:
  0   success
  1   the check failed, or the request was declined
  2   the command could not do its work
  64  unknown command, option or argument
`;

/** Runs the command that the arguments name, and returns the exit code. Never throws. */
export async function run(args: readonly string[], context: CliContext): Promise<ExitCode> {
  const program = new Command('tenon')
    .description('Gateway, bridge, lock, policy and audit for MCP servers.')
    .version(version, '--version')
    .addHelpText('after', EXIT_CODES_HELP)
    .helpCommand('help [command]', 'show the help of a command')
    .showHelpAfterError('(see --help)');
  for (const make of commands) program.addCommand(make(context));
  for (const each of [program, ...listDescendants(program)]) {
    each.exitOverride().configureOutput({
      writeOut: text => context.screen.print(text.trimEnd()),
      writeErr: text => context.screen.note(text.trimEnd()),
    });
  }
  try {
    await program.parseAsync(args, { from: 'user' });
    return context.code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.success : exitCodes.usage;
    return reportFailure(error, args.includes('--verbose'), context);
  }
}

function listDescendants(command: Command): Command[] {
  return command.commands.flatMap(each => [each, ...listDescendants(each)]);
}

/** Prints an error, and returns its exit code. Prints the stack with `--verbose` only. */
function reportFailure(thrown: unknown, verbose: boolean, { screen }: CliContext): ExitCode {
  const error = TenonError.from(thrown);
  screen.note(`tenon: ${describeError(error)}`);
  if (verbose) screen.note(`${error.code}\n${(thrown as Error).stack ?? ''}`);
  return error.code === 'cli/usage' ? exitCodes.usage : exitCodes.failure;
}
