import {
  createExcerpt,
  describeType,
  type ErrorObject,
  findJsonLoss,
  isObject,
  JSON_VALUES,
  type JsonLoss,
  type JsonObject,
  parseJsonText,
  stringifyJson,
  TenonError,
  toJsonObject,
} from '@tenon/base';

/**
 * The four kinds of JSON-RPC 2.0 messages, and functions that classify them.
 * @see https://www.jsonrpc.org/specification
 */

/** A request ID: a string or an integer. `"1"` and `1` are different IDs. */
export type Id = string | number;

export interface JsonRpcRequest {
  jsonrpc: '2.0';
  id: Id;
  method: string;
  params?: JsonObject | undefined;
}

export interface JsonRpcNotification {
  jsonrpc: '2.0';
  method: string;
  params?: JsonObject | undefined;
}

export interface JsonRpcSuccess {
  jsonrpc: '2.0';
  id: Id;
  result: JsonObject;
}

/** An error response. `id` is absent (JSON-RPC 2.0 uses `null`) when the ID of the failed message could not be read. */
export interface JsonRpcFailure {
  jsonrpc: '2.0';
  id?: Id | null | undefined;
  error: ErrorObject;
}

export type JsonRpcResponse = JsonRpcSuccess | JsonRpcFailure;
/** A JSON-RPC message: a request, a notification or a response. */
export type JsonRpcMessage = JsonRpcRequest | JsonRpcNotification | JsonRpcResponse;
export type MessageKind = 'request' | 'notification' | 'success' | 'failure' | 'malformed';

/**
 * Tells if a value is a valid ID. Fractions and unsafe integers are invalid, because a response could not return the
 * same value.
 */
export function isId(value: unknown): value is Id {
  return typeof value === 'string' || (typeof value === 'number' && Number.isSafeInteger(value));
}

/**
 * Classifies a JSON value as a kind of message, without allocations. `diagnoseMessage` describes the issue of an
 * invalid one. Unknown members are tolerated.
 *
 * Some senders write `null` for unused `params`, `result` and `error`. Such members count as absent, and `withoutNulls`
 * removes them. A response whose only `result` is `null` has an empty result.
 */
export function classifyMessage(value: unknown): MessageKind {
  if (!isObject(value) || value.jsonrpc !== '2.0') return 'malformed';
  const { id, params, result, error } = value;
  if ('method' in value) {
    if (typeof value.method !== 'string') return 'malformed';
    if (!isObject(params) && isPresent(params)) return 'malformed';
    if (isPresent(result) || isPresent(error)) return 'malformed';
    if (!('id' in value)) return 'notification';
    return isId(id) ? 'request' : 'malformed';
  }
  const hasResult = isObject(result) || (result === null && error === undefined);
  if (isPresent(error)) {
    if (isPresent(result) || !isObject(error)) return 'malformed';
    if (isPresent(id) && !isId(id)) return 'malformed';
    return Number.isSafeInteger(error.code) && typeof error.message === 'string' ? 'failure' : 'malformed';
  }
  return isId(id) && hasResult ? 'success' : 'malformed';
}

/** Tells if a value is a valid message. */
export function isMessage(value: unknown): value is JsonRpcMessage {
  return classifyMessage(value) !== 'malformed';
}

/** Tells if a sent value is the responses to a batch. */
export function isBatch(message: JsonRpcMessage | readonly JsonRpcResponse[]): message is readonly JsonRpcResponse[] {
  return Array.isArray(message);
}

/** Tells if a value is an error response. */
export function isFailureMessage(value: unknown): value is JsonRpcFailure {
  return classifyMessage(value) === 'failure';
}

/** Members that a peer may set to `null` when they are absent. */
const NULL_MEMBERS = ['params', 'result', 'error'] as const;

function isPresent(member: unknown): boolean {
  return member !== undefined && member !== null;
}

/**
 * Removes `params`, `result` and `error` that are `null` from a valid message, and replaces the `result` of a success.
 * Copies the message only if it has one.
 */
export function withoutNulls<M extends JsonRpcMessage>(message: M): M {
  const { params, result, error }: { params?: unknown; result?: unknown; error?: unknown } = message;
  if (params !== null && result !== null && error !== null) return message;
  const copy: M & { params?: unknown; result?: unknown; error?: unknown } = { ...message };
  for (const name of NULL_MEMBERS) if (copy[name] === null) delete copy[name];
  if (result === null && !isFailureMessage(message)) copy.result = {};
  return copy;
}

/** Tells if a value looks like a response, even an invalid one. */
export function isResponseLike(value: unknown): value is { id: Id } {
  return isObject(value) && !('method' in value) && isId(value.id);
}

