/**
 * Traces and metrics by the conventions of OpenTelemetry. Needs the package `@opentelemetry/api`, and an SDK that is set up.
 *
 * @module tenon/telemetry
 */

export { createTelemetry, type TelemetryOptions } from './telemetry/create-telemetry.js';
export type { OpenTelemetryApi, OpenTelemetrySpan } from './telemetry/opentelemetry-api.js';
export type { NetworkInfo, OutgoingTrace, Telemetry, TracedConnection, TracedRequest } from './telemetry/telemetry.js';
