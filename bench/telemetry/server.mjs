// @ts-check
/**
 * Tenon with and without telemetry. The argument is the mode: `none`; `api` has no SDK, so that nothing is recorded; `metrics` records
 * measurements as `tenon gateway --metrics` does; `spans` makes spans as well, which a processor drops at their end.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import * as api from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider } from '@opentelemetry/sdk-trace-base';
import { createServer, tool } from 'tenon';
import { serveHttp } from 'tenon/node';
import { createTelemetry } from 'tenon/telemetry';

const [mode] = process.argv.slice(2);
const setUps = { api: () => api, metrics: setUpMetrics, spans: setUpSpans };
const telemetry =
  mode === 'none' ? undefined : createTelemetry({ api: setUps[/** @type {keyof typeof setUps} */ (mode)]() });
const server = createServer({
  name: 'bench',
  version: '1.0.0',
  tools: {
    echo: tool({
      input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
      run: (/** @type {{ text: string }} */ { text }) => text,
    }),
  },
  ...(telemetry ? { telemetry } : {}),
});
const { url } = await serveHttp(server, { port: 0 });
console.log(url);

function createMeters() {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  return new MeterProvider({
    readers: [new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 2 ** 30 })],
  });
}

function setUpMetrics() {
  const meters = createMeters();
  /** @type {AsyncLocalStorage<api.Context>} */
  const contexts = new AsyncLocalStorage();
  const context = {
    active: () => contexts.getStore() ?? api.ROOT_CONTEXT,
    with: (/** @type {api.Context} */ active, /** @type {() => any} */ run) => contexts.run(active, run),
  };
  return { ...api, context, metrics: { getMeter: meters.getMeter.bind(meters) } };
}

function setUpSpans() {
  const drop = { onStart() {}, onEnd() {}, forceFlush: async () => {}, shutdown: async () => {} };
  api.context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  api.propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  api.trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [drop] }));
  api.metrics.setGlobalMeterProvider(createMeters());
  return api;
}
