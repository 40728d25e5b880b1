import type { CommandTarget } from 'tenon/host';

/** Programs that are batch files on Windows. */
const BATCH_FILES = /^(?:npx|npm|pnpm|pnpx|yarn|bunx)(?:\.cmd)?$/i;

/** Lets `cmd` start a program that is a batch file on Windows, because most hosts start executables only. */
export function wrapWindowsCommand(target: CommandTarget, platform: string | undefined): CommandTarget {
  if (platform !== 'win32' || !BATCH_FILES.test(target.command)) return target;
  return { ...target, command: 'cmd', args: ['/c', target.command, ...(target.args ?? [])] };
}

/** Returns the command that `cmd` starts, for files that other platforms use too. */
export function unwrapWindowsCommand(target: CommandTarget): CommandTarget {
  const [option, command, ...args] = target.args ?? [];
  if (!/^cmd(?:\.exe)?$/i.test(target.command) || option?.toLowerCase() !== '/c') return target;
  return command !== undefined && BATCH_FILES.test(command) ? { ...target, command, args } : target;
}
