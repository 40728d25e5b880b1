import * as api from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { CompositePropagator, W3CBaggagePropagator, W3CTraceContextPropagator } from '@opentelemetry/core';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { afterAll, afterEach, beforeAll } from 'vitest';

/** Sets the real SDK up, with exporters in memory. */
export function setUpSdk() {
  const spans = new InMemorySpanExporter();
  const metrics = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter: metrics, exportIntervalMillis: 2 ** 30 });
  const tracers = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] });
  const meters = new MeterProvider({ readers: [reader] });
  const contexts = new AsyncLocalStorageContextManager().enable();
  api.context.setGlobalContextManager(contexts);
  api.propagation.setGlobalPropagator(
    new CompositePropagator({ propagators: [new W3CTraceContextPropagator(), new W3CBaggagePropagator()] }),
  );
  api.trace.setGlobalTracerProvider(tracers);
  api.metrics.setGlobalMeterProvider(meters);
  return {
    /** Returns the finished spans, without those of earlier calls. */
    takeSpans(): ReadableSpan[] {
      const finished = spans.getFinishedSpans();
      spans.reset();
      return finished;
    },
    /** Returns all measurements so far: the name of the instrument, the attributes, and how many there are. */
    async readMeasurements() {
      await reader.forceFlush();
      const [last] = metrics.getMetrics().slice(-1);
      return (last?.scopeMetrics ?? []).flatMap(scope =>
        scope.metrics.flatMap(({ descriptor, dataPoints }) =>
          dataPoints.map(({ attributes, value }) => ({
            name: descriptor.name,
            unit: descriptor.unit,
            attributes,
            /** The value of a counter or a gauge. */
            value,
            count: (value as { count: number }).count,
            boundaries: (value as { buckets?: { boundaries: number[] } }).buckets?.boundaries,
          })),
        ),
      );
    },
    async shutDown() {
      api.trace.disable();
      api.metrics.disable();
      api.context.disable();
      api.propagation.disable();
      await Promise.all([tracers.shutdown(), meters.shutdown()]);
    },
  };
}

/** Sets the SDK up for the tests of one file, and closes after each test what it has opened. */
export function useSdk() {
  let sdk: ReturnType<typeof setUpSdk>;
  const closing: (() => unknown)[] = [];
  beforeAll(() => {
    sdk = setUpSdk();
  });
  afterAll(() => sdk.shutDown());
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
    sdk.takeSpans();
  });
  return {
    takeSpans: () => sdk.takeSpans(),
    readMeasurements: () => sdk.readMeasurements(),
    use<T extends { close(): unknown }>(thing: T): T {
      closing.push(() => thing.close());
      return thing;
    },
  };
}
