import {
  checkBoolean,
  checkFunction,
  checkObject,
  checkOptional,
  type JsonObject,
  type MaybePromise,
  type OptionChecks,
  REDACTED,
  redactValue,
  requireOptions,
  thenMaybe,
} from '@tenon/base';
import { version } from '../version.js';
import { addTraceContext } from './add-trace-context.js';
import {
  addConnection,
  describeDetails,
  describeFailure,
  describeMessage,
  describeRequest,
  describeResult,
  describeSpan,
  findResultFailure,
  findTarget,
  isSmallBaggage,
  readTraceContext,
  type TraceFailure,
  type TraceTarget,
  toOutgoingFailure,
  toTraceFailure,
} from './attributes.js';
import { CallRounds } from './call-rounds.js';
import { createHostInstruments } from './host-instruments.js';
import { createInstruments } from './instruments.js';
import { KnownNames } from './known-names.js';
import type { OpenTelemetryApi, OpenTelemetrySpan, TelemetryAttributes } from './opentelemetry-api.js';
import type { OutgoingTrace, Telemetry, TracedRequest } from './telemetry.js';
import { TracedPeer } from './traced-peer.js';

/** Options of `createTelemetry`. */
export interface TelemetryOptions<Context, Span extends OpenTelemetrySpan> {
  /** The module `@opentelemetry/api`. */
  readonly api: OpenTelemetryApi<Context, Span>;
  /**
   * Sends the baggage of the current trace to other peers, and accepts theirs, up to 8 KiB and 64 members. It may
   * hold data of users.
   * @default `false`
   */
  readonly baggage?: boolean | undefined;
  /**
   * Records the arguments and results of tools in spans, up to 4,096 characters of JSON each, without values that
   * look like secrets.
   * @default `false`, because they may hold data of users
   */
  readonly recordContent?: boolean | undefined;
  /**
   * Makes spans of notifications, too. A call may have many, such as those of its progress.
   * @default `false`
   */
  readonly notifications?: boolean | undefined;
}

/** A request until it is completed. */
interface RunningRequest<Span> {
  readonly request: TracedRequest;
  readonly target: TraceTarget | undefined;
  readonly span: Span;
  readonly startedAt: number;
  /** False if an instrumentation of the program has opened the span. */
  readonly isOwn: boolean;
  /** Span in which the request is sent. */
  readonly outer?: Span | undefined;
}

const optionChecks: OptionChecks<TelemetryOptions<unknown, OpenTelemetrySpan>> = {
  api: checkObject({
    trace: checkObject({ getTracer: checkFunction, getSpan: checkFunction, setSpan: checkFunction }),
    metrics: checkObject({ getMeter: checkFunction }),
    context: checkObject({ active: checkFunction, with: checkFunction }),
    propagation: checkObject({ inject: checkFunction, extract: checkFunction }),
  }),
  baggage: checkOptional(checkBoolean),
  recordContent: checkOptional(checkBoolean),
  notifications: checkOptional(checkBoolean),
};

/** The code for wrong options. */
const OPTIONS_CODE = 'telemetry/options';
const SCOPE = 'tenon';
/** Attribute with the number of the round of a call, from 1. */
const ROUND = 'tenon.mrtr.round';
const SERVER_KIND = 1;
const CLIENT_KIND = 2;
const ERROR_STATUS = 2;
/** Longest method in the name of a span, in characters. */
const MAX_METHOD = 128;
/** Longest arguments or result in a span, in characters of JSON. */
const MAX_CONTENT = 4096;

/**
 * Creates the telemetry of servers, clients and hosts: pass it to `createServer`, `connect` or `createHost`. It makes a
 * span of each request, and the four standard measurements of MCP.
 *
 * @throws TenonError `telemetry/options`
 * @see https://opentelemetry.io/docs/specs/semconv/gen-ai/mcp/
 */
