import { AsyncLocalStorage } from 'node:async_hooks';
import cluster from 'node:cluster';
import type { IncomingMessage } from 'node:http';
import { type Context, propagation, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { parseHostHeader } from '@tenon/base';
import { isLoopbackHost } from 'tenon/node';
import { createTelemetry, type Telemetry } from 'tenon/telemetry';
import type { CliContext } from '../cli-context.js';
import { createHttpServer, startListening } from '../http/listen.js';
import { withTraceIds } from './trace-ids.js';
import { collectFromWorkers, mergeMetrics, sendToPrimary } from './worker-metrics.js';

/** Address of the metrics. */
export interface MetricsAddress {
  readonly host: string;
  readonly port: number;
}

/** Measurements of this process. */
interface Measurements {
  /** Pass it to the server or the host. */
  readonly telemetry: Telemetry;
  close(): Promise<void>;
}

/** Metrics of a server or gateway, in the text format of Prometheus. */
export interface MetricsServer extends Measurements {
  readonly url: string;
}

/** Default address of the metrics, at the port that exporters of OpenTelemetry use. */
const DEFAULT_ADDRESS: MetricsAddress = { host: '127.0.0.1', port: 9464 };

export interface MetricsOptions {
  /** Address of the metrics. `true` for the default. */
  readonly metrics?: MetricsAddress | true;
  /** Number of processes that serve. With several, the primary process serves the metrics of all. */
  readonly workers?: number | 'auto';
}

/** Starts the metrics that the options request, and prints their URL. A worker sends its metrics to the primary process. */
export async function startMetrics(
  { screen }: CliContext,
  { metrics, workers = 1 }: MetricsOptions,
  json: boolean,
): Promise<Measurements | undefined> {
  if (metrics === undefined) return undefined;
  if (workers !== 1 && cluster.isWorker) {
    const meters = createMeters();
    sendToPrimary(meters.collect, error => screen.note(`metrics of a worker: ${String(error)}`, 'warning'));
    return meters;
  }
  const address = metrics === true ? DEFAULT_ADDRESS : metrics;
  const server = await serveMetrics(address);
  if (json) screen.printEvent({ event: 'metrics', url: server.url });
  else screen.note(`metrics: ${server.url}`);
  if (!isLoopbackHost(address.host))
    screen.note('Every machine that reaches this address can read the metrics.', 'warning');
  return server;
}

const PATH = '/metrics';
const HISTOGRAMS = [
  ...['mcp.server.operation.duration', 'mcp.client.operation.duration'],
  ...['mcp.server.session.duration', 'mcp.client.session.duration', 'tenon.listen.duration'],
] as const;

interface Meters extends Measurements {
  /** Returns the measurements in the text format of Prometheus. */
  collect(): Promise<string>;
}

function createMeters(): Meters {
  const exporter = new PrometheusExporter({ preventServerStart: true });
  const serializer = new PrometheusSerializer(undefined, false, undefined, true, true);
  // Prometheus expects the unit in the name.
  const views = HISTOGRAMS.map(name => ({ instrumentName: name, name: `${name}.seconds` }));
  const meters = new MeterProvider({ readers: [exporter], views });
  const metrics = { getMeter: meters.getMeter.bind(meters) };
  // Facts about a call are added to its measurement while it runs.
  const contexts = new AsyncLocalStorage<Context>();
  const context = {
    active: () => contexts.getStore() ?? ROOT_CONTEXT,
    with: <T>(active: Context, run: () => T): T => contexts.run(active, run),
  };
  return {
    // A gateway passes the baggage of callers on without metrics, too.
    telemetry: withTraceIds(createTelemetry({ api: { trace, context, propagation, metrics }, baggage: true })),
    collect: async () => serializer.serialize((await exporter.collect()).resourceMetrics),
    close: () => meters.shutdown(),
  };
}

/** Serves the measurements of a telemetry at a port of their own, because they are not for the callers. */
export async function serveMetrics({ host, port }: MetricsAddress): Promise<MetricsServer> {
  const { telemetry, collect, close } = createMeters();
  const workers = collectFromWorkers();
  const collectAll = async () => (workers.size > 0 ? mergeMetrics(await workers.collect()) : collect());
  const server = createHttpServer((request, response) => {
    const status = findRefusal(request, host);
    if (status !== undefined) return response.writeHead(status, status === 405 ? { allow: 'GET, HEAD' } : {}).end();
    collectAll().then(
      text => response.writeHead(200, { 'content-type': 'text/plain' }).end(text),
      (error: unknown) => response.writeHead(500, { 'content-type': 'text/plain' }).end(String(error)),
    );
  });
  const origin = await startListening(server, port, host, { port: '--metrics', host: '--metrics' });
  return {
    telemetry,
    url: origin + PATH,
    async close() {
      workers.close();
      const closed = new Promise<void>(resolve => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
      await close();
    },
  };
}

/** Returns the status of a request that is no scrape. A web page must not read loopback under a name of its own. */
function findRefusal({ method, url = '', headers }: IncomingMessage, host: string): number | undefined {
  if (url.split('?', 1)[0] !== PATH) return 404;
  if (method !== 'GET' && method !== 'HEAD') return 405;
  const name = parseHostHeader(headers.host ?? '') ?? '';
  return isLoopbackHost(host) && !isLoopbackHost(name) ? 403 : undefined;
}
