import type { ExitCode } from './exit-codes.js';
import type { Screen } from './screen.js';
import type { Terminal } from './terminal.js';

/** Environment of a command. */
export interface CliContext {
  readonly screen: Screen;
  readonly terminal: Terminal;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** True with `--no-input`: the command neither asks nor signs the user in. */
  noInput?: true;
  /** Arguments after `--`: the command line of a server. Absent: there is no `--`. */
  serverCommand?: readonly string[];
  /** Exit code of the process once the command is done. */
  code: ExitCode;
}
