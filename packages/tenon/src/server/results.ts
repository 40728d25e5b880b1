import type { JsonObject } from '../jsonrpc/message.js';
import { SERVER_INFO } from '../model/meta.js';
import type { Cacheable } from '../model/shapes.js';
import type { Blueprint } from './blueprint.js';

/** A final result: says that it is one, and who made it. */
export function complete({ info }: Blueprint, result: JsonObject): JsonObject {
  const made = { [SERVER_INFO]: info };
  const _meta = result._meta === undefined ? made : { ...(result._meta as JsonObject), ...made };
  return { resultType: 'complete', ...result, _meta };
}

/** A final result that says how long it stays good. */
export function cacheable(blueprint: Blueprint, result: JsonObject, cache: Cacheable = {}): JsonObject {
  const { ttlMs = 0, cacheScope = 'private' } = cache;
  return complete(blueprint, { ...result, ttlMs, cacheScope });
}
