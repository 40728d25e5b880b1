import { AsyncLocalStorage } from 'node:async_hooks';
import { context, metrics, propagation, trace } from '@opentelemetry/api';
import { createTelemetry, type Telemetry } from 'tenon/telemetry';

/** Version, trace ID and parent ID of the header `traceparent` of W3C Trace Context. */
const TRACEPARENT = /^[\da-f]{2}-([\da-f]{32})-[\da-f]{16}-[\da-f]{2}/;

const traceIds = new AsyncLocalStorage<string>();

/** Returns the ID of the trace of the request that is being served: of the active span, else of the sender. */
export function getTraceId(): string | undefined {
  return trace.getActiveSpan()?.spanContext().traceId ?? traceIds.getStore();
}

/** Creates a telemetry for logs with trace IDs. It measures nothing, unless the program has set up OpenTelemetry. */
export const createLogTelemetry = (): Telemetry =>
  withTraceIds(createTelemetry({ api: { trace, context, propagation, metrics }, baggage: true }));

/**
 * Remembers the trace ID that the sender of a request has set in `_meta.traceparent`, while the request is served.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic
 */
export function withTraceIds(telemetry: Telemetry): Telemetry {
  const observed: Telemetry = {
    ...telemetry,
    createPeer: (transport, handler, clock, describe, tracer = observed) =>
      telemetry.createPeer(transport, handler, clock, describe, tracer),
    traceIncoming(request, serve) {
      const traceId = findTraceId(request.params?._meta);
      const run = traceId === undefined ? serve : () => traceIds.run(traceId, serve);
      return telemetry.traceIncoming(request, run);
    },
  };
  return observed;
}

function findTraceId(meta: unknown): string | undefined {
  const traceparent = typeof meta === 'object' && meta !== null && 'traceparent' in meta ? meta.traceparent : undefined;
  return typeof traceparent === 'string' ? TRACEPARENT.exec(traceparent)?.[1] : undefined;
}
