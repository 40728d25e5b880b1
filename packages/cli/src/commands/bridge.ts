import { basename } from 'node:path';
import { parseWebUrl } from '@tenon/base';
import { checkProgram, type HostServer } from '@tenon/host';
import { type Command, Option } from 'commander';
import type { AssumableCapability } from 'tenon';
import type { CliContext } from '../cli-context.js';
import { exitCodes } from '../exit-codes.js';
import { readHttpAccess } from '../http/http-access.js';
import { createHttpAuth } from '../http/http-auth.js';
import { type HttpOptions, withHttpOptions } from '../http/http-options.js';
import { createServedHost, createSingleHost, listenForTarget } from '../http/serve-target.js';
import { type CallerOptions, refuseUnauthenticated, withProtection } from '../options/auth-options.js';
import { createCommand, formatExamples } from '../options/create-command.js';
import { type EndpointOptions, withEndpoints } from '../options/endpoint-options.js';
import {
  createPairParser,
  parseCapabilities,
  parseCount,
  parseDurationOption,
  parsePort,
  parseProtocolVersion,
  parseVariableNames,
} from '../options/option-parsers.js';
import { runUntilSignal } from '../run-until-signal.js';
import { summaries } from '../summaries.js';
import { ASSUME_HELP } from '../target/target-options.js';
import { createUsageError, readVariable } from '../usage-error.js';

interface BridgeOptions extends CallerOptions, EndpointOptions, HttpOptions {
  readonly port: number;
  readonly max: number;
  readonly idle: number;
  readonly env?: Record<string, string>;
  readonly pass?: string[];
  readonly cwd?: string;
  readonly assume?: AssumableCapability[];
  readonly protocolVersion?: string;
  readonly health: boolean;
  readonly json?: boolean;
}

const MINUTE = 60_000;

