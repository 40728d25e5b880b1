import type { JsonObject } from '../../jsonrpc/message.js';
import { SERVER_INFO } from '../../protocol/meta.js';
import type { Cacheable } from '../../protocol/params-and-results.js';
import type { ServerRuntime } from '../server-runtime.js';

/** A final result: says that it is one, and who made it. */
export function finalizeResult({ info }: ServerRuntime, result: JsonObject): JsonObject {
  const serverMeta = { [SERVER_INFO]: info };
  const _meta = result._meta === undefined ? serverMeta : { ...(result._meta as JsonObject), ...serverMeta };
  return { resultType: 'complete', ...result, _meta };
}

/** A final result that says how long it stays good. */
export function finalizeCacheable(runtime: ServerRuntime, result: JsonObject, cache: Cacheable = {}): JsonObject {
  const { ttlMs = 0, cacheScope = 'private' } = cache;
  return finalizeResult(runtime, { ...result, ttlMs, cacheScope });
}
