import type { OpenTelemetryCounter, TelemetryAttributes } from './opentelemetry-api.js';
import type { TracedConnection, TracedRequest } from './telemetry.js';

/** Bounds of the histograms, in seconds. */
const BOUNDARIES = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];

interface Histogram {
  record(value: number, attributes: TelemetryAttributes): void;
}

interface Meter {
  createUpDownCounter(name: string, options: { description: string }): OpenTelemetryCounter;
  createHistogram(
    name: string,
    options: { description: string; unit: string; advice: { explicitBucketBoundaries: number[] } },
  ): Histogram;
}

/** Returns a function that reports errors of the SDK instead of throwing them. */
export type Guard = <A extends unknown[]>(run: (...args: A) => void) => (...args: A) => void;

/** Records durations, given in milliseconds. */
export interface Instruments {
  recordRequest(request: TracedRequest, duration: number, attributes: TelemetryAttributes): void;
  recordSession(session: TracedConnection, duration: number, attributes: TelemetryAttributes): void;
  /** Counts a session, or an open stream of `subscriptions/listen`. Call the returned function at its end. */
  countOpen(kind: 'session' | 'stream', role: TracedConnection['role']): () => void;
}

/** Creates the standard histograms, and one for listening requests, whose duration is that of a subscription. */
export function createInstruments(meter: Meter, guard: Guard): Instruments {
  const create = (name: string, description: string): Histogram =>
    meter.createHistogram(name, { description, unit: 's', advice: { explicitBucketBoundaries: BOUNDARIES } });
  const operations = {
    client: create('mcp.client.operation.duration', 'Duration of a request, at its sender'),
    server: create('mcp.server.operation.duration', 'Duration of a request, at its receiver'),
  };
  const sessions = {
    client: create('mcp.client.session.duration', 'Duration of a session, at the client'),
    server: create('mcp.server.session.duration', 'Duration of a session, at the server'),
  };
  const listening = create('tenon.listen.duration', 'Duration of a subscriptions/listen request');
  const open = {
    session: meter.createUpDownCounter('tenon.sessions.open', { description: 'Open sessions' }),
    stream: meter.createUpDownCounter('tenon.streams.open', { description: 'Open streams of subscriptions/listen' }),
  };
  const count = guard((kind: 'session' | 'stream', value: number, role: string) =>
    open[kind].add(value, { 'tenon.role': role }),
  );
  return {
    countOpen(kind, role) {
      count(kind, 1, role);
      return () => count(kind, -1, role);
    },
    recordRequest({ method, role }, duration, attributes) {
      const histogram = method === 'subscriptions/listen' ? listening : operations[role];
      histogram.record(duration / 1000, attributes);
    },
    recordSession: guard(({ role }, duration, attributes) => sessions[role].record(duration / 1000, attributes)),
  };
}