/** Returns the reason why a value is not a valid message, and its ID for an error response. */
export function diagnoseMessage(value: unknown): { id?: Id; reason: string } {
  if (!isObject(value)) return { reason: `a message is an object, not ${describeType(value)}` };
  const id = isId(value.id) && 'method' in value ? { id: value.id } : {};
  return { ...id, reason: explainMalformed(value) };
}

/** Maximum number of characters that are shown of the message of an invalid error. */
const MAX_SHOWN_MESSAGE = 120;

function explainMalformed(value: JsonObject): string {
  // A valid message is refused only for these, by `strict`.
  const nullMember = isMessage(value) ? NULL_MEMBERS.find(name => value[name] === null) : undefined;
  if (nullMember !== undefined) return `"${nullMember}" must not be null`;
  if (value.jsonrpc !== '2.0') return '"jsonrpc" must be "2.0"';
  if ('method' in value) {
    if (typeof value.method !== 'string') return '"method" must be a string';
    if (isPresent(value.params) && !isObject(value.params)) return '"params" must be an object';
    if ('id' in value && !isId(value.id)) return '"id" must be a string or an integer';
    return 'a request has no "result" or "error"';
  }
  if (isPresent(value.result) && isPresent(value.error)) return 'a response has "result" or "error", not both';
  if (isPresent(value.error)) {
    const reason = '"error" must have an integer "code" and a string "message"';
    const { message } = toJsonObject(value.error);
    return typeof message === 'string'
      ? `${reason}, and its message is "${createExcerpt(message, MAX_SHOWN_MESSAGE)}"`
      : reason;
  }
  if (value.result === undefined) return 'a message has a "method", a "result" or an "error"';
  return isId(value.id) ? '"result" must be an object' : '"id" must be a string or an integer';
}

export function createRequest(id: Id, method: string, params?: JsonObject): JsonRpcRequest {
  return params === undefined ? { jsonrpc: '2.0', id, method } : { jsonrpc: '2.0', id, method, params };
}

export function createNotification(method: string, params?: JsonObject): JsonRpcNotification {
  return params === undefined ? { jsonrpc: '2.0', method } : { jsonrpc: '2.0', method, params };
}

export function createSuccess(id: Id, result: JsonObject): JsonRpcSuccess {
  return { jsonrpc: '2.0', id, result };
}

export function createFailure(id: Id | null | undefined, error: ErrorObject): JsonRpcFailure {
  return id === undefined ? { jsonrpc: '2.0', error } : { jsonrpc: '2.0', id, error };
}

/** Formats an ID for a message. A long ID is cut, because the peer chose it. */
export function formatId(id: Id): string {
  return JSON.stringify(typeof id === 'string' ? id.slice(0, 64) : id);
}

const serializedResults = new WeakMap<JsonObject, string | undefined>();

/**
 * Marks a result that is sent in many responses. Do not change the result later, because it is serialized only once.
 */
export function markPreserialized(result: JsonObject): JsonObject {
  serializedResults.set(result, undefined);
  return Object.freeze(result);
}

export function isPreserialized(result: JsonObject): boolean {
  return serializedResults.has(result);
}

/**
 * Serializes a message as JSON.
 * @throws TenonError with the code, for a message that JSON cannot represent.
 */
export function serializeMessage(
  message: JsonRpcMessage | readonly JsonRpcResponse[],
  { code = 'connection/send', peer }: { readonly code?: string; readonly peer?: string | undefined } = {},
): string {
  try {
    if (!('result' in message) || !serializedResults.has(message.result)) return stringifyJson(message);
    const { id, result } = message;
    const text = serializedResults.get(result) ?? stringifyJson(result);
    serializedResults.set(result, text);
    return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${text}}`;
  } catch (cause) {
    throw createUnserializableError(message, { code, peer, cause });
  }
}

/** Creates the error for a message that JSON cannot represent. It names the part. */
export function createUnserializableError(
  message: JsonRpcMessage | readonly JsonRpcResponse[],
  { code, peer, cause }: { readonly code: string; readonly peer?: string | undefined; readonly cause: unknown },
): TenonError {
  let loss: JsonLoss | undefined;
  try {
    loss = findJsonLoss(message);
  } catch {
    // A getter of the message may throw. The error then names no part.
  }
  return new TenonError(code, 'the message cannot be serialized as JSON', {
    peer,
    cause,
    ...(loss
      ? {
          expected: JSON_VALUES,
          received: `${loss.kind} at ${loss.path}`,
          hint: 'pass it as text: String(value), or as a plain object or array',
        }
      : { hint: 'see `cause`: toJSON threw, or the value is too deep' }),
  });
}

/**
 * Parses the JSON text of a message. A byte order mark at the start is ignored, as RFC 8259 allows, because some
 * programs write one. Throws a `SyntaxError`.
 */
export function parseJson(text: string): unknown {
  return parseJsonText(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
}
