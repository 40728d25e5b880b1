import { type Command, Option } from 'commander';
import { TenonError } from 'tenon';
import type { Host } from 'tenon/host';
import type { CliContext } from '../cli-context.js';
import { describeError } from '../error-hints.js';
import { exitCodes } from '../exit-codes.js';
import { APPROVAL_MODES } from '../host/approvals.js';
import { createGatewayHost, type GatewayHostOptions } from '../host/create-host.js';
import { formatStates, probeServers, shortenReason } from '../host/host-reports.js';
import { readConfiguration } from '../host/read-configuration.js';
import { checkTrust } from '../host/server-trust.js';
import { createHttpAuth } from '../http/http-auth.js';
import { type HttpListener, listen, type ServedEndpoint } from '../http/listen.js';
import { type CallerSignInCommandOptions, createGatewaySignIn } from '../http/sign-in.js';
import {
  parseCount,
  parseDuration,
  parseNames,
  parsePort,
  parsePublicUrl,
  parseSelections,
} from '../option-parsers.js';
import { type RunningServer, runUntilSignal } from '../run-until-signal.js';
import { formatColumns } from '../screen.js';
import { createUsageError } from '../usage-error.js';
import { type CallerOptions, refuseUnauthenticated, withBearer, withProtection } from './auth-options.js';
import { createCommand, formatExamples } from './command.js';

interface GatewayOptions extends GatewayHostOptions, CallerOptions, CallerSignInCommandOptions {
  readonly port?: number;
  readonly stdio?: boolean;
  readonly servers?: string[];
  readonly virtual?: Record<string, string[]>;
  readonly trust?: boolean;
  readonly json?: boolean;
}

const DEFAULT_PORT = 8080;

export function gatewayCommand(context: CliContext): Command {
  const own = createCommand('gateway', 'serve all servers of a configuration as one')
    .argument(
      '[config...]',
      'configurations: mcp.json, .vscode/mcp.json, … (default: ./mcp.json, else what this folder has)',
    )
    .option(
      '--port <number>',
      `where to serve over HTTP (default: ${DEFAULT_PORT}; with --stdio: only when given)`,
      parsePort,
    )
    .option('--stdio', 'serve the program that has started this, on standard input and output')
    .option('--servers <names>', 'offer these servers only', parseNames)
    .option('--virtual <name=servers>', 'offer these servers at /NAME as well; several times', parseSelections)
    .option('--max-processes <number>', 'how many processes of servers there may be at once (default: 100)', parseCount)
    .option('--idle <time>', 'when the process of a server that nobody uses is stopped (default: 30m)', parseDuration)
    .option('--trust', 'run what the configurations name without asking: they are your own');
  withBearer(own, 'admit only callers that send the token in this environment variable');
  return withGuardOptions(withCallerSignIn(withProtection(own, parseNames)))
    .option('--json', 'say on standard output, line by line as JSON, where it serves and how servers stand')
    .addHelpText(
      'after',
      formatExamples([
        ['tenon gateway', 'in front of ./mcp.json, at http://127.0.0.1:8080/mcp'],
        ['tenon gateway --stdio', 'the same for a client that starts it'],
        ['tenon gateway --policy policy.json --audit audit.jsonl', 'with rules, and a record of what was done'],
        ['tenon gateway --virtual docs=notes,search', 'with two of the servers at /docs'],
      ]),
    )
    .action(async (configs: string[], options: GatewayOptions) => {
      await runGateway(context, configs, options);
      context.code = exitCodes.success;
    });
}

function withCallerSignIn(own: Command): Command {
  return own
    .option(
      '--public-url <url>',
      'the URL under which browsers reach this gateway (default: the origin of --audience)',
      parsePublicUrl,
    )
    .option(
      '--client-id <id>',
      'with --issuer: a client registered there by hand, with the redirect URI PUBLIC-URL/sign-in/callback',
    )
    .option('--client-secret-env <VARIABLE>', 'the variable that has its secret');
}

function withGuardOptions(own: Command): Command {
  return own
    .option('--policy <file>', 'the rules by which calls are allowed, asked about or denied')
    .addOption(
      new Option('--approve <by>', 'who is asked (default: the terminal, else the client)').choices(APPROVAL_MODES),
    )
    .option('--store <file>', 'keep tasks, questions and long results in this SQLite file')
    .option('--lock [file]', 'hold servers to this lock (default: mcp.lock where there is one)')
    .option('--no-lock', 'hold servers to no lock')
    .addOption(
      new Option('--drift <what>', 'what becomes of changes that are not in the lock').choices([
        'block',
        'ask',
        'warn',
      ]),
    )
    .option('--audit <file>', 'record what is done in this file')
    .option('--audit-key-env <VARIABLE>', 'sign the record with the key in this variable')
    .addOption(
      new Option('--prefix <when>', 'begin names with the server; auto: when the configuration names more than one')
        .choices(['auto', 'always', 'never'])
        .default('always'),
    )
    .addOption(
      new Option('--screening <what>', 'what becomes of texts that look like instructions to a model').choices([
        'report',
        'mask',
        'block',
      ]),
    )
    .option('--budget <tokens>', 'above it, offer tools that search, describe and call the others', parseCount)
    .option('--max-output <characters>', 'how much of one result is passed on; the rest is linked to', parseCount)
    .option('--no-browser', 'open no browser to sign in with a server: show the URL');
}

