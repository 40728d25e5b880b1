import type { ExitCode } from './exit.js';
import type { Screen } from './screen.js';
import type { Terminal } from './terminal.js';

/** What commands have around them. */
export interface World {
  readonly screen: Screen;
  readonly terminal: Terminal;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** What the process ends with once the command is done. */
  code: ExitCode;
}
