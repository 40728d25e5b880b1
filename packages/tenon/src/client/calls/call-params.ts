import type { JsonObject } from '@tenon/base';
import { checkMetaKeys } from '../../protocol/check-meta.js';
import type { TaskParams } from '../../protocol/tasks.js';
import type { InternalCallOptions } from '../call-options.js';

/** Checks the keys of the caller's `_meta`. Throws a `TenonError` for reserved keys. */
export function checkSentMeta(method: string, params: JsonObject, { meta }: InternalCallOptions): void {
  if (params._meta !== undefined) checkMetaKeys(method, params._meta);
  if (meta !== undefined) checkMetaKeys(method, meta);
}

/** Builds the params of a request. A `task` member of the caller is dropped, because only the client may set it. */
export function prepareParams(
  params: JsonObject,
  callsTool: boolean,
  task: TaskParams | undefined,
  { meta }: InternalCallOptions,
): JsonObject {
  const cleaned = callsTool && 'task' in params ? withoutTask(params) : params;
  const prepared = task === undefined ? cleaned : { ...cleaned, task };
  if (meta === undefined) return prepared;
  // Adding a member to a spread object is ten times slower than spreading last.
  if (!('_meta' in prepared)) return { _meta: meta, ...prepared };
  return { ...prepared, _meta: { ...(prepared._meta as JsonObject | undefined), ...meta } };
}

function withoutTask({ task: _, ...params }: JsonObject): JsonObject {
  return params;
}
