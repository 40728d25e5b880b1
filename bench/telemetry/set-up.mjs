// @ts-check
/** The API and the SDK of OpenTelemetry, as programs set them up. Nothing is exported. */
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

/** Without an SDK the API records nothing. */
export const setUpApi = () => api;

/** Records measurements. Nothing keeps contexts. */
export function setUpMetrics() {
  api.metrics.setGlobalMeterProvider(createMeters());
  return api;
}

/** Records measurements and keeps contexts, as `tenon gateway --metrics` does. */
export function setUpGateway() {
  api.context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  return setUpMetrics();
}

/** Makes spans, which a processor drops at their end, and measurements. */
export function setUpSpans() {
  const drop = { onStart() {}, onEnd() {}, forceFlush: async () => {}, shutdown: async () => {} };
  api.propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  api.trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [drop] }));
  return setUpGateway();
}

function createMeters() {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  return new MeterProvider({
    readers: [new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 2 ** 30 })],
  });
}
