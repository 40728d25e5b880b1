import { type Command, Option } from 'commander';
import type { AssumableCapability, ClientOptions } from 'tenon';
import { type HttpOptions, type HttpOptionTexts, withHttpOptions } from '../http/http-options.js';
import { createCommand } from '../options/create-command.js';
import {
  createPairParser,
  parseCapabilities,
  parseDurationOption,
  parseNames,
  parseProtocolVersion,
  parseVariableNames,
} from '../options/option-parsers.js';
import { createUsageError } from '../usage-error.js';
import type { EntryTimeouts } from './resolve-target.js';

/** Options that connect to a target. */
export interface ConnectionOptions extends HttpOptions {
  readonly config?: string[];
  readonly trust?: boolean;
  readonly env?: Record<string, string>;
  readonly pass?: string[];
  readonly cwd?: string;
  /** Capabilities to use although the server does not declare them. */
  readonly assume?: AssumableCapability[];
  readonly userConfig?: Record<string, string>;
  readonly userConfigEnv?: Record<string, string>;
  /** False if the command never asks the user. */
  readonly input?: boolean;
}

/** Options of each command with a target. */
export interface TargetOptions extends ConnectionOptions {
  readonly protocolVersion?: string;
  /**
   * Time without a response or progress, in milliseconds.
   * @default that of `connect`
   */
  readonly timeout?: number;
  /**
   * Time for a whole request, also with progress, in milliseconds.
   * @default no limit
   */
  readonly totalTimeout?: number;
  readonly json?: boolean;
  /** Path of the recording to write. */
  readonly wire?: string;
  /** Prints the messages of the protocol. */
  readonly verbose?: boolean;
  /** Uses a connection that stays open between commands. */
  readonly keep?: boolean;
}

/**
 * Creates a command with a target.
 *
 * @param usage Arguments after the target.
 * @param hasWire False if the command does not show the messages of the protocol.
 */
export function createTargetCommand(name: string, summary: string, usage: string, hasWire = true): Command {
  const more = usage === '' ? '' : ` ${usage}`;
  return createCommand(name, summary, {
    ...(hasWire ? { verbose: 'print the messages of the protocol, and the code and the stack of errors' } : {}),
    noInput: 'never ask: let calls wait for their input, and do not sign in',
  })
    .usage(`[options] TARGET${more}\n       tenon ${name} [options]${more} -- COMMAND [ARGUMENTS…]`)
    .argument(
      '[target...]',
      'URL, name in a configuration or a registry, server file (.js, .ts, .py), FILE#EXPORT, bundle (.mcpb), or recording; or, after --, the command that starts a server',
    );
}

/**
 * Lets a command take arguments of its subject in the form of options, such as `--title Glue` after the name of a tool. An
 * unknown option before it is an error.
 */
export function withArgumentOptions(command: Command): Command {
  return command.allowUnknownOption();
}

/**
 * Throws for an unknown option before the subject of a command.
 *
 * @param words Target, subject and its arguments.
 * @param count Number of words before the arguments.
 */
export function refuseUnknownOptions(command: string, words: readonly string[], count: number): void {
  const option = words.slice(0, count).find(word => /^-./.test(word));
  if (option !== undefined) throw createUsageError(`unknown option '${option}'`, `See \`tenon ${command} --help\``);
}

/** Adds the option for a server that stays open between commands. */
export function withKeep(command: Command): Command {
  return command.addOption(
    new Option('--keep', 'keep the server open for the next command: see `tenon daemon`').env('TENON_KEEP'),
  );
}

/** Texts of a command whose defaults differ from those of other commands with a target. */
export interface TargetOptionTexts extends Pick<HttpOptionTexts, 'defaultAuth'> {
  /** Help of `--timeout`, if it limits something else than a request. The command then has no `--total-timeout`. */
  readonly timeout?: string;
  /**
   * Adds `--wire`.
   * @default `true`
   */
  readonly hasWire?: boolean;
}

const TIMEOUT_HELP =
  'time to wait for a response, or for progress after the last one, instead of that of the configuration (default: 60s)';

/** Help of `--assume`. */
export const ASSUME_HELP = 'use capabilities that the server does not declare: tools, prompts, resources, …';

/** Adds the options of every command with a target, below the options of the command itself. */
export function withTargetOptions(
  command: Command,
  { timeout, hasWire = true, ...texts }: TargetOptionTexts = {},
): Command {
  command
    .option('--json', 'print JSON on standard output, and errors as one line of JSON on standard error')
    .option('--timeout <time>', timeout ?? TIMEOUT_HELP, parseDurationOption);
  if (timeout === undefined)
    command.option(
      '--total-timeout <time>',
      'time for the whole request, also while it reports progress, instead of that of the configuration (default: no limit)',
      parseDurationOption,
    );
  command
    .option(
      '--protocol-version <version>',
      'use only this protocol version (default: the newest of both sides)',
      parseProtocolVersion,
    )
    .option('--assume <capabilities>', ASSUME_HELP, parseCapabilities);
  if (hasWire)
    command.option(
      '--wire <file>',
      'write the messages of the protocol into this file, as a recording without secrets',
    );
  return withConnectionOptions(command, texts);
}

/**
 * Returns the timeouts of a client. Progress restarts the time of `--timeout`, and not that of `--total-timeout`. Either
 * option replaces both timeouts of the configuration.
 */
export function readTimeouts(
  { timeout, totalTimeout }: Pick<TargetOptions, 'timeout' | 'totalTimeout'>,
  configured: EntryTimeouts = {},
): Pick<ClientOptions, 'idleTimeout' | 'totalTimeout'> {
  const chosen =
    timeout === undefined && totalTimeout === undefined ? configured : { idleTimeout: timeout, totalTimeout };
  return {
    ...(chosen.idleTimeout === undefined ? {} : { idleTimeout: chosen.idleTimeout }),
    ...(chosen.totalTimeout === undefined ? {} : { totalTimeout: chosen.totalTimeout }),
  };
}

/** Adds the options that connect to a target. */
export function withConnectionOptions(command: Command, texts: TargetOptionTexts = {}): Command {
  command
    .optionsGroup('Servers of a configuration:')
    .option(
      '--config <file>',
      'configuration file; repeatable (default: ./mcp.json and those of MCP hosts)',
      parseNames,
    )
    .option('--trust', 'start a configured command or a bundle without asking for approval')
    .optionsGroup('Servers at a URL:');
  return withHttpOptions(command, { ...texts, bearer: 'environment variable with a token to send' })
    .optionsGroup('Servers that are started:')
    .option('--env <NAME=VALUE>', 'environment variable for the process; repeatable', createPairParser('--env'))
    .option('--pass <names>', 'environment variables to pass to the process', parseVariableNames)
    .option('--cwd <folder>', 'working directory of the process')
    .option(
      '--user-config <NAME=VALUE>',
      'value that a .mcpb bundle requests; repeatable',
      createPairParser('--user-config'),
    )
    .option(
      '--user-config-env <NAME=VARIABLE>',
      'environment variable with a value that a .mcpb bundle requests; repeatable',
      createPairParser('--user-config-env'),
    );
}
