import cluster from 'node:cluster';
import { dirname, resolve } from 'node:path';
import { setServerDefaults } from '@tenon/base';
import type { Command } from 'commander';
import type { Stores } from 'tenon';
import { type HttpServer, type ServeHttpOptions, serveHttp } from 'tenon/node';
import type { CliContext } from '../cli-context.js';
import { exitCodes } from '../exit-codes.js';
import { createHttpAuth } from '../http/http-auth.js';
import { formatNextCommands } from '../http/next-commands.js';
import { type CallerOptions, refuseUnauthenticated, withBearer, withProtection } from '../options/auth-options.js';
import { createCommand, formatExamples } from '../options/create-command.js';
import { createEndpointSettings, type EndpointOptions, withEndpoints } from '../options/endpoint-options.js';
import { parsePort, parseWorkers } from '../options/option-parsers.js';
import { type DrainOptions, withDrain, withMetrics, withStore } from '../options/serving-options.js';
import { DRAIN_TIMEOUT, runUntilSignal } from '../run-until-signal.js';
import { formatColumns } from '../screen.js';
import { applyConfiguration } from '../serve/apply-configuration.js';
import { type LoadedServer, loadServer } from '../serve/load-server.js';
import { logError } from '../serving/log-error.js';
import { type MetricsOptions, startMetrics } from '../serving/metrics.js';
import { createLogTelemetry } from '../serving/trace-ids.js';
import { openStores, type StoreOptions } from '../stores/open-stores.js';
import { readSealKeys } from '../stores/seal-keys.js';
import { summaries } from '../summaries.js';
import { createUsageError } from '../usage-error.js';

interface ServeOptions extends CallerOptions, EndpointOptions, StoreOptions, DrainOptions, MetricsOptions {
  readonly config?: string;
  readonly port: number;
  readonly stdio?: boolean;
  readonly workers?: number | 'auto';
  readonly clientAddressHeader?: string;
  readonly readyWithoutStore?: boolean;
  readonly json?: boolean;
}

const DEFAULT_PORT = 3000;

export function createServeCommand(context: CliContext): Command {
  const command = createCommand('serve', summaries.serve)
    .argument('[file]', 'JavaScript or TypeScript module that exports a server; FILE#NAME chooses an export')
    .option('--config <file>', 'JSON file with these options in camel case, and the module as `server`')
    .option('--port <number>', 'where to serve over HTTP; 0 selects a free port', parsePort, DEFAULT_PORT)
    .option('--stdio', 'serve on standard input and output instead')
    .option('--workers <number>', 'processes that share the port, or auto: one for each processor', parseWorkers);
  withStore(
    command,
    'store of sessions, tasks and streams: redis://…, postgres://…, sqlite:PATH (default: in memory)',
  ).option(
    '--client-address-header <name>',
    'header with the address of a client; the proxy in front must overwrite it',
  );
  withBearer(command, 'admit only callers that send the token in this environment variable');
  return withMetrics(withDrain(withEndpoints(withProtection(command))))
    .option('--ready-without-store', 'keep /readyz at 200 while the store does not respond')
    .option('--json', 'print events as lines of JSON with time and level: listening, error, draining, closed')
    .addHelpText(
      'after',
      formatExamples([
        ['tenon serve server.js', 'serve at http://127.0.0.1:3000/mcp'],
        ['tenon serve server.ts#admin --port 8080', 'serve another export, written in TypeScript'],
        ['tenon serve server.js --store-env REDIS_URL --keys-env KEYS', 'one of several replicas'],
        ['tenon serve server.js --workers auto --store sqlite:state.db', 'use all processors of this machine'],
        ['tenon serve --config serve.json', 'take the options from a file'],
      ]),
    )
    .action(async (file: string | undefined, _: unknown, command: Command) => {
      const { config } = command.opts<ServeOptions>();
      const configured = config === undefined ? undefined : applyConfiguration(command, resolve(context.cwd, config));
      const reference = file ?? configured;
      if (reference === undefined) throw createUsageError('no server module', 'pass a file: tenon serve server.js');
      const base = file === undefined && config !== undefined ? dirname(resolve(context.cwd, config)) : context.cwd;
      await serveModule(context, reference, base, command.opts<ServeOptions>());
      context.code = exitCodes.success;
    });
}

