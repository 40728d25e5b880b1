import { redactValue, stringifyJson } from '@tenon/base';
import { CommanderError } from 'commander';
import { TenonError } from 'tenon';
import { describeError, getHint } from './error-hints.js';
import { type ExitCode, exitCodes, getExitCode } from './exit-codes.js';
import type { Screen } from './screen.js';
import { createUsageError } from './usage-error.js';

/** Error that the command prints with `--json`, in one line on standard error. */
export interface ErrorReport {
  /** Stable error code: `area/problem`. */
  readonly code: string;
  /** Description of the error. */
  readonly cause: string;
  /** Next step for the user. */
  readonly fix: string;
  /** Exit code of the process. */
  readonly exit: ExitCode;
  /** Code of the JSON-RPC error, if the server has responded with one. */
  readonly rpcCode?: number | undefined;
  /** Data of the JSON-RPC error, as the server has sent it, without texts that look secret. */
  readonly data?: unknown;
  /** HTTP status of the response, if the request failed with one. */
  readonly status?: number | undefined;
  /** Time after which the request may be repeated, in milliseconds. Only if the server has stated it. */
  readonly retryAfterMs?: number | undefined;
}

export interface ReportOptions {
  /** Writes one line of JSON instead of text. */
  readonly json: boolean;
  /** Also prints the code and the stack. */
  readonly verbose: boolean;
}

/** Maximum number of printed characters of the data of an error. */
const MAX_DATA = 1_000;

const DEFAULT_FIX = 'look up the code in the reference of errors in the documentation';

/** Reports an error on standard error and returns the exit code of the process. */
export function reportFailure(thrown: unknown, options: ReportOptions, screen: Screen): ExitCode {
  // The parser has printed the help, because a subcommand is missing.
  if (thrown instanceof CommanderError && thrown.code === 'commander.help') return exitCodes.usage;
  const error = thrown instanceof CommanderError ? createParserError(thrown) : TenonError.from(thrown);
  const exit = getExitCode(error);
  if (options.json) writeErrorReport(screen, createErrorReport(error, exit));
  else {
    screen.note(`tenon: ${describeError(error)}`, 'error');
    const response = describeErrorResponse(error);
    if (response !== undefined) screen.note(response, 'error');
  }
  if (options.verbose && !options.json) screen.note(`${error.code}\n${error.stack ?? ''}`);
  return exit;
}

/** Returns the code and the data of the JSON-RPC error with which the server has responded, if it has. */
function describeErrorResponse({ code, rpcCode, data }: TenonError): string | undefined {
  if (code !== 'peer/error' || rpcCode === undefined) return undefined;
  if (data === undefined) return `JSON-RPC error ${rpcCode}`;
  const text = stringifyJson(redactValue(data));
  const shown =
    text.length > MAX_DATA ? `${text.slice(0, MAX_DATA)}… (${text.length} characters, all with --json)` : text;
  return `JSON-RPC error ${rpcCode}, data: ${shown}`;
}

/** Writes an error report as one line of JSON. */
export function writeErrorReport(screen: Screen, report: ErrorReport): void {
  screen.noteJson(report);
}

/** Creates the report of an error, without text for a terminal. */
export function createErrorReport(error: TenonError, exit: ExitCode): ErrorReport {
  const { code, summary, peer, method, expected, received, rpcCode, data, status } = error;
  const { message: cause } = new TenonError(code, summary, { peer, method, expected, received });
  return {
    code,
    cause,
    fix: getHint(error) ?? DEFAULT_FIX,
    exit,
    rpcCode,
    data: redactValue(data),
    status,
    retryAfterMs: error.retryAfterMs,
  };
}

/** Creates the error for arguments that the parser refuses. The program adds the name of the command to its errors. */
function createParserError({ message, ...rest }: CommanderError): TenonError {
  const [summary = '', suggestion] = message.replace(/^error: /, '').split('\n');
  // Commands for one server have this option.
  if (/^unknown option '--config['=]/.test(summary) && 'takesFiles' in rest && rest.takesFiles && 'command' in rest)
    return createUsageError(summary, `pass the configuration files without it: \`${rest.command} FILE…\``);
  // The name closest to it would sign the user out.
  if (/^unknown command '(?:log-?in|sign-?in|auth)'/.test(summary))
    return createUsageError(
      summary,
      'run `tenon list TARGET` in a terminal: commands sign in when a server requires it',
    );
  const similar = suggestion?.replace(/^\((.*)\)$/, '$1 ') ?? '';
  return createUsageError(summary, `${similar}See \`${'command' in rest ? rest.command : 'tenon'} --help\``);
}
