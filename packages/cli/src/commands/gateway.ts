import { type Command, Option } from 'commander';
import type { Host } from 'tenon/host';
import { isLoopbackHost } from 'tenon/node';
import type { CliContext } from '../cli-context.js';
import { describeError } from '../error-hints.js';
import { exitCodes } from '../exit-codes.js';
import type { MetricsAddress, MetricsServer } from '../gateway/metrics.js';
import { watchGateway } from '../gateway/reload-gateway.js';
import { selectServers } from '../gateway/select-servers.js';
import { APPROVAL_MODES } from '../host/approvals.js';
import { approveEntries } from '../host/approve-entries.js';
import { createGatewayHost, type GatewayHostOptions } from '../host/create-host.js';
import { formatStates, probeServers, shortenReason } from '../host/host-reports.js';
import { createInputMemory } from '../host/input-prompt.js';
import { createNoServersError, readConfiguration } from '../host/read-configuration.js';
import { createHttpAuth } from '../http/http-auth.js';
import { type HttpListener, listen, type ServedEndpoint } from '../http/listen.js';
import { type CallerSignInCommandOptions, createGatewaySignIn } from '../http/sign-in.js';
import {
  parseAddress,
  parseCount,
  parseDuration,
  parseNames,
  parsePort,
  parsePublicUrl,
  parseSelections,
} from '../option-parsers.js';
import { type RunningServer, runUntilSignal } from '../run-until-signal.js';
import { formatColumns } from '../screen.js';
import { summaries } from '../summaries.js';
import { createUsageError } from '../usage-error.js';
import { type CallerOptions, refuseUnauthenticated, withBearer, withProtection } from './auth-options.js';
import { createCommand, formatExamples } from './command.js';
import { type DrainOptions, toDrainTime, withDrain, withStore } from './serving-options.js';

interface GatewayOptions extends GatewayHostOptions, CallerOptions, CallerSignInCommandOptions, DrainOptions {
  readonly port?: number;
  readonly stdio?: boolean;
  readonly servers?: readonly string[];
  readonly virtual?: Readonly<Record<string, readonly string[]>>;
  readonly trust?: boolean;
  readonly json?: boolean;
  /** Address of the metrics. `true` for the default. */
  readonly metrics?: MetricsAddress | true;
  /**
   * Applies changes of the configuration files and of the policy file.
   * @default `true`
   */
  readonly reload?: boolean;
  /** Path of a recording. The gateway then only reports the decisions of its policy. */
  readonly dryRun?: string;
  readonly principal?: string;
}

const DEFAULT_PORT = 8080;
/** Default address of the metrics, at the port that exporters of OpenTelemetry use. */
const METRICS: MetricsAddress = { host: '127.0.0.1', port: 9464 };

export function gatewayCommand(context: CliContext): Command {
  const own = createCommand('gateway', summaries.gateway)
    .argument(
      '[config...]',
      'configuration files, or bundles (.mcpb); default: ./mcp.json, else the configuration in this folder',
    )
    .option(
      '--port <number>',
      `where to serve over HTTP (default: ${DEFAULT_PORT}; with --stdio: only when given)`,
      parsePort,
    )
    .option('--stdio', 'serve on standard input and output')
    .option('--servers <names>', 'offer only these servers, virtual servers, or SERVER/NAME', parseNames)
    .option('--virtual <name=servers>', 'also offer these servers or SERVER/NAME at /NAME; repeatable', parseSelections)
    .option('--max-processes <number>', 'maximum number of server processes (default: 100)', parseCount)
    .option('--idle <time>', 'time after which an unused server process is stopped (default: 30m)', parseDuration)
    .option('--trust', 'start the configured commands without asking for approval')
    .option('--no-reload', 'do not apply changes of the configuration files and of the policy file');
  withBearer(own, 'admit only callers that send the token in this environment variable');
  return withDrain(withGuardOptions(withCallerSignIn(withProtection(own, parseNames))))
    .option(
      '--metrics [address]',
      `serve /metrics for Prometheus at this port or HOST:PORT (default: ${METRICS.host}:${METRICS.port})`,
      parseAddress,
    )
    .option('--json', 'print the URL and the state of servers as lines of JSON')
    .addHelpText(
      'after',
      formatExamples([
        ['tenon gateway', 'serve ./mcp.json at http://127.0.0.1:8080/mcp'],
        ['tenon gateway --stdio', 'serve the client that starts it'],
        ['tenon gateway notes.mcpb --port 9000', 'serve a bundle'],
        ['tenon gateway --policy policy.json --audit audit.jsonl', 'apply a policy and write an audit log'],
        ['tenon gateway --virtual docs=notes,search', 'also serve two of the servers at /docs'],
        ["tenon gateway --stdio --servers notes,'search/find_*'", 'serve one server, and some tools of another'],
        ['tenon gateway --dry-run calls.ndjson --policy policy.json', 'show the decision about each recorded call'],
      ]),
    )
    .action(async (configs: string[], options: GatewayOptions) => {
      const { dryRun } = options;
      if (dryRun === undefined) await runGateway(context, configs, options);
      else {
        const { reportDecisions } = await import('../recording/report-decisions.js');
        await reportDecisions(context, configs, { ...options, recording: dryRun });
      }
      context.code = exitCodes.success;
    });
}

