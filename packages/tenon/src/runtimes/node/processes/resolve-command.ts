import { statSync } from 'node:fs';
import { win32 } from 'node:path';
import { TenonError } from '@tenon/base';

export interface CommandEnvironment {
  readonly platform: string;
  /** Environment of the child process. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Tells if a path is a file. */
  readonly exists: (path: string) => boolean;
}

/** Arguments for `spawn`. With `verbatim`, the arguments are already quoted, and Windows must not quote them again. */
export interface ResolvedCommand {
  readonly file: string;
  readonly args: readonly string[];
  readonly verbatim: boolean;
}

/**
 * Finds the file of a command. On POSIX the system does that.
 *
 * Windows itself finds only `.exe`, so `npx`, which is `npx.cmd`, would not start. Therefore this function searches
 * PATH with PATHEXT on Windows.
 *
 * It never searches the working directory, where anyone may have put a file with that name. A batch file runs under
 * cmd.exe, without `shell: true` and with every argument quoted. Returns `undefined` if the file does not exist.
 * @throws TenonError `stdio/unsafe-argument` when an argument cannot be passed to a batch file.
 */
export function resolveCommand(
  command: string,
  args: readonly string[],
  environment: CommandEnvironment,
): ResolvedCommand | undefined {
  if (environment.platform !== 'win32') return { file: command, args, verbatim: false };
  const file = findFile(command, environment);
  if (file === undefined) return undefined;
  if (!/\.(?:cmd|bat)$/i.test(file)) return { file, args, verbatim: false };
  const line = [file, ...args].map(quoteArgument).join(' ');
  // /d runs no AutoRun command, /e:on and /v:off define the meaning of % and !, /s removes only the outer quotes.
  const { env } = environment;
  const systemRoot = getVariable(env, 'SYSTEMROOT') ?? 'C:\\Windows';
  return {
    file: getVariable(env, 'COMSPEC') ?? win32.join(systemRoot, 'System32', 'cmd.exe'),
    args: ['/d', '/e:on', '/v:off', '/s', '/c', `"${line}"`],
    verbatim: true,
  };
}

export const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
export const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

function findFile(command: string, { env, cwd, exists }: CommandEnvironment): string | undefined {
  const extensions = (getVariable(env, 'PATHEXT') ?? '.COM;.EXE;.BAT;.CMD').split(';').filter(Boolean);
  const isNamed = extensions.some(extension => command.toLowerCase().endsWith(extension.toLowerCase()));
  const endings = isNamed ? ['', ...extensions] : extensions;
  const isPath = /[\\/]/.test(command) || /^[a-z]:/i.test(command);
  const searched = (getVariable(env, 'PATH') ?? '').split(';').map(folder => folder.trim().replace(/^"(.*)"$/, '$1'));
  for (const folder of isPath ? [cwd] : searched.filter(each => win32.isAbsolute(each))) {
    for (const ending of endings) {
      const path = win32.resolve(folder, command + ending);
      if (exists(path)) return path;
    }
  }
  return undefined;
}

function getVariable(env: CommandEnvironment['env'], name: string): string | undefined {
  const matchingKey = Object.keys(env).find(key => key.toUpperCase() === name);
  return matchingKey === undefined ? undefined : env[matchingKey];
}

/**
 * Quotes one argument of a batch file. cmd.exe parses the line once, and again for each `%*` in the batch file, so
 * quoting must not depend on the count. Quotes are doubled, which keeps `& | < > ^` inside quotes each time.
 *
 * `%` is built from an empty expansion, which is not expanded again. Backslashes before a quote are doubled for the
 * program itself. Without this quoting, an argument could run a command (CVE-2024-24576, CVE-2024-27980).
 */
function quoteArgument(argument: string): string {
  if (/[\0\r\n]/.test(argument)) {
    throw new TenonError('stdio/unsafe-argument', 'cannot pass an argument with a line break to a batch file', {
      hint: 'run the program behind the .cmd file instead (for npx: node and the script), or change the argument',
    });
  }
  const body = argument.replace(/(\\*)("|$)/g, (_, slashes: string, end: string) => slashes + slashes + (end && '""'));
  return `"${body.replaceAll('%', '%%cd:~,%')}"`;
}
