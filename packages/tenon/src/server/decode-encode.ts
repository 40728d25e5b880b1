import { INVALID_PARAMS, isObject, type JsonObject, rpcError, thenMaybe } from '@tenon/base';
import type { MaybeAsyncResult } from '../handler/operation.js';
import { isPreserialized, markPreserialized } from '../jsonrpc/message.js';
import type { TolerantConnection } from '../jsonrpc/tolerance.js';
import { SERVER_INFO } from '../protocol/meta.js';
import type { MethodName, ParamsOf } from '../protocol/method-types.js';
import { methods } from '../protocol/methods.js';
import type { Cacheable } from '../protocol/params-and-results.js';
import { readParams } from '../protocol/tolerant-reading.js';
import type { Dialect, Transform } from '../protocol/versions/dialect.js';
import { compileTool } from './definitions/compiled-tool.js';
import type { FoundDefinitions, MethodRequest, ServerRuntime } from './server-runtime.js';

/** Translates params from the client's protocol version to the newest version. Throws -32602 when they are invalid. */
export function decodeParams<M extends MethodName>(
  method: M,
  raw: JsonObject = {},
  dialect: Dialect,
  connection: TolerantConnection,
): ParamsOf<M> {
  const read = readParams(connection, method, raw);
  const params = dialect.transforms.decode.params?.(method)?.(read, {}) ?? read;
  requireParams(method, params);
  return params;
}

/** Checks the params of a method. Throws -32602 when they are invalid. */
export function requireParams<M extends MethodName>(method: M, params: JsonObject): asserts params is ParamsOf<M> {
  const issue = methods[method].params(params);
  if (issue) throw rpcError(INVALID_PARAMS, `Invalid params: ${issue}`);
}

/** Marks a result as final and adds the name and version of the server. */
export function finalizeResult({ info }: ServerRuntime, result: JsonObject): JsonObject {
  const serverMeta = { [SERVER_INFO]: info };
  const _meta = result._meta === undefined ? serverMeta : { ...(result._meta as JsonObject), ...serverMeta };
  return { resultType: 'complete', ...result, _meta };
}

/** Marks a result as final and adds its cache hints. */
export function finalizeCacheable(runtime: ServerRuntime, result: JsonObject, cache: Cacheable = {}): JsonObject {
  const { ttlMs = 0, cacheScope = 'private' } = cache;
  return finalizeResult(runtime, { ...result, ttlMs, cacheScope });
}

/** Translates the result of a method to the client's protocol version. */
export function encodeResult(request: MethodRequest, result: JsonObject): MaybeAsyncResult {
  const { server, requestContext, method } = request;
  const { dialect } = requestContext;
  let completed = result;
  // A middleware may have returned a result instead of the handler.
  if (result.resultType === undefined && dialect.opening === 'per-request') completed = finalizeResult(server, result);
  else if (!server.backend.usesRegistries) completed = withOwnInfo(server, result);
  const transform = dialect.transforms.encode.result?.(method);
  return transform === undefined ? completed : transformResult(request, transform, completed);
}

/** Replaces the name and version of an upstream server, of which a proxy passes the result on. */
function withOwnInfo({ info }: ServerRuntime, result: JsonObject): JsonObject {
  const { _meta: meta } = result;
  if (!isObject(meta) || !(SERVER_INFO in meta) || meta[SERVER_INFO] === info) return result;
  return { ...result, _meta: { ...meta, [SERVER_INFO]: info } };
}

const toolNames = new WeakMap<JsonObject, string>();

/** Marks a result as the result of a tool, because it is the response to another method than `tools/call`. */
export function markToolResult(name: string, result: JsonObject): JsonObject {
  toolNames.set(result, name);
  return result;
}

/** Transforms a result. The transform of a tool result needs the schema of its structured content. */
function transformResult(
  { server, requestContext, method, params, found }: MethodRequest,
  transform: Transform,
  result: JsonObject,
): MaybeAsyncResult {
  const name = method === 'tools/call' ? params.name : toolNames.get(result);
  if (typeof name !== 'string') return isPreserialized(result) ? encodeOnce(transform, result) : transform(result, {});
  if (method === 'tools/call' && found !== undefined) {
    const { definition } = found as FoundDefinitions['tools/call'];
    return transform(result, { outputSchema: compileTool(name, definition).wire.outputSchema });
  }
  return thenMaybe(server.backend.getOutputSchema(name, requestContext, server), outputSchema =>
    transform(result, { outputSchema }),
  );
}

const encodedResults = new WeakMap<JsonObject, Map<Transform, JsonObject>>();

/** Transforms a shared result once for each transform, because it is sent in many responses. */
function encodeOnce(transform: Transform, result: JsonObject): JsonObject {
  const cached = encodedResults.get(result) ?? new Map<Transform, JsonObject>();
  const previous = cached.get(transform);
  if (previous) return previous;
  const encoded = transform(result, {});
  const preserialized = isPreserialized(encoded) ? encoded : markPreserialized(encoded);
  encodedResults.set(result, cached.set(transform, preserialized));
  return preserialized;
}
