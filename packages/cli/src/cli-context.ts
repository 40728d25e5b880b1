import type { ExitCode } from './exit-codes.js';
import type { Screen } from './screen.js';
import type { Terminal } from './terminal.js';

/** What commands have around them. */
export interface CliContext {
  readonly screen: Screen;
  readonly terminal: Terminal;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** What the process ends with once the command is done. */
  code: ExitCode;
}