async function serveModule(
  context: CliContext,
  reference: string,
  folder: string,
  options: ServeOptions,
): Promise<void> {
  if (options.stdio) {
    if (options.json || options.workers !== undefined)
      throw createUsageError('--stdio cannot be used with --json or --workers', 'remove them, or serve over HTTP');
    context.screen.releaseStdout();
    context.terminal.releaseStdin();
  } else refuseUnauthenticated(context, options);
  const { json = false } = options;
  const keys = await readSealKeys(context, options, folder);
  const metrics = await startMetrics(context, options, json);
  const stores = await openStores(context, options, folder);
  try {
    context.screen.startLog({ json });
    const onError = (error: unknown) => logError(context.screen, error);
    const telemetry = metrics?.telemetry ?? createLogTelemetry();
    setServerDefaults({ stores, keys, onError, telemetry });
    const server = await loadServer(reference, folder);
    if (options.stdio) await serveOverStdio(context, server, stores);
    else await serveOverHttp(context, server, stores, options);
  } catch (error) {
    await stores?.close();
    await metrics?.close();
    throw error;
  }
}

async function serveOverStdio(context: CliContext, server: LoadedServer, stores: Stores | undefined): Promise<void> {
  const { serveStdio } = await import('tenon/stdio');
  const close = async () => {
    server.close?.();
    await stores?.close();
  };
  await runUntilSignal(context, { close }, async () => {
    const { closed, close: closePipe } = await serveStdio(server, { exit: false });
    return { ended: closed, close: closePipe };
  });
}

/** Serves until a signal. `serveHttp` then closes the server and exits the process. */
async function serveOverHttp(
  { screen, env }: CliContext,
  server: LoadedServer,
  stores: Stores | undefined,
  options: ServeOptions,
): Promise<never> {
  const isPrimary = !cluster.isWorker;
  const http = await serveHttp(server, {
    ...toListenOptions(options),
    ...createEndpointSettings(options, options.health && { stores: options.readyWithoutStore !== true }),
    ...createHttpAuth(options, env),
    onError: error => logError(screen, error),
    exitOnSignal: {
      timeout: options.drainTimeout ?? DRAIN_TIMEOUT,
      delay: options.drainDelay,
      async onClose() {
        server.close?.();
        await stores?.close();
        if (isPrimary && options.json) screen.printEvent({ event: 'closed' });
      },
    },
  });
  if (isPrimary) announce({ screen, env }, http, options);
  return new Promise(() => {});
}

function toListenOptions(options: ServeOptions): ServeHttpOptions {
  const { port, host, allowedHosts, workers, clientAddressHeader } = options;
  return {
    port,
    host,
    allowedHosts,
    workers,
    ...(clientAddressHeader === undefined
      ? {}
      : { clientAddress: request => request.header(clientAddressHeader.toLowerCase()) }),
    // The command itself refuses to serve other machines without authorization.
    allowUnauthenticated: true,
  };
}

function announce(
  { screen, env }: Pick<CliContext, 'screen' | 'env'>,
  { url, sseUrl }: HttpServer,
  { json, health, basePath = '' }: ServeOptions,
): void {
  const { origin } = new URL(url);
  const probes = health ? { live: `${origin}${basePath}/healthz`, ready: `${origin}${basePath}/readyz` } : {};
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.once(signal, () => (json ? screen.printEvent({ event: 'draining', signal }) : screen.note('draining')));
  if (json) return screen.printEvent({ event: 'listening', url, sseUrl, ...probes, pid: process.pid });
  const rows = [[url, 'Streamable HTTP'], ...(sseUrl === undefined ? [] : [[sseUrl, 'HTTP+SSE']])];
  for (const [name, probe] of Object.entries(probes)) rows.push([probe, `health: ${name}`]);
  screen.print(`\n${formatColumns(rows)}\n\n${formatNextCommands({ env }, url)}\n\nCtrl-C ends it.`);
}
