import {
  getErrorType,
  isConnectionLoss,
  isObject,
  type JsonObject,
  OUTCOME_UNKNOWN,
  redactNamedSecrets,
  TenonError,
} from '@tenon/base';
import { isReadOnly } from '../protocol/methods.js';
import type { TelemetryAttributes } from './opentelemetry-api.js';
import type { RequestDetails, TracedConnection, TracedRequest } from './telemetry.js';

/** Tool or prompt that a request is for. */
export interface TraceTarget {
  readonly kind: 'tool' | 'prompt';
  readonly name: string;
}

/** The outcome of a request or a session, as far as it failed. */
export interface TraceFailure {
  /** Value of `error.type`: few different ones exist. */
  readonly type: string;
  readonly message?: string;
  /** Code of the JSON-RPC error. */
  readonly rpcCode?: number | undefined;
}

/** Longest name of a tool, URI or id in an attribute, in characters. */
const MAX_LENGTH = 256;

export function findTarget(method: string, params: JsonObject | undefined): TraceTarget | undefined {
  const name = params?.name;
  if (typeof name !== 'string') return undefined;
  if (method === 'tools/call') return { kind: 'tool', name: name.slice(0, MAX_LENGTH) };
  if (method === 'prompts/get') return { kind: 'prompt', name: name.slice(0, MAX_LENGTH) };
  return undefined;
}

// Attributes are set one by one, because spreading one object into another takes longer than everything else here.

/** Adds the attributes that spans and measurements of a connection have in common. */
export function addConnection(
  attributes: TelemetryAttributes,
  { protocolVersion, network, role, upstream }: TracedConnection,
): TelemetryAttributes {
  const { transport, protocol, protocolVersion: networkVersion, serverAddress, serverPort } = network;
  if (protocolVersion !== undefined) attributes['mcp.protocol.version'] = protocolVersion;
  if (transport !== undefined) attributes['network.transport'] = transport;
  if (protocol !== undefined) attributes['network.protocol.name'] = protocol;
  if (networkVersion !== undefined) attributes['network.protocol.version'] = networkVersion;
  if (role === 'client' && serverAddress !== undefined) attributes['server.address'] = serverAddress;
  if (role === 'client' && serverPort !== undefined) attributes['server.port'] = serverPort;
  if (upstream !== undefined) attributes['tenon.upstream'] = upstream;
  return attributes;
}

/** Converts details to the attributes that measurements have, too. */
export function describeDetails({ upstream, decision, cache }: RequestDetails): TelemetryAttributes {
  const attributes: TelemetryAttributes = {};
  if (upstream !== undefined) attributes['tenon.upstream'] = upstream;
  if (decision !== undefined) attributes['tenon.policy.decision'] = decision;
  if (cache !== undefined) attributes['tenon.cache'] = cache;
  return attributes;
}

/** Attributes that spans and measurements of a request have in common. `name` replaces that of the target. */
export function describeRequest(
  request: TracedRequest,
  target: TraceTarget | undefined,
  name = target?.name,
): TelemetryAttributes {
  const attributes: TelemetryAttributes = { 'mcp.method.name': request.method.slice(0, MAX_LENGTH) };
  return addConnection(addTarget(attributes, target, name), request);
}

/** Attributes that are known after the response: the version that `initialize` of this server has negotiated. */
export function describeResult(
  { method, role }: TracedRequest,
  result: JsonObject | undefined,
): TelemetryAttributes | undefined {
  if (method !== 'initialize' || role !== 'server' || typeof result?.protocolVersion !== 'string') return undefined;
  return { 'mcp.protocol.version': result.protocolVersion };
}

/** Attributes of the span of a request. Those of its message have too many values for measurements. */
export function describeSpan(request: TracedRequest, target: TraceTarget | undefined): TelemetryAttributes {
  const attributes = addMessage(describeRequest(request, target), request);
  const { sessionId, network, role } = request;
  if (sessionId !== undefined) attributes['mcp.session.id'] = sessionId;
  if (role === 'server' && network.clientAddress !== undefined) attributes['client.address'] = network.clientAddress;
  if (role === 'server' && network.clientPort !== undefined) attributes['client.port'] = network.clientPort;
  return attributes;
}

