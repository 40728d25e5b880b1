/**
 * Traces and metrics by the conventions of OpenTelemetry. Needs the package `@opentelemetry/api`, and an SDK that is set up.
 *
 * @module tenon/telemetry
 */

export { createTelemetry, type TelemetryOptions } from './telemetry/create-telemetry.js';
export type {
  GaugeCallback,
  OpenTelemetryApi,
  OpenTelemetryCounter,
  OpenTelemetryGauge,
  OpenTelemetrySpan,
} from './telemetry/opentelemetry-api.js';
export type {
  DescribeConnection,
  HostMeasurement,
  NetworkInfo,
  OutgoingTrace,
  RequestDetails,
  StoredFormat,
  Telemetry,
  TracedCall,
  TracedConnection,
  TracedRequest,
  UpstreamMeasurement,
} from './telemetry/telemetry.js';
