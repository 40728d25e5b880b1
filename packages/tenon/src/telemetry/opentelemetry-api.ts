/** Attributes of a span or of a measurement. */
export interface TelemetryAttributes {
  [name: string]: string | number | boolean | undefined;
}

/** Identity of a span. */
export interface SpanIdentity {
  /** ID of the trace. */
  readonly traceId: string;
  /** ID of the span. */
  readonly spanId: string;
}

/** The part of a span of `@opentelemetry/api` that is used. */
export interface OpenTelemetrySpan {
  /** Returns the identity of the span. */
  spanContext(): SpanIdentity;
  /** Adds attributes. */
  setAttributes(attributes: TelemetryAttributes): unknown;
  /** Sets the status: 2 is an error. */
  setStatus(status: { code: number; message?: string | undefined }): unknown;
  /** Renames the span. */
  updateName(name: string): unknown;
  /** Ends the span. */
  end(): void;
}

/** The part of a counter of `@opentelemetry/api` that is used. */
export interface OpenTelemetryCounter {
  /** Adds to the counter. */
  add(value: number, attributes?: TelemetryAttributes): void;
}

/** The part of a gauge of `@opentelemetry/api` that is used. */
export interface OpenTelemetryGauge {
  /** Adds a function that is called for each measurement. */
  addCallback(callback: GaugeCallback): void;
  /** Removes the function. */
  removeCallback(callback: GaugeCallback): void;
}

/** Function that measures the value of a gauge. */
export type GaugeCallback = (result: {
  observe(value: number, attributes?: TelemetryAttributes): void;
}) => void | Promise<void>;

/**
 * The part of `@opentelemetry/api` that is used. Pass the module itself: `import * as api from '@opentelemetry/api'`.
 * @see https://opentelemetry.io/docs/languages/js/
 */
export interface OpenTelemetryApi<Context, Span extends OpenTelemetrySpan> {
  /** Creates spans, and puts them into contexts. */
  readonly trace: {
    getTracer(
      name: string,
      version?: string,
    ): {
      startSpan(
        name: string,
        options: {
          kind: number;
          attributes: TelemetryAttributes;
          links: { context: ReturnType<Span['spanContext']> }[];
        },
        context: Context,
      ): Span;
    };
    getSpan(context: Context): Span | undefined;
    setSpan(context: Context, span: Span): Context;
  };
  /** The current context. */
  readonly context: {
    active(): Context;
    with<T>(context: Context, run: () => T): T;
  };
  /** Writes contexts to messages, and reads them. */
  readonly propagation: {
    inject(context: Context, carrier: { [name: string]: unknown }): void;
    extract(context: Context, carrier: { readonly [name: string]: unknown }): Context;
  };
  /**
   * Gets errors that the SDK or its processors throw. Requests do not fail for them.
   * @default errors are dropped
   */
  readonly diag?: { error(message: string, ...details: unknown[]): void } | undefined;
  /** Creates instruments. */
  readonly metrics: {
    getMeter(
      name: string,
      version?: string,
    ): {
      createHistogram(
        name: string,
        options: { description: string; unit: string; advice: { explicitBucketBoundaries: number[] } },
      ): { record(value: number, attributes: TelemetryAttributes): void };
      createCounter(name: string, options: { description: string }): OpenTelemetryCounter;
      createUpDownCounter(name: string, options: { description: string }): OpenTelemetryCounter;
      createObservableGauge(name: string, options: { description: string }): OpenTelemetryGauge;
    };
  };
}