/** The part of `describeSpan` that depends on the id and the params. */
export const describeMessage = (request: TracedRequest, target: TraceTarget | undefined): TelemetryAttributes =>
  addMessage(addTarget({}, target, target?.name), request);

function addTarget(
  attributes: TelemetryAttributes,
  target: TraceTarget | undefined,
  name: string | undefined,
): TelemetryAttributes {
  if (target?.kind === 'tool') {
    attributes['gen_ai.tool.name'] = name;
    attributes['gen_ai.operation.name'] = 'execute_tool';
  } else if (target !== undefined) attributes['gen_ai.prompt.name'] = name;
  return attributes;
}

function addMessage(attributes: TelemetryAttributes, { id, params }: TracedRequest): TelemetryAttributes {
  const uri = params?.uri;
  if (id !== undefined) attributes['jsonrpc.request.id'] = String(id).slice(0, MAX_LENGTH);
  if (typeof uri === 'string') attributes['mcp.resource.uri'] = redactNamedSecrets(uri.slice(0, MAX_LENGTH));
  return attributes;
}

export function describeFailure({ type, rpcCode }: TraceFailure): TelemetryAttributes {
  const attributes: TelemetryAttributes = { 'error.type': type };
  if (rpcCode !== undefined) attributes['rpc.response.status_code'] = String(rpcCode);
  return attributes;
}

/** Returns the failure in a result: that of a tool is a result too. A tool that was cancelled often fails for it. */
export function findResultFailure({ method, signal }: TracedRequest, result: JsonObject): TraceFailure | undefined {
  if (method !== 'tools/call' || result.isError !== true) return undefined;
  return { type: signal?.aborted ? 'cancelled' : 'tool_error' };
}

/** Converts an error. `isCancelled`: the request was given up. */
export function toTraceFailure(error: unknown, isCancelled = false): TraceFailure {
  if (isCancelled) return { type: 'cancelled' };
  if (!TenonError.is(error)) return { type: getErrorType(error) };
  const { code, rpcCode, summary: message } = error;
  const type = COMMON_TYPES[code] ?? getErrorType(error);
  return rpcCode === undefined ? { type, message } : { type, message, rpcCode };
}

/**
 * Converts the error of a request that was sent. The type is that of the error that the caller gets: the server may have
 * executed a request whose connection was lost.
 */
export function toOutgoingFailure(error: unknown, { method, signal }: TracedRequest): TraceFailure {
  const failure = toTraceFailure(error, signal?.aborted);
  const isUnknown = !signal?.aborted && TenonError.is(error) && isConnectionLoss(error) && !isReadOnly(method);
  return isUnknown ? { ...failure, type: OUTCOME_UNKNOWN } : failure;
}

/** Types that OpenTelemetry recommends for failures of a client, by code. */
const COMMON_TYPES: { readonly [code: string]: string } = {
  'call/timeout': 'timeout',
  'call/aborted': 'cancelled',
};

/** Reads the members of `_meta` that carry a trace, if there is one. Baggage beyond the limits is dropped. */
export function readTraceContext(params: JsonObject | undefined, withBaggage: boolean): JsonObject | undefined {
  const meta = params?._meta;
  if (!isObject(meta)) return undefined;
  const { traceparent, tracestate, baggage } = meta;
  const isUsable = withBaggage && typeof baggage === 'string' && isSmallBaggage(baggage);
  if (typeof traceparent !== 'string' && typeof tracestate !== 'string' && !isUsable) return undefined;
  const carrier: { [name: string]: string } = {};
  if (typeof traceparent === 'string') carrier.traceparent = traceparent;
  if (typeof tracestate === 'string') carrier.tracestate = tracestate;
  if (isUsable) carrier.baggage = baggage;
  return carrier;
}

const MAX_BAGGAGE = 8192;
const MAX_BAGGAGE_MEMBERS = 64;

export function isSmallBaggage(baggage: string): boolean {
  return baggage.length <= MAX_BAGGAGE && baggage.split(',').length <= MAX_BAGGAGE_MEMBERS;
}
