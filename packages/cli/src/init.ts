/** Entry `@tenon/cli/init`, by which `npm create tenon` runs `tenon init`. */
import { runProcess } from './run-process.js';

/** Runs `tenon init` with these arguments in this process, and then ends the process. */
export const runInit = (args: readonly string[]): Promise<void> => runProcess(['init', ...args]);