export function createBridgeCommand(context: CliContext): Command {
  const bridge = createCommand('bridge', summaries.bridge)
    .usage('[options] URL\n       tenon bridge [options] -- COMMAND [ARGUMENTS…]')
    .argument('<target...>', 'URL of a server; or, after --, the command that starts a server');
  bridge.optionsGroup('To a URL:');
  const bearer = 'environment variable with a token: sent to the URL, or required of callers';
  withHttpOptions(bridge, { bearer, defaultAuth: 'browser' })
    .optionsGroup('To a command:')
    .option('--port <number>', 'port to serve on', parsePort, 8080)
    .option('--max <number>', 'maximum number of processes', parseCount, 100)
    .addOption(
      new Option('--idle <time>', 'time after which an unused process is stopped')
        .argParser(parseDurationOption)
        .default(30 * MINUTE, '30m'),
    )
    .option('--env <NAME=VALUE>', 'environment variable for the process; repeatable', createPairParser('--env'))
    .option('--pass <names>', 'environment variables to pass to the process', parseVariableNames)
    .option('--cwd <folder>', 'working directory of the process');
  return withEndpoints(withProtection(bridge))
    .option('--no-health', 'do not serve /healthz and /readyz')
    .option('--assume <capabilities>', ASSUME_HELP, parseCapabilities)
    .option('--protocol-version <version>', 'use only this protocol version with the server', parseProtocolVersion)
    .option('--json', 'print the URL as a line of JSON')
    .addHelpText(
      'after',
      formatExamples([
        ['tenon bridge https://example.com/mcp', 'for a client that can only start programs'],
        ['tenon bridge --port 3000 -- node server.js', 'for clients that can only call URLs'],
      ]),
    )
    .action(async (target: string[], options: BridgeOptions) => {
      const [first = '', ...rest] = target;
      const url = parseWebUrl(first)?.href;
      if (url !== undefined && rest.length > 0)
        throw createUsageError('a bridge takes one URL', 'remove the other arguments');
      if (url === undefined && /^\w+:\/\//.test(first))
        throw createUsageError(`invalid URL of a server: ${first}`, 'pass an https: or http: URL');
      refuseUnusedOptions(bridge, url === undefined ? 'command' : 'url');
      if (url !== undefined) await serveOverStdio(context, url, options);
      else await serveOverHttp(context, first, rest, options);
      context.code = exitCodes.success;
    });
}

/** Options that only one direction uses, by their attribute names. */
const OWN_OPTIONS: Readonly<Record<'url' | 'command', readonly string[]>> = {
  url: [
    ...['header', 'headerFile', 'tokenFile', 'auth', 'clientId', 'clientSecretEnv', 'clientSecretFile'],
    ...['clientKeyFile', 'printUrl', 'transport'],
  ],
  command: [
    ...['port', 'max', 'idle', 'env', 'pass', 'cwd', 'host', 'allowedHosts', 'allowUnauthenticated'],
    ...['issuer', 'audience', 'basePath', 'cors', 'health'],
  ],
};

/** Refuses the options of the other direction, which would have no effect. */
function refuseUnusedOptions(bridge: Command, direction: 'url' | 'command'): void {
  const unused = OWN_OPTIONS[direction === 'url' ? 'command' : 'url'];
  const option = bridge.options.find(each => {
    const name = each.attributeName();
    return unused.includes(name) && bridge.getOptionValueSource(name) === 'cli';
  });
  if (option === undefined) return;
  throw direction === 'url'
    ? createUsageError(
        `${option.long} is for a bridge to a command, and this one serves a URL on standard input and output`,
        'remove the option, or pass a command after --',
      )
    : createUsageError(`${option.long} is for a bridge to a URL`, 'remove the option, or pass a URL');
}

/** Serves a client on stdio. The server is at a URL. */
async function serveOverStdio(context: CliContext, url: string, options: BridgeOptions): Promise<void> {
  context.screen.releaseStdout();
  context.terminal.releaseStdin();
  const { transport, assume: assumeCapabilities, protocolVersion } = options;
  const { headers, auth } = await readHttpAccess(context, { auth: 'browser', ...options });
  const target: HostServer = {
    url,
    headers,
    assumeCapabilities,
    protocolVersion,
    ...(transport === undefined ? {} : { transport }),
  };
  const name = new URL(url).hostname;
  const host = await createSingleHost(context, name, target, auth === undefined ? {} : { credentials: () => auth });
  await runUntilSignal(context, host, async () => {
    const { serveStdio } = await import('tenon/stdio');
    const { close, closed } = await serveStdio(host.toServer(), { exit: false });
    return { ended: closed, close };
  });
}

/** Serves clients over HTTP. Runs one process per session, and one for all requests without a session. */
async function serveOverHttp(
  context: CliContext,
  program: string,
  args: readonly string[],
  options: BridgeOptions,
): Promise<void> {
  const { screen } = context;
  const { port: wanted, max, idle, cwd, host: address, allowedHosts, json } = options;
  const started = {
    command: program,
    args,
    env: createEnvironment(context, options),
    ...(cwd === undefined ? {} : { cwd }),
  };
  const target = { ...started, assumeCapabilities: options.assume, protocolVersion: options.protocolVersion };
  refuseUnauthenticated(context, options);
  checkProgram(started);
  const host = await createServedHost(context, basename(program), target, { max, idle });
  screen.startLog({ json: json === true });
  await runUntilSignal(context, host, async () => {
    const { endpoints, close } = await listenForTarget(context, host, {
      port: wanted,
      max,
      idle,
      ...(address === undefined ? {} : { host: address }),
      ...(allowedHosts ? { allowedHosts } : {}),
      health: options.health,
      basePath: options.basePath,
      cors: options.cors,
      createAuth: () => createHttpAuth(options, context.env),
    });
    const [{ url, sseUrl } = { url: '' }] = endpoints;
    const shown = [program, ...args].join(' ');
    if (json) screen.printEvent({ event: 'listening', url, sseUrl });
    else screen.print(`\n${shown}\n\n  ${url}\n  ${sseUrl}   the same by HTTP+SSE\n\nCtrl-C ends it.`);
    return { close };
  });
}

function createEnvironment(
  { env }: CliContext,
  { pass = [], env: variables = {} }: BridgeOptions,
): Record<string, string> {
  return { ...Object.fromEntries(pass.map(name => [name, readVariable(env, name, '--pass')])), ...variables };
}
