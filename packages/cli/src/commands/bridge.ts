import { basename } from 'node:path';
import { type Command, Option } from 'commander';
import { checkProgram, createHost, type Host, type HostServer } from 'tenon/host';
import type { CliContext } from '../cli-context.js';
import { describeError } from '../error-hints.js';
import { exitCodes } from '../exit-codes.js';
import { hasToken } from '../host/create-host.js';
import { createHostListeners } from '../host/host-reports.js';
import { createHttpAuth } from '../http/http-auth.js';
import { listen } from '../http/listen.js';
import { createUserSignIn } from '../http/sign-in.js';
import {
  createPairParser,
  parseCount,
  parseDuration,
  parseNames,
  parsePort,
  parseVariableNames,
  parseWebUrl,
} from '../option-parsers.js';
import { runUntilSignal } from '../run-until-signal.js';
import { createUsageError, readVariable } from '../usage-error.js';
import { type CallerOptions, refuseUnauthenticated, withBearer, withProtection } from './auth-options.js';
import { createCommand, formatExamples } from './command.js';

interface BridgeOptions extends CallerOptions {
  readonly header?: Record<string, string>;
  readonly clientId?: string;
  readonly clientSecretEnv?: string;
  readonly browser?: boolean;
  readonly transport?: 'http' | 'http-sse';
  readonly port: number;
  readonly max: number;
  readonly idle: number;
  readonly env?: Record<string, string>;
  readonly pass?: string[];
  readonly cwd?: string;
  readonly json?: boolean;
}

const MINUTE = 60_000;

export function bridgeCommand(context: CliContext): Command {
  const bridge = createCommand(
    'bridge',
    'a client on stdio to a server at a URL, or a server on stdio to clients over HTTP',
  )
    .usage('[options] URL\n       tenon bridge [options] -- COMMAND [ARGUMENTS…]')
    .argument('<target...>', 'the URL of a server; or, after --, the command of one');
  withBearer(
    bridge,
    'the variable with the token: sent to the URL instead of signing in, or required of callers of the command',
  )
    .optionsGroup('To a URL:')
    .option('--header <NAME=VALUE>', 'send this header with every request; several times', createPairParser('--header'))
    .option('--client-id <id>', 'a client that was registered by hand, to sign in with')
    .option('--client-secret-env <VARIABLE>', 'the variable that has its secret')
    .option('--no-browser', 'open no browser to sign in: show the URL, and paste what the browser ends at')
    .addOption(new Option('--transport <name>', 'speak only this one').choices(['http', 'http-sse']))
    .optionsGroup('To a command:')
    .option('--port <number>', 'where to serve over HTTP', parsePort, 8080)
    .option('--max <number>', 'how many processes there may be at once', parseCount, 100)
    .addOption(
      new Option('--idle <time>', 'when a process that nobody uses is ended')
        .argParser(parseDuration)
        .default(30 * MINUTE, '30m'),
    )
    .option('--env <NAME=VALUE>', 'a variable for the process; several times', createPairParser('--env'))
    .option('--pass <names>', 'variables of this environment that the process gets', parseVariableNames)
    .option('--cwd <folder>', 'the folder that the process works in');
  return withProtection(bridge, parseNames)
    .option('--json', 'say where it serves as a line of JSON')
    .addHelpText(
      'after',
      formatExamples([
        ['tenon bridge https://example.com/mcp', 'for a client that can only start programs'],
        ['tenon bridge --port 3000 -- node server.js', 'for clients that can only call URLs'],
      ]),
    )
    .action(async (target: string[], options: BridgeOptions) => {
      const [first = '', ...rest] = target;
      const url = parseWebUrl(first);
      if (url !== undefined && rest.length > 0)
        throw createUsageError('a bridge leads to one URL', 'leave out what stands behind it');
      if (url === undefined && /^\w+:\/\//.test(first))
        throw createUsageError(`this is no URL of a server: ${first}`, 'give one of https: or http:');
      if (url !== undefined) await serveOverStdio(context, url, options);
      else await serveOverHttp(context, first, rest, options);
      context.code = exitCodes.success;
    });
}

/** The only server of a bridge: its names are passed on as they are. */
async function createBridgeHost(
  { screen }: CliContext,
  name: string,
  server: HostServer,
  more: Parameters<typeof createHost>[0] = {},
): Promise<Host> {
  return createHost({
    name: 'tenon-bridge',
    prefix: 'never',
    servers: { [name]: server },
    ...createHostListeners(screen),
    ...more,
  });
}

/** A client on stdio, a server at a URL. */
async function serveOverStdio(context: CliContext, url: string, options: BridgeOptions): Promise<void> {
  context.screen.releaseStdout();
  context.terminal.releaseStdin();
  const { header: headers = {}, transport } = options;
  const target: HostServer = { url, headers, ...(transport === undefined ? {} : { transport }) };
  const name = new URL(url).hostname;
  const credentials = getCredentials(context, options);
  const host = await createBridgeHost(
    context,
    name,
    target,
    credentials === undefined ? {} : { credentials: () => credentials },
  );
  await runUntilSignal(context, host, async () => {
    const { serveStdio } = await import('tenon/stdio');
    const { close, closed } = await serveStdio(host.toServer(), { exit: false });
    return { ended: closed, close };
  });
}

function getCredentials(context: CliContext, options: BridgeOptions) {
  const { bearerEnv, header, browser = true, clientId, clientSecretEnv } = options;
  if (bearerEnv !== undefined) return readVariable(context.env, bearerEnv, '--bearer-env');
  if (hasToken(header)) return undefined;
  const clientSecret =
    clientSecretEnv === undefined ? undefined : readVariable(context.env, clientSecretEnv, '--client-secret-env');
  return createUserSignIn(context, { browser, clientSecret, ...(clientId === undefined ? {} : { clientId }) });
}

/** Clients over HTTP, a server on stdio: a process for each session, and one for all requests that belong to none. */
async function serveOverHttp(
  context: CliContext,
  program: string,
  args: readonly string[],
  options: BridgeOptions,
): Promise<void> {
  const { screen } = context;
  const { port: wanted, max, idle, cwd, host: address, allowedHosts, json } = options;
  const target = {
    command: program,
    args,
    share: false,
    env: createEnvironment(context, options),
    ...(cwd === undefined ? {} : { cwd }),
  };
  refuseUnauthenticated(context, options);
  checkProgram(target);
  const host = await createBridgeHost(context, basename(program), target, {
    maxConnectionsPerServer: max,
    maxProcesses: max,
    connectionIdleTimeout: idle,
  });
  await runUntilSignal(context, host, async () => {
    const { endpoints, close } = await listen(host, {
      port: wanted,
      ...(address === undefined ? {} : { host: address }),
      ...(allowedHosts ? { allowedHosts } : {}),
      limits: { maxSessions: max, sessionIdleTimeout: idle },
      createAuth: () => createHttpAuth(options, context.env),
      onError: error => screen.note(describeError(error)),
    });
    const [{ url, sseUrl } = { url: '' }] = endpoints;
    const shown = [program, ...args].join(' ');
    if (json) screen.printJson({ event: 'listening', url, sseUrl });
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
