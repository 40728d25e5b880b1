import { CommanderError } from 'commander';
import { TenonError } from 'tenon';
import { describeError, getHint, getRetryAfter } from './error-hints.js';
import { type ExitCode, exitCodes, getExitCode } from './exit-codes.js';
import { sanitizeMessage } from './sanitize-message.js';
import type { Screen } from './screen.js';

/** Error that the command prints with `--json`, in one line on standard error. */
export interface ErrorReport {
  /** Stable error code: `area/problem`. */
  readonly code: string;
  /** Description of the problem. */
  readonly cause: string;
  /** Next step for the user. */
  readonly fix: string;
  /** Exit code of the process. */
  readonly exit: ExitCode;
  /** Time after which the request may be repeated, in milliseconds. Only if the server has stated it. */
  readonly retryAfterMs?: number | undefined;
}

export interface ReportOptions {
  /** Writes one line of JSON instead of text. */
  readonly json: boolean;
  /** Also prints the code and the stack. */
  readonly verbose: boolean;
}

const DEFAULT_FIX = 'run the command again with --verbose to see the code and the stack';

/** Reports an error on standard error and returns the exit code of the process. */
export async function reportFailure(thrown: unknown, options: ReportOptions, screen: Screen): Promise<ExitCode> {
  if (thrown instanceof CommanderError) return reportUsage(thrown, options, screen);
  const error = TenonError.from(thrown);
  const exit = getExitCode(error);
  if (options.json) writeErrorReport(screen, createErrorReport(error, exit));
  else screen.note(await sanitizeMessage(`tenon: ${describeError(error)}`));
  if (options.verbose && !options.json) screen.note(await sanitizeMessage(`${error.code}\n${error.stack ?? ''}`));
  return exit;
}

/** Writes an error report as one line of JSON. */
export function writeErrorReport(screen: Screen, report: ErrorReport): void {
  screen.noteJson(report);
}

function createErrorReport(error: TenonError, exit: ExitCode): ErrorReport {
  const { code, summary, peer, method, expected, received } = error;
  const { message: cause } = new TenonError(code, summary, { peer, method, expected, received });
  return { code, cause, fix: getHint(error) ?? DEFAULT_FIX, exit, retryAfterMs: getRetryAfter(error) };
}

/** Returns the exit code for an error of the command-line parser, which has already printed the text. */
function reportUsage({ message }: CommanderError, { json }: ReportOptions, screen: Screen): ExitCode {
  const cause = message.replace(/^error: /, '');
  if (json) writeErrorReport(screen, { code: 'cli/usage', cause, fix: 'see --help', exit: exitCodes.usage });
  return exitCodes.usage;
}
