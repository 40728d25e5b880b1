import { isSafeForCmd } from '@tenon/base/writers';
import type { CommandTarget } from '@tenon/host';
import { createUsageError } from '../usage-error.js';

/** Programs that are batch files on Windows. */
const BATCH_FILES = /^(?:npx|npm|pnpm|pnpx|yarn|bunx)(?:\.cmd)?$/i;

/**
 * Lets `cmd` start a program that is a batch file on Windows, because most hosts start executables only.
 * @throws TenonError `cli/usage` for an argument that `cmd` would change or run
 */
export function wrapWindowsCommand(target: CommandTarget, platform: string | undefined): CommandTarget {
  if (platform !== 'win32' || !BATCH_FILES.test(target.command)) return target;
  const args = target.args ?? [];
  const unsafe = args.findIndex(each => !isSafeForCmd(each));
  if (unsafe >= 0)
    throw createUsageError(
      `argument ${unsafe + 1} of ${target.command} has a character that \`cmd\` of Windows interprets`,
      'remove % ^ & | < > ! and line breaks from it, or start the server with a program that is no batch file, such as node',
    );
  return { ...target, command: 'cmd', args: ['/c', target.command, ...args] };
}

/** Returns the command that `cmd` starts, for files that other platforms use too. */
export function unwrapWindowsCommand(target: CommandTarget): CommandTarget {
  const [option, command, ...args] = target.args ?? [];
  if (!/^cmd(?:\.exe)?$/i.test(target.command) || option?.toLowerCase() !== '/c') return target;
  return command !== undefined && BATCH_FILES.test(command) ? { ...target, command, args } : target;
}