function withCallerSignIn(own: Command): Command {
  return own
    .option(
      '--public-url <url>',
      'URL of this gateway for browsers (default: the origin of --audience)',
      parsePublicUrl,
    )
    .option(
      '--client-id <id>',
      'with --issuer: ID of a client that is registered there with the redirect URI PUBLIC-URL/sign-in/callback',
    )
    .option('--client-secret-env <VARIABLE>', 'environment variable with the client secret');
}

function withGuardOptions(own: Command): Command {
  return withStore(own, 'store of tasks, questions and long results: redis://…, postgres://…, sqlite:PATH or a path')
    .option('--policy <file>', 'policy file: rules that allow, deny or ask about calls')
    .option('--list-denied', 'list what the policy always denies to a caller')
    .option('--dry-run <recording>', 'report the decision of the policy about each recorded call, and serve nothing')
    .option('--principal <name>', 'with --dry-run: the calling user (default: anonymous)')
    .addOption(
      new Option(
        '--approve <by>',
        'person who approves calls (default: terminal if there is one, else client)',
      ).choices(APPROVAL_MODES),
    )
    .option('--lock [file]', 'lock file to enforce (default: mcp.lock if it exists)')
    .option('--no-lock', 'enforce no lock file')
    .addOption(
      new Option('--drift <what>', 'handling of changes against the lock file').choices(['block', 'ask', 'warn']),
    )
    .option('--audit <file>', 'audit log file')
    .option('--audit-key-env <VARIABLE>', 'environment variable with the key that signs the audit log')
    .addOption(
      new Option('--prefix <when>', 'prefix names with the server name; auto: only with several servers')
        .choices(['auto', 'always', 'never'])
        .default('always'),
    )
    .addOption(
      new Option('--screening <what>', 'handling of texts that look like instructions to a model').choices([
        'report',
        'mask',
        'block',
      ]),
    )
    .option(
      '--budget <tokens>',
      'token budget: above it, offer tools that search, describe and call the others',
      parseCount,
    )
    .option('--max-output <characters>', 'maximum length of a result; the rest is available by a link', parseCount)
    .option('--print-url', 'show the sign-in URL of a server instead of opening a browser');
}

async function runGateway(context: CliContext, configs: readonly string[], options: GatewayOptions): Promise<void> {
  const { stdio = false, trust = false } = options;
  if (stdio && options.json)
    throw createUsageError('--json cannot be used with --stdio, because stdout carries the protocol', 'remove --json');
  if (stdio) {
    context.screen.releaseStdout();
    context.terminal.releaseStdin();
  }
  if (!stdio || options.port !== undefined) refuseUnauthenticated(context, options);
  const inputs = createInputMemory(context);
  const readAt = Date.now();
  const configuration = await readConfiguration(context, configs, inputs);
  const { entries, files, named } = configuration;
  const { approved, failed } = await approveEntries(context, entries, trust, inputs);
  if (approved.length === 0) throw createNoServersError({ files, entries }, failed);
  const selections = selectServers([...named], {
    ...options,
    virtual: { ...configuration.virtualServers, ...options.virtual },
  });
  // Names depend on the configuration. A server that is disabled, invalid or not approved counts as well.
  const prefix = options.prefix === 'auto' ? (named.size > 1 ? 'always' : 'never') : options.prefix;
  // On stdio, the client is the user of this machine.
  const callerSignIn = stdio ? undefined : createGatewaySignIn(context, options);
  const metrics = await startMetrics(context, options);
  const measured = metrics ? { telemetry: metrics.telemetry } : {};
  const given = { ...options, ...selections, ...measured, ...(callerSignIn ? { callerSignIn } : {}) };
  const creating = createGatewayHost(context, approved, { ...given, ...(prefix ? { prefix } : {}) });
  const hosting = await creating.catch(async error => {
    await metrics?.close();
    throw error;
  });
  const { policy, json = false, reload = true } = options;
  const closeAll = async () => {
    await hosting.close();
    await metrics?.close();
  };
  const reloadable = { gateway: hosting, configuration, readAt, entries: approved, policy, trust, json, stdio, inputs };
  const start = async (): Promise<RunningServer> => {
    const watch = reload ? await watchGateway(context, reloadable) : undefined;
    const running = await serve(context, hosting.host, files, given);
    const close = () => {
      watch?.close();
      return running.close();
    };
    return { ...running, close };
  };
  await runUntilSignal(context, { close: closeAll }, start, toDrainTime(options));
}

async function startMetrics(
  { screen }: CliContext,
  { metrics, json, stdio = false }: GatewayOptions,
): Promise<MetricsServer | undefined> {
  if (metrics === undefined) return undefined;
  const { serveMetrics } = await import('../gateway/metrics.js');
  const address = metrics === true ? METRICS : metrics;
  const server = await serveMetrics(address);
  if (json && !stdio) screen.printJson({ event: 'metrics', url: server.url });
  else screen.note(`metrics: ${server.url}`);
  if (!isLoopbackHost(address.host))
    screen.note('Every machine that reaches this address can read the metrics.', 'warning');
  return server;
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
  // The report waits for the slowest server. The gateway serves requests and can be stopped meanwhile.
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
    health: options.health,
    drain: { timeout: options.drainTimeout, delay: options.drainDelay },
    createAuth: path => createHttpAuth(options, context.env, path),
    ...(options.callerSignIn ? { pages: options.callerSignIn } : {}),
    onError: error => context.screen.note(describeError(error), 'error'),
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
      screen.printJson({
        event: 'server',
        ...server,
        ...(reason === undefined ? {} : { reason: shortenReason(reason) }),
      });
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
