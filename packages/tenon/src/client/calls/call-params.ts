import type { JsonObject } from '@tenon/base';
import type { TaskParams } from '../../protocol/tasks.js';
import type { InternalCallOptions } from '../call-options.js';

/** Builds the params of a request. A `task` member of the caller is dropped, because only the client may set it. */
export function prepareParams(
  params: JsonObject,
  callsTool: boolean,
  task: TaskParams | undefined,
  { meta }: InternalCallOptions,
): JsonObject {
  let prepared = params;
  if (callsTool && 'task' in params) {
    const { task: _, ...rest } = params;
    prepared = rest;
  }
  if (task !== undefined) prepared = { ...prepared, task };
  if (meta === undefined) return prepared;
  // Adding a member to a spread object is ten times slower than spreading last.
  if (!('_meta' in prepared)) return { _meta: meta, ...prepared };
  return { ...prepared, _meta: { ...(prepared._meta as JsonObject | undefined), ...meta } };
}
