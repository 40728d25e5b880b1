// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of configurations are written so

import { resolve } from 'node:path';
import type { ConfiguredServerState } from '@tenon/console/api';
import { type Host, type Policy, sanitizeName } from '@tenon/host';
import { type Command, Option } from 'commander';
import type { CliContext } from '../cli-context.js';
import type { CallFigures } from '../console/gateway/call-figures.js';
import type { GatewayParts } from '../console/gateway/console-gateway.js';
import type { DecisionLog } from '../console/gateway/decision-log.js';
import type { GatewayTraffic } from '../console/gateway/gateway-traffic.js';
import type { GatewayConsole } from '../console/open-gateway-console.js';
import { describeError } from '../error-hints.js';
import { exitCodes } from '../exit-codes.js';
import { createControlCommands } from '../gateway/control-commands.js';
import { type ControlledGateway, openControlSocket, type ServerChange } from '../gateway/control-socket.js';
import { type GatewayOptions, withCallerSignIn, withGuardOptions } from '../gateway/gateway-options.js';
import { listServerStates } from '../gateway/gateway-status.js';
import { createGatewayHealth, READY_CONDITIONS } from '../gateway/readiness.js';
import { type ReloadableGateway, watchGateway } from '../gateway/reload-gateway.js';
import { listSkipped, type ReportedServer } from '../gateway/report-servers.js';
import { reportStart } from '../gateway/report-start.js';
import { createStateListener } from '../gateway/report-state-changes.js';
import { selectServers } from '../gateway/select-servers.js';
import { approveEntries } from '../host/approve-entries.js';
import { createGatewayHost, type GatewayHost } from '../host/create-host.js';
import { createInputMemory } from '../host/input-prompt.js';
import { POLICY_EXAMPLE } from '../host/policy-example.js';
import { type Configuration, createNoServersError, readConfiguration } from '../host/read-configuration.js';
import { createHttpAuth } from '../http/http-auth.js';
import { type HttpListener, type ListenOptions, listen } from '../http/listen.js';
import { createGatewaySignIn } from '../http/sign-in.js';
import { refuseUnauthenticated, withBearer, withProtection } from '../options/auth-options.js';
import { createCommand, formatExamples } from '../options/create-command.js';
import { withEndpoints } from '../options/endpoint-options.js';
import { parseCount, parseDurationOption, parseNames, parsePort, parseSelections } from '../options/option-parsers.js';
import { toDrainTime, withDrain, withMetrics } from '../options/serving-options.js';
import { type RunningServer, runUntilSignal } from '../run-until-signal.js';
import { logError } from '../serving/log-error.js';
import { createLogTelemetry } from '../serving/trace-ids.js';
import { summaries } from '../summaries.js';
import { createUsageError } from '../usage-error.js';

const DEFAULT_PORT = 8080;

