import { Command, CommanderError } from 'commander';
import { TenonError, version } from 'tenon';
import { approvalsCommand } from './commands/approvals.js';
import { auditCommand } from './commands/audit.js';
import { bridgeCommand } from './commands/bridge.js';
import { gatewayCommand } from './commands/gateway.js';
import { lockCommand } from './commands/lock.js';
import { policyCommand } from './commands/policy.js';
import { type ExitCode, exit } from './exit.js';
import { describeError } from './hints.js';
import type { World } from './world.js';

/** Every command, in the order of the help. */
const commands: readonly ((world: World) => Command)[] = [
  gatewayCommand,
  bridgeCommand,
  lockCommand,
  policyCommand,
  approvalsCommand,
  auditCommand,
];

const CODES = `
Exit codes:
  0   done, and all is well
  1   what was looked at is not as it should be, or somebody said no
  2   it could not be done or looked at
  64  the command was called with something that it does not know
`;

/** Runs the command that the arguments name, and gives what the process ends with. Never throws. */
export async function run(args: readonly string[], world: World): Promise<ExitCode> {
  const program = new Command('tenon')
    .description('The Model Context Protocol at the command line.')
    .version(version, '--version')
    .addHelpText('after', CODES)
    .helpCommand('help [command]', 'show the help of a command')
    .showHelpAfterError('(see --help)');
  for (const make of commands) program.addCommand(make(world));
  for (const each of [program, ...allBelow(program)]) {
    each.exitOverride().configureOutput({
      writeOut: text => world.screen.print(text.trimEnd()),
      writeErr: text => world.screen.note(text.trimEnd()),
    });
  }
  try {
    await program.parseAsync(args, { from: 'user' });
    return world.code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exit.fine : exit.misused;
    return failed(error, args.includes('--verbose'), world);
  }
}

function allBelow(command: Command): Command[] {
  return command.commands.flatMap(each => [each, ...allBelow(each)]);
}

/** An error as its text. Where it comes from is for those who ask. */
function failed(thrown: unknown, verbose: boolean, { screen }: World): ExitCode {
  const error = TenonError.from(thrown);
  screen.note(`tenon: ${describeError(error)}`);
  if (verbose) screen.note(`${error.code}\n${(thrown as Error).stack ?? ''}`);
  return error.code === 'cli/usage' ? exit.misused : exit.failed;
}
