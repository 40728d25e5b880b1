import { TenonError } from '../jsonrpc/error.js';
import { isObject, type JsonObject } from '../jsonrpc/message.js';
import type { TelemetryAttributes } from './opentelemetry-api.js';
import type { TracedConnection, TracedRequest, RequestDetails } from './telemetry.js';

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

export function findTarget({ method, params }: TracedRequest): TraceTarget | undefined {
  const name = params?.name;
  if (typeof name !== 'string') return undefined;
  if (method === 'tools/call') return { kind: 'tool', name: name.slice(0, MAX_LENGTH) };
  if (method === 'prompts/get') return { kind: 'prompt', name: name.slice(0, MAX_LENGTH) };
  return undefined;
}

/** Attributes that spans and measurements of a connection have in common. */
export function describeConnection(connection: TracedConnection): TelemetryAttributes {
  return dropAbsent(listConnectionAttributes(connection));
}

function listConnectionAttributes({ protocolVersion, network, role, upstream }: TracedConnection): TelemetryAttributes {
  const { transport, protocol, serverAddress, serverPort } = network;
  return {
    'mcp.protocol.version': protocolVersion,
    'network.transport': transport,
    'network.protocol.name': protocol,
    'server.address': role === 'client' ? serverAddress : undefined,
    'server.port': role === 'client' ? serverPort : undefined,
    'tenon.upstream': upstream,
  };
}

/** Converts details to the attributes that measurements have, too. */
export function describeDetails({ upstream, decision, cache }: RequestDetails): TelemetryAttributes {
  return dropAbsent({ 'tenon.upstream': upstream, 'tenon.policy.decision': decision, 'tenon.cache': cache });
}

/** Attributes that spans and measurements of a request have in common. `name` replaces that of the target. */
export function describeRequest(
  request: TracedRequest,
  target: TraceTarget | undefined,
  name = target?.name,
): TelemetryAttributes {
  return dropAbsent({
    'mcp.method.name': request.method.slice(0, MAX_LENGTH),
    'gen_ai.tool.name': target?.kind === 'tool' ? name : undefined,
    'gen_ai.prompt.name': target?.kind === 'prompt' ? name : undefined,
    'gen_ai.operation.name': target?.kind === 'tool' ? 'execute_tool' : undefined,
    ...listConnectionAttributes(request),
  });
}

/** Attributes of a span that measurements do not have, because their values are many. */
export function describeMessage({ id, params, sessionId, network, role }: TracedRequest): TelemetryAttributes {
  const uri = params?.uri;
  return dropAbsent({
    'jsonrpc.request.id': id === undefined ? undefined : String(id).slice(0, MAX_LENGTH),
    'mcp.resource.uri': typeof uri === 'string' ? uri.slice(0, MAX_LENGTH) : undefined,
    'mcp.session.id': sessionId,
    'client.address': role === 'server' ? network.clientAddress : undefined,
  });
}

export function describeFailure(failure: TraceFailure | undefined): TelemetryAttributes {
  if (failure === undefined) return {};
  const { type, rpcCode } = failure;
  return dropAbsent({ 'error.type': type, 'rpc.response.status_code': rpcCode?.toString() });
}

/** Returns the failure in a result: that of a tool is a result too. */
export function findResultFailure({ method }: TracedRequest, result: JsonObject): TraceFailure | undefined {
  return method === 'tools/call' && result.isError === true ? { type: 'tool_error' } : undefined;
}

/** Converts an error. `isCancelled`: the request was given up. */
export function toTraceFailure(error: unknown, isCancelled = false): TraceFailure {
  if (isCancelled) return { type: 'cancelled' };
  if (!TenonError.is(error)) return { type: error instanceof Error ? error.name : '_OTHER' };
  const { rpcCode, code, summary: message } = error;
  if (rpcCode !== undefined) return { type: String(rpcCode), message, rpcCode };
  return { type: ERROR_TYPES[code] ?? code, message };
}

const ERROR_TYPES: { readonly [code: string]: string } = {
  'call/timeout': 'timeout',
  'call/aborted': 'cancelled',
};

/** Reads the members of `_meta` that carry a trace. Baggage beyond the limits is dropped. */
export function readTraceContext(params: JsonObject | undefined, withBaggage: boolean): JsonObject {
  const meta = isObject(params?._meta) ? params._meta : {};
  const { traceparent, tracestate, baggage } = meta;
  const isUsable = withBaggage && typeof baggage === 'string' && isSmallBaggage(baggage);
  return {
    ...(typeof traceparent === 'string' ? { traceparent } : {}),
    ...(typeof tracestate === 'string' ? { tracestate } : {}),
    ...(isUsable ? { baggage } : {}),
  };
}

/** Limits of baggage. https://www.w3.org/TR/baggage/#limits */
const MAX_BAGGAGE = 8192;
const MAX_BAGGAGE_MEMBERS = 64;

export function isSmallBaggage(baggage: string): boolean {
  return baggage.length <= MAX_BAGGAGE && baggage.split(',').length <= MAX_BAGGAGE_MEMBERS;
}

/** Copies the members that have a value. Deleting the others would make V8 store the object as a slow dictionary. */
function dropAbsent(attributes: TelemetryAttributes): TelemetryAttributes {
  const present: TelemetryAttributes = {};
  for (const name of Object.keys(attributes)) if (attributes[name] !== undefined) present[name] = attributes[name];
  return present;
}
