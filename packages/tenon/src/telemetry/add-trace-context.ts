import { isObject, type JsonObject } from '@tenon/base';

/** Adds the members of a trace to `_meta`, unless the sender has set them. */
export function addTraceContext<P extends JsonObject | undefined>(params: P, context: JsonObject): P | JsonObject {
  if (Object.keys(context).length === 0) return params;
  // On Node 20 a spread that is followed by further members takes microseconds.
  const _meta = Object.assign({}, context, isObject(params?._meta) ? params._meta : undefined);
  return Object.assign({}, params, { _meta });
}
