import type { CommandTarget, UrlTarget } from 'tenon/host';

/** Programs that are batch files on Windows. */
const BATCH_FILES = /^(?:npx|npm|pnpm|pnpx|yarn|bunx)(?:\.cmd)?$/i;

/** Lets `cmd` start a program that is a batch file on Windows, because most hosts start executables only. */
export function wrapWindowsCommand<T extends CommandTarget | UrlTarget>(target: T, platform: string): T {
  if (platform !== 'win32' || !('command' in target) || !BATCH_FILES.test(target.command)) return target;
  return { ...target, command: 'cmd', args: ['/c', target.command, ...(target.args ?? [])] };
}
