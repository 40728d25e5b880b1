import { createExcerpt, isObject, type JsonObject, toCanonicalJson, toJsonObject } from '@tenon/base';
import {
  CLIENT_CAPABILITIES,
  CLIENT_INFO,
  type JsonRpcRequest,
  LOG_LEVEL,
  PROTOCOL_VERSION,
  readMeta,
} from 'tenon/testing-internals';
import type { RecordedExchange } from '../recorded-sessions.js';
import { redactJson } from '../redact-message.js';
import { compareJson } from './compare-json.js';

/** Members of `_meta` that differ between clients and between runs. */
const VOLATILE_META = new Set([
  'progressToken',
  PROTOCOL_VERSION,
  CLIENT_INFO,
  CLIENT_CAPABILITIES,
  LOG_LEVEL,
  'traceparent',
  'tracestate',
  'baggage',
]);
/** Members of `initialize` that differ between clients. */
const VOLATILE_OPENING = new Set(['protocolVersion', 'capabilities', 'clientInfo']);
const MAX_SHOWN = 200;

/** Request in the form in which requests are compared. */
export interface ComparableRequest {
  readonly method: string;
  readonly params: JsonObject;
  /** Name of the tool or prompt, or URI of the resource. */
  readonly name: string | undefined;
  /** Text that is equal for equal requests. */
  readonly key: string;
}

/**
 * Converts a request to the form in which requests are compared: without secrets, which are not recorded either, and
 * without the parts that differ between clients.
 */
export function toComparable({ method, params = {} }: Pick<JsonRpcRequest, 'method' | 'params'>): ComparableRequest {
  const compared = redactParams(method, params);
  return { method, params: compared, name: getRequestName(params), key: toCanonicalJson([method, compared]) };
}

const comparables = new WeakMap<RecordedExchange, ComparableRequest>();

/** Returns the request of a recorded exchange in the form in which requests are compared. */
export function getComparable(exchange: RecordedExchange): ComparableRequest {
  const known = comparables.get(exchange);
  if (known) return known;
  const comparable = toComparable(exchange.request);
  comparables.set(exchange, comparable);
  return comparable;
}

function redactParams(method: string, params: JsonObject): JsonObject {
  if (method === 'server/discover') return {};
  const meta = Object.entries(readMeta(params)).filter(([name]) => !VOLATILE_META.has(name));
  const members = Object.entries(params).filter(([name, value]) => {
    if (name === '_meta') return false;
    if (name === 'arguments' && isObject(value)) return Object.keys(value).length > 0;
    return !(method === 'initialize' && VOLATILE_OPENING.has(name));
  });
  const redacted = redactJson({
    ...Object.fromEntries(members),
    ...(meta.length > 0 ? { _meta: Object.fromEntries(meta) } : {}),
  });
  return toJsonObject(redacted);
}

function getRequestName({ name, uri, ref }: JsonObject): string | undefined {
  if (typeof name === 'string') return name;
  if (typeof uri === 'string') return uri;
  return isObject(ref) ? getRequestName(ref) : undefined;
}

/** Returns the number of values in which two requests of the same method differ. */
export function countDifferences(one: ComparableRequest, other: ComparableRequest): number {
  return compareJson(one.params, other.params).length;
}

/** Finds the recorded exchange whose request is nearest to a request. */
export function findNearest(
  request: ComparableRequest,
  exchanges: readonly RecordedExchange[],
): RecordedExchange | undefined {
  const ranked = exchanges.map(exchange => ({ exchange, rank: rankNearness(request, getComparable(exchange)) }));
  return ranked.reduce<(typeof ranked)[number] | undefined>(
    (best, each) => (best === undefined || each.rank < best.rank ? each : best),
    undefined,
  )?.exchange;
}

/** Rank that is above each number of differences. */
const OTHER_NAME = 1_000;

function rankNearness(request: ComparableRequest, recorded: ComparableRequest): number {
  if (request.method !== recorded.method) return 2 * OTHER_NAME;
  return countDifferences(request, recorded) + (request.name === recorded.name ? 0 : OTHER_NAME);
}

/** Describes a request in one line, without its secrets: `tools/call {"name":"echo"}`. */
export function formatRequest({ method, params }: ComparableRequest): string {
  const shown = Object.keys(params).length === 0 ? '' : ` ${JSON.stringify(params)}`;
  return createExcerpt(`${method}${shown}`, MAX_SHOWN);
}