async function runGateway(context: CliContext, configs: readonly string[], options: GatewayOptions): Promise<void> {
  const { stdio = false, trust = false } = options;
  if (stdio && options.json)
    throw createUsageError('with --stdio standard output is the protocol’s', 'leave --json out');
  if (stdio) {
    context.screen.releaseStdout();
    context.terminal.releaseStdin();
  }
  if (!stdio || options.port !== undefined) refuseUnauthenticated(context, options);
  const { entries, files, named } = await readConfiguration(context, configs);
  const { approved } = await checkTrust(context, entries, trust);
  if (approved.length === 0) throw createNoServersError(files, entries.length);
  checkNames(
    approved.map(({ name }) => name),
    options,
  );
  // Names depend on the configuration: a server that is disabled, unreadable or not approved counts too.
  const prefix = options.prefix === 'auto' ? (named.size > 1 ? 'always' : 'never') : options.prefix;
  // The client on standard input is the user of this machine.
  const callerSignIn = stdio ? undefined : createGatewaySignIn(context, options);
  const given = { ...options, ...(callerSignIn ? { callerSignIn } : {}) };
  const hosting = await createGatewayHost(context, approved, { ...given, ...(prefix ? { prefix } : {}) });
  await runUntilSignal(context, hosting, () => serve(context, hosting.host, files, given));
}

async function serve(
  context: CliContext,
  host: Host,
  files: readonly string[],
  options: GatewayOptions,
): Promise<RunningServer> {
  const { stdio = false } = options;
  const listening = stdio && options.port === undefined ? undefined : await serveOverHttp(context, host, options);
  const piped = stdio ? await serveOverStdio(host, options) : undefined;
  // How servers stand takes as long as the slowest takes; meanwhile it is served, and can be ended.
  if (listening && !stdio) void report(context, host, listening.endpoints, files, options);
  return {
    ...(piped ? { ended: piped.closed } : {}),
    close: async () => {
      await Promise.all([listening?.close(), piped?.close()]);
    },
  };
}

function serveOverHttp(context: CliContext, host: Host, options: GatewayOptions): Promise<HttpListener> {
  return listen(host, {
    port: options.port ?? DEFAULT_PORT,
    ...(options.host === undefined ? {} : { host: options.host }),
    ...(options.allowedHosts ? { allowedHosts: options.allowedHosts } : {}),
    ...(options.servers ? { servers: options.servers } : {}),
    ...(options.virtual ? { virtual: options.virtual } : {}),
    createAuth: path => createHttpAuth(options, context.env, path),
    ...(options.callerSignIn ? { pages: options.callerSignIn } : {}),
    onError: error => context.screen.note(describeError(error)),
  });
}

async function serveOverStdio(host: Host, { servers }: GatewayOptions) {
  const { serveStdio } = await import('tenon/stdio');
  return serveStdio(host.toServer(servers ? { servers } : {}), { exit: false });
}

async function report(
  { screen }: CliContext,
  host: Host,
  places: readonly ServedEndpoint[],
  files: readonly string[],
  { json }: GatewayOptions,
): Promise<void> {
  if (json) {
    for (const place of places) screen.printJson({ event: 'listening', ...place });
    for (const { reason, ...server } of await probeServers(host)) {
      screen.printJson({ event: 'server', ...server, ...(reason === undefined ? {} : { why: shortenReason(reason) }) });
    }
    return;
  }
  const rows = places.flatMap(({ url, sseUrl, servers }) => [
    [url, servers ? servers.join(', ') : 'all servers'],
    ...(sseUrl === undefined ? [] : [[sseUrl, 'the same by HTTP+SSE']]),
  ]);
  screen.print(`\nGateway to the servers of ${files.join(', ')}\n\n${formatColumns(rows)}\n`);
  screen.print(`${formatStates(await probeServers(host))}\n\nCtrl-C ends it.`);
}

function checkNames(known: readonly string[], { servers = [], virtual = {} }: GatewayOptions): void {
  const reserved = ['mcp', 'sse', 'messages'].find(name => Object.hasOwn(virtual, name));
  if (reserved) throw createUsageError(`/${reserved} is taken`, 'give the virtual server another name');
  const missing = [...servers, ...Object.values(virtual).flat()].find(name => !known.includes(name));
  if (missing === undefined) return;
  throw createUsageError(`there is no server "${missing}"`, `name one of these: ${known.join(', ')}`);
}

function createNoServersError(files: readonly string[], entries: number): TenonError {
  return new TenonError('cli/no-servers', `there is no server to serve in ${files.join(', ')}`, {
    hint: entries === 0 ? 'name one under "mcpServers"' : 'approve one: run this in a terminal, or give --trust',
  });
}