export function createTelemetry<Context, Span extends OpenTelemetrySpan>(
  options: TelemetryOptions<Context, Span>,
): Telemetry {
  requireOptions('createTelemetry', options, optionChecks, OPTIONS_CODE);
  const { api, baggage: hasBaggage = false, recordContent = false, notifications = false } = options;
  const { trace, context, propagation } = api;
  const tracer = trace.getTracer(SCOPE, version);
  const meter = api.metrics.getMeter(SCOPE, version);
  /** Reports an error of the SDK: a request does not fail because a span processor, sampler or propagator throws. */
  const report = (error: unknown) => api.diag?.error('tenon: the OpenTelemetry SDK has thrown an error', error);
  const guard =
    <A extends unknown[]>(run: (...args: A) => void) =>
    (...args: A): void => {
      try {
        run(...args);
      } catch (error) {
        report(error);
      }
    };
  const instruments = createInstruments(meter, guard);
  /** Attributes for the measurements of requests that are being served. */
  const details = new WeakMap<Span, TelemetryAttributes>();
  const rounds = new CallRounds<Span>();
  const names = new KnownNames();

  const inject = guard((of: Context, carrier: { [name: string]: unknown }) => propagation.inject(of, carrier));
  const writeContext = (of: Context): JsonObject => {
    const carrier: { [name: string]: unknown } = {};
    inject(of, carrier);
    const { baggage } = carrier;
    if (baggage !== undefined && !(hasBaggage && isSmallBaggage(String(baggage)))) delete carrier.baggage;
    return carrier;
  };

  function startSpan(request: TracedRequest, target: TraceTarget | undefined, parent: Context, links: Span[]): Span {
    return tracer.startSpan(
      nameSpan(request, target),
      {
        kind: request.role === 'client' ? CLIENT_KIND : SERVER_KIND,
        attributes: addArguments(describeSpan(request, target), request, target),
        links: links.map(link => ({ context: link.spanContext() as ReturnType<Span['spanContext']> })),
      },
      parent,
    );
  }

  function addArguments(
    attributes: TelemetryAttributes,
    { params }: TracedRequest,
    target: TraceTarget | undefined,
  ): TelemetryAttributes {
    if (recordContent && target?.kind === 'tool')
      attributes['gen_ai.tool.call.arguments'] = toContent(params?.arguments);
    return attributes;
  }

  /** Describes a failure for a measurement. */
  function toFailureLabels(failure: TraceFailure): TelemetryAttributes {
    const type = names.toErrorLabel(failure.type);
    return describeFailure(type === failure.type ? failure : { type });
  }

  /** Returns the context of a message, or `active` if it names none. */
  function extractContext(active: Context, { params }: TracedRequest): Context {
    const carrier = readTraceContext(params, hasBaggage);
    return carrier === undefined ? active : propagation.extract(active, carrier);
  }

  /** Returns the span of the HTTP request if the message names a parent of its own. */
  function findLinks(active: Context, parent: Context): Span[] {
    const ambient = parent === active ? undefined : trace.getSpan(active);
    return ambient === undefined || trace.getSpan(parent) === ambient ? [] : [ambient];
  }

  /** Records the outcome of a request. A span that was opened elsewhere is not ended here. */
  const complete = guard((running: RunningRequest<Span>, failure?: TraceFailure, result?: JsonObject) => {
    const { request, target, span, startedAt, isOwn, outer } = running;
    if (recordContent && target?.kind === 'tool' && result)
      span.setAttributes({ 'gen_ai.tool.call.result': toContent(result) });
    const negotiated = describeResult(request, result);
    if (negotiated) span.setAttributes(negotiated);
    const round = rounds.find(request, result, outer);
    if (round !== undefined) span.setAttributes({ [ROUND]: round });
    if (failure) {
      span.setAttributes(describeFailure(failure));
      span.setStatus({ code: ERROR_STATUS, message: failure.message });
    }
    if (isOwn) span.end();
    const added = details.get(span);
    // A host adds the server once it has found the tool.
    const isKnown = request.isKnown ?? (added?.['tenon.upstream'] === undefined ? undefined : true);
    const labels = describeRequest(request, target, target && names.toLabel(target, isKnown, failure));
    labels['mcp.method.name'] = names.toMethodLabel(request.method, failure);
    if (negotiated) Object.assign(labels, negotiated);
    if (added) Object.assign(labels, added);
    if (failure) Object.assign(labels, toFailureLabels(failure));
    instruments.recordRequest(request, performance.now() - startedAt, labels);
  });

  /** Starts the span of a request that is sent, and returns it with the context in which the request is sent. */
  function startOutgoing(request: TracedRequest): { readonly running: RunningRequest<Span>; readonly own: Context } {
    const active = context.active();
    const outer = trace.getSpan(active);
    // An instrumentation of the program may have opened a span for this call of a tool already.
    const { attributes } = (outer ?? {}) as { attributes?: { readonly [name: string]: unknown } };
    const isToolSpan =
      request.method === 'tools/call' &&
      attributes?.['gen_ai.operation.name'] === 'execute_tool' &&
      attributes['mcp.method.name'] === undefined;
    const isOwn = outer === undefined || !isToolSpan;
    const { call } = request;
    const parent = call?.context === undefined ? active : (call.context as Context);
    const target = findTarget(request.method, request.params);
    const span = isOwn ? startSpan(request, target, parent, []) : outer;
    const own = isOwn ? trace.setSpan(parent, span) : active;
    // Rounds have one trace also where no span of the program is around the call.
    if (call) call.context ??= outer === undefined ? own : active;
    return { running: { request, target, span, startedAt: performance.now(), isOwn, outer }, own };
  }

  /** Starts the span of a request that is served, and returns it with the context in which the request is served. */
  function startIncoming(request: TracedRequest): { readonly running: RunningRequest<Span>; readonly own: Context } {
    const active = context.active();
    const parent = extractContext(active, request);
    const target = findTarget(request.method, request.params);
    const span = startSpan(request, target, parent, findLinks(active, parent));
    const running = { request, target, span, startedAt: performance.now(), isOwn: true };
    return { running, own: trace.setSpan(parent, span) };
  }

  const telemetry: Telemetry = {
    createPeer: (transport, handler, clock, describe, tracer = telemetry) =>
      new TracedPeer(transport, handler, clock, describe, tracer, hasBaggage),
    ...createHostInstruments(meter, guard),
    ...createNotificationTraces(),
    async traceOutgoing(request, send) {
      let started: ReturnType<typeof startOutgoing>;
      try {
        started = startOutgoing(request);
      } catch (error) {
        report(error);
        return send({ meta: {}, setRequest() {} });
      }
      let { running } = started;
      const setRequest: OutgoingTrace['setRequest'] = guard((id, params) => {
        const { isOwn, span } = running;
        const sent = { ...request, id, params };
        const target = findTarget(sent.method, params);
        running = { ...running, request: sent, target };
        const describe = isOwn ? describeMessage : describeSpan;
        span.setAttributes(addArguments(describe(sent, target), sent, target));
        if (isOwn && target) span.updateName(nameSpan(sent, target));
      });
      try {
        const result = await context.with(started.own, () => send({ meta: writeContext(started.own), setRequest }));
        complete(running, findResultFailure(request, result), result);
        return result;
      } catch (error) {
        complete(running, toOutgoingFailure(error, request));
        throw error;
      }
    },
    traceIncoming(request, serve) {
      let started: ReturnType<typeof startIncoming>;
      try {
        started = startIncoming(request);
      } catch (error) {
        report(error);
        return serve();
      }
      const { running, own } = started;
      const closeStream =
        request.method === 'subscriptions/listen' ? instruments.countOpen('stream', 'server') : undefined;
      const fail = (error: unknown): never => {
        closeStream?.();
        complete(running, toTraceFailure(error, request.signal?.aborted));
        throw error;
      };
      const finish = (result: JsonObject): JsonObject => {
        closeStream?.();
        complete(running, findResultFailure(request, result), result);
        return result;
      };
      let served: MaybePromise<JsonObject>;
      try {
        served = context.with(own, serve);
      } catch (error) {
        return fail(error);
      }
      return served instanceof Promise ? served.then(finish, fail) : thenMaybe(served, finish);
    },
    measureSession(session) {
      const startedAt = performance.now();
      const closeSession = instruments.countOpen('session', session.role);
      let hasEnded = false;
      return error => {
        if (hasEnded) return;
        hasEnded = true;
        closeSession();
        const labels = addConnection({}, session);
        if (error !== undefined) labels['error.type'] = toTraceFailure(error).type;
        instruments.recordSession(session, performance.now() - startedAt, labels);
      };
    },
    addDetails: guard(added => {
      const span = trace.getSpan(context.active());
      if (span === undefined) return;
      const attributes = describeDetails(added);
      details.set(span, Object.assign(details.get(span) ?? {}, attributes));
      if (added.round !== undefined) {
        rounds.setServed(span, added.round);
        attributes[ROUND] = added.round;
      }
      span.setAttributes(attributes);
    }),
  };
  return telemetry;

  function createNotificationTraces(): Pick<Telemetry, 'traceOutgoingNotification' | 'traceIncomingNotification'> {
    const runInSpan = <T>(notification: TracedRequest, parent: Context, run: (own: Context) => T): T => {
      if (!notifications) return run(parent);
      let span: Span;
      try {
        span = startSpan(notification, undefined, parent, []);
      } catch (error) {
        report(error);
        return run(parent);
      }
      const own = trace.setSpan(parent, span);
      try {
        return context.with(own, () => run(own));
      } finally {
        guard(() => span.end())();
      }
    };
    return {
      traceOutgoingNotification: (notification, send) =>
        runInSpan(notification, context.active(), own => send(writeContext(own), addTraceContext)),
      traceIncomingNotification(notification, handle) {
        const active = context.active();
        let parent = active;
        guard(() => {
          if (notifications) parent = extractContext(active, notification);
        })();
        runInSpan(notification, parent, handle);
      },
    };
  }
}

function nameSpan({ method }: TracedRequest, target: TraceTarget | undefined): string {
  return target ? `${method} ${target.name}` : method.slice(0, MAX_METHOD);
}

function toContent(value: unknown): string {
  const text = JSON.stringify(redactValue(value ?? {}));
  return text.length > MAX_CONTENT ? `${text.slice(0, MAX_CONTENT)}${REDACTED}` : text;
}
