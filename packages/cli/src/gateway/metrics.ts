import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Context, propagation, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { isLoopbackHost } from 'tenon/node';
import { createTelemetry, type Telemetry } from 'tenon/telemetry';
import { createHttpServer, startListening } from '../http/listen.js';

/** Address of the metrics. */
export interface MetricsAddress {
  readonly host: string;
  readonly port: number;
}

/** Metrics of a gateway, in the text format of Prometheus. */
export interface MetricsServer {
  /** Pass it to the host. */
  readonly telemetry: Telemetry;
  readonly url: string;
  close(): Promise<void>;
}

const PATH = '/metrics';
const HISTOGRAMS = [
  ...['mcp.server.operation.duration', 'mcp.client.operation.duration'],
  ...['mcp.server.session.duration', 'mcp.client.session.duration', 'tenon.listen.duration'],
] as const;

/** Serves the measurements of a telemetry at a port of their own, because they are not for the callers. */
export async function serveMetrics({ host, port }: MetricsAddress): Promise<MetricsServer> {
  const exporter = new PrometheusExporter({
    preventServerStart: true,
    withoutScopeInfo: true,
    withoutTargetInfo: true,
  });
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
  const server = createHttpServer((request, response) => {
    const status = findRefusal(request, host);
    if (status !== undefined) response.writeHead(status).end();
    else exporter.getMetricsRequestHandler(request as IncomingMessage, response as ServerResponse);
  });
  const origin = await startListening(server, port, host, { port: '--metrics', host: '--metrics' });
  return {
    // The gateway passes the baggage of callers on without metrics, too.
    telemetry: createTelemetry({ api: { trace, context, propagation, metrics }, baggage: true }),
    url: origin + PATH,
    async close() {
      const closed = new Promise<void>(resolve => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
      await meters.shutdown();
    },
  };
}

/** Returns the status of a request that is no scrape. A web page must not read loopback under a name of its own. */
function findRefusal({ method, url = '', headers }: IncomingMessage, host: string): number | undefined {
  if (url.split('?', 1)[0] !== PATH) return 404;
  if (method !== 'GET' && method !== 'HEAD') return 405;
  const name = (headers.host ?? '').replace(/:\d+$/, '');
  return isLoopbackHost(host) && !isLoopbackHost(name) ? 403 : undefined;
}