export function createGatewayCommand(context: CliContext): Command {
  const command = createCommand('gateway', summaries.gateway)
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
    .option(
      '--max-per-caller <number>',
      'maximum number of processes and connections of one caller to servers with ${caller:…} (default: 10)',
      parseCount,
    )
    .option('--idle <time>', 'time after which an unused server process is stopped (default: 30m)', parseDurationOption)
    .option('--trust', 'start the configured commands without asking for approval')
    .option('--console', 'open the page of `tenon console` for the servers of the gateway, on a port of its own')
    .option('--console-port <number>', 'port of this page on 127.0.0.1 (default: a free one)', parsePort)
    .option(
      '--console-audit <files>',
      'audit logs of other replicas that this page searches and verifies, too, with commas between them',
      parseNames,
    )
    .option('--no-reload', 'do not apply changes of the configuration files and of the policy file');
  withBearer(command, 'admit only callers that send the token in this environment variable');
  const gateway = withMetrics(withDrain(withGuardOptions(withCallerSignIn(withEndpoints(withProtection(command))))))
    .addOption(
      new Option(
        '--ready-when <condition>',
        'condition of /readyz: the gateway has started, or any or all of its servers are connected',
      )
        .choices(READY_CONDITIONS)
        .default('started'),
    )
    .option('--no-control', 'open no socket for `tenon gateway status`, `enable`, `disable`, `restart` and `reconnect`')
    .option('--json', 'print the URL and the state of servers as lines of JSON')
    .addHelpText('after', POLICY_EXAMPLE)
    .addHelpText(
      'after',
      formatExamples([
        ['tenon gateway', 'serve ./mcp.json at http://127.0.0.1:8080/mcp'],
        ['tenon gateway --stdio', 'serve the client that starts it'],
        ['tenon gateway notes.mcpb --port 9000', 'serve a bundle'],
        ['tenon gateway --policy policy.json --audit audit.jsonl', 'apply a policy and write an audit log'],
        ['tenon gateway --virtual docs=notes,search', 'also serve two of the servers at /docs'],
        ['tenon gateway status', 'list the servers of the running gateway, with their states'],
        ['tenon gateway restart notes', 'restart one of them'],
        ["tenon gateway --stdio --servers notes,'search/find_*'", 'serve one server, and some tools of another'],
        ['tenon gateway mcp.json --dry-run calls.ndjson --policy policy.json', 'decide about each recorded call'],
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
  for (const each of createControlCommands(context)) gateway.addCommand(each);
  return gateway;
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
  const configuration = await readConfiguration(context, configs, { inputs });
  const { entries, files, named } = configuration;
  const decision = await approveEntries(context, entries, trust, inputs);
  const { approved, failed } = decision;
  if (approved.length === 0) throw createNoServersError({ files, entries }, failed);
  let skipped = listSkipped(configuration, decision);
  const selections = selectServers([...named], {
    ...options,
    virtual: { ...configuration.virtualServers, ...options.virtual },
  });
  // Names depend on the configuration. A server that is disabled, invalid or not approved counts as well.
  const prefix = options.prefix === 'auto' ? (named.size > 1 ? 'always' : 'never') : options.prefix;
  // On stdio, the client is the user of this machine.
  const callerSignIn = stdio ? undefined : createGatewaySignIn(context, options);
  const { startMetrics } = await import('../serving/metrics.js');
  const metrics = await startMetrics(context, options, options.json === true && !stdio);
  const observers = options.console ? await createObservers() : undefined;
  const telemetry = metrics?.telemetry ?? createLogTelemetry();
  const measured = observers
    ? {
        telemetry: observers.traffic.observe(observers.figures.observe(telemetry)),
        observePolicy: (read: Policy) => observers.decisions.observe(read),
      }
    : { telemetry };
  const onServerState = createStateListener(context, { json: options.json === true });
  const given = { ...options, ...selections, ...measured, onServerState, ...(callerSignIn ? { callerSignIn } : {}) };
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
  let { disabled } = configuration;
  const onSkipped: ReloadableGateway['onSkipped'] = (...current) => {
    [skipped, disabled] = current;
    void reloaded.notify?.();
  };
  // The console opens after the first configuration is read.
  const reloaded: ReloadNotice = {};
  const getStates = () => listServerStates(hosting.host.describeServers(), skipped, disabled);
  const settings = { configuration, readAt, policy, trust, json, stdio, inputs, onSkipped };
  const reloadable = { gateway: hosting, entries: approved, ...settings };
  const start = async (): Promise<RunningServer> => {
    context.screen.startLog({ json });
    const watch = reload ? await watchGateway(context, reloadable) : undefined;
    const running = await serve(
      context,
      hosting,
      { configuration, observers, reloadPolicy: watch?.reloadPolicy, reloaded, getSkipped: () => skipped, getStates },
      given,
    );
    const close = () => {
      watch?.close();
      return running.close();
    };
    return { ...running, close };
  };
  await runUntilSignal(context, { close: closeAll }, start, toDrainTime(options));
}

/** Tells a part of the gateway that its configuration was read again. */
interface ReloadNotice {
  notify?: (() => Promise<void>) | undefined;
}

/** Configured servers of a gateway. */
interface ServedConfiguration {
  readonly configuration: Configuration;
  /** Observers of the calls, for the console. */
  readonly observers: GatewayObservers | undefined;
  /** Reads the policy file again. */
  readonly reloadPolicy: (() => Promise<void>) | undefined;
  readonly reloaded: ReloadNotice;
  /** Returns the servers that do not run. */
  readonly getSkipped: () => readonly ReportedServer[];
  /** Returns the states of all servers. */
  readonly getStates: () => readonly ConfiguredServerState[];
}

async function serve(
  context: CliContext,
  hosting: GatewayHost,
  { configuration, observers, reloadPolicy, reloaded, getSkipped, getStates }: ServedConfiguration,
  options: GatewayOptions,
): Promise<RunningServer> {
  const { host } = hosting;
  const { stdio = false, health, readyWhen = 'started', json = false } = options;
  const given = { ...options, health: health && createGatewayHealth(host, readyWhen, getSkipped) };
  const listening = stdio && options.port === undefined ? undefined : await serveOverHttp(context, host, given);
  const piped = stdio ? await serveOverStdio(host, options) : undefined;
  const { files } = configuration;
  const getStatus = () => ({ files, endpoints: listening?.endpoints ?? [], stdio, servers: getStates() });
  const controlled = { host, getStatus };
  const callers = observers && (await createCallerSignIns(context, options));
  const page = observers
    ? await openConsole(
        context,
        {
          ...controlled,
          callers,
          ...createConsoleParts(context, observers, { ...given, hosting }, reloadPolicy),
        },
        options,
      )
    : undefined;
  reloaded.notify = page?.updateServers;
  const control = options.control === false ? undefined : await openControl(context, controlled);
  const ending = new AbortController();
  const { signal } = ending;
  if (listening && !stdio)
    reportStart(context, host, { configuration, skipped: getSkipped(), places: listening.endpoints, signal }, json);
  return {
    ...(piped ? { ended: piped.closed } : {}),
    close: async () => {
      ending.abort();
      await Promise.all([listening?.close(), piped?.close(), control?.close(), page?.close()]);
    },
  };
}

/** Opens the console. It calls the servers through the gateway, so that its policy and audit apply. */
async function openConsole(
  context: CliContext,
  gateway: Omit<GatewayParts, 'onChange'>,
  options: GatewayOptions,
): Promise<GatewayConsole> {
  const { screen } = context;
  const { openGatewayConsole } = await import('../console/open-gateway-console.js');
  const onChange = createChangeListener(context, change => `${change} in the console`);
  const page = await openGatewayConsole(context, { ...gateway, onChange }, { port: options.consolePort ?? 0 });
  const { url, readOnlyUrl } = page;
  if (screen.logsJson) screen.printEvent({ event: 'console', url, readOnlyUrl });
  else screen.note(`console: ${url}\nconsole, read-only: ${readOnlyUrl}`);
  return page;
}

/** Observers of the calls of all callers, for the console. */
interface GatewayObservers {
  readonly figures: CallFigures;
  readonly decisions: DecisionLog;
  readonly traffic: GatewayTraffic;
}

/** Loads the code for the console, which most gateways do not need. */
async function createObservers(): Promise<GatewayObservers> {
  const [{ CallFigures: Figures }, { DecisionLog: Log }, { GatewayTraffic: Traffic }] = await Promise.all([
    import('../console/gateway/call-figures.js'),
    import('../console/gateway/decision-log.js'),
    import('../console/gateway/gateway-traffic.js'),
  ]);
  return { figures: new Figures(), decisions: new Log(), traffic: new Traffic() };
}

/** Creates the parts of the console about the calls of all callers. */
function createConsoleParts(
  { cwd }: CliContext,
  { figures, decisions, traffic }: GatewayObservers,
  {
    policy,
    prefix,
    budget,
    audit,
    consoleAudit = [],
    hosting,
  }: Pick<GatewayOptions, 'policy' | 'prefix' | 'budget' | 'audit' | 'consoleAudit'> & {
    readonly hosting: GatewayHost;
  },
  reload: (() => Promise<void>) | undefined,
): Pick<GatewayParts, 'figures' | 'traffic' | 'policy' | 'lock' | 'audit'> {
  const file = policy === undefined ? undefined : resolve(cwd, policy);
  const getSetting = () => ({ servers: hosting.getEntries(), prefix, hasBudget: budget !== undefined });
  const files = [...(audit === undefined ? [] : [audit]), ...consoleAudit].map(each => resolve(cwd, each));
  const { host, lock, getEntries } = hosting;
  const { log, key, readAnchors } = hosting.audit;
  return {
    figures,
    traffic,
    policy: { decisions, file, reload, getSetting },
    lock: { host, lock, getEntries, audit: log },
    audit: { files, key, readAnchors },
  };
}

/** Lists the sign-ins of callers for the console. Without the sign-in of callers, there are none. */
async function createCallerSignIns(
  context: CliContext,
  { callerSignIn }: Pick<GatewayOptions, 'callerSignIn'>,
): Promise<GatewayParts['callers']> {
  if (!callerSignIn) return undefined;
  const { CallerSignIns } = await import('../console/sign-in/caller-sign-ins.js');
  const { openTokenStore } = await import('../http/token-store.js');
  return new CallerSignIns(openTokenStore(context, 'caller-tokens'), callerSignIn);
}

/** Reports changes of servers. */
function createChangeListener(
  { screen }: CliContext,
  describe: (change: ServerChange) => string,
): ControlledGateway['onChange'] {
  return (change, { name, state, reason, protocolVersion }) => {
    if (screen.logsJson) screen.printEvent({ event: 'server', name, state, reason, protocolVersion });
    else screen.note(`server ${sanitizeName(name)}: ${state} after ${describe(change)}`);
  };
}

/** Opens the control socket. The gateway also serves without it, for example where no file can be written. */
async function openControl(
  context: CliContext,
  gateway: Omit<ControlledGateway, 'onChange'>,
): Promise<{ close(): Promise<void> } | undefined> {
  const onChange = createChangeListener(context, change => `\`tenon gateway ${change}\``);
  try {
    return await openControlSocket(context, { ...gateway, onChange });
  } catch (error) {
    context.screen.note(`\`tenon gateway status\` cannot reach this gateway: ${describeError(error)}`, 'warning');
    return undefined;
  }
}

function serveOverHttp(
  context: CliContext,
  host: Host,
  options: Omit<GatewayOptions, 'health'> & Pick<ListenOptions, 'health'>,
): Promise<HttpListener> {
  return listen(host, {
    port: options.port ?? DEFAULT_PORT,
    ...(options.host === undefined ? {} : { host: options.host }),
    ...(options.allowedHosts ? { allowedHosts: options.allowedHosts } : {}),
    ...(options.servers ? { servers: options.servers } : {}),
    ...(options.virtual ? { virtual: options.virtual } : {}),
    health: options.health,
    basePath: options.basePath,
    cors: options.cors,
    drain: { timeout: options.drainTimeout, delay: options.drainDelay },
    createAuth: path => createHttpAuth(options, context.env, path),
    ...(options.callerSignIn ? { pages: options.callerSignIn } : {}),
    onError: error => logError(context.screen, error),
  });
}

async function serveOverStdio(host: Host, { servers }: GatewayOptions) {
  const { serveStdio } = await import('tenon/stdio');
  return serveStdio(host.toServer(servers ? { servers } : {}), { exit: false });
}
