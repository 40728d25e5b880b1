import { isObject, type JsonObject, takeBeginning } from '@tenon/base';
import { TASKS } from '../tasks.js';
import type { Transform } from './dialect.js';

/** Transforms of tasks for versions that create tasks by a parameter. */

/** Maximum length of the tool text that a status message repeats, in UTF-16 code units. */
const MAX_MESSAGE = 1000;
const DURATIONS = new Map([
  ['ttl', 'ttlMs'],
  ['pollInterval', 'pollIntervalMs'],
]);

/**
 * Removes the payload of a task. On these versions the payload is sent separately: the result by `tasks/result`, input
 * requests by JSON-RPC requests.
 */
export const encodeTask: Transform = task => {
  if (!('taskId' in task)) return task;
  const { result, error, inputRequests, ttlMs, pollIntervalMs, ...rest } = task;
  return {
    ...rest,
    ...getFailureFields(task),
    ttl: ttlMs,
    ...(pollIntervalMs === undefined ? {} : { pollInterval: pollIntervalMs }),
  };
};

export const decodeTask: Transform = task =>
  Object.fromEntries(Object.entries(task).map(([name, value]) => [DURATIONS.get(name) ?? name, value]));

/** Moves a created task into the member `task`. */
export const nestTask: Transform = (result, about) => {
  if (result.resultType !== 'task') return result;
  const { resultType: _, _meta, ...task } = result;
  return { task: encodeTask(task, about), ...(_meta === undefined ? {} : { _meta }) };
};

export const flattenTask: Transform = (result, about) => {
  const { task, ...rest } = result;
  if (!isObject(task) || 'content' in result) return result;
  return { ...rest, ...decodeTask(task, about), resultType: 'task' };
};

/** Removes the tasks extension from capabilities, because these versions do not have it. */
export const withoutTasksExtension: Transform = capabilities => {
  const { extensions, ...rest } = capabilities;
  if (!isObject(extensions) || !(TASKS in extensions)) return capabilities;
  const { [TASKS]: _, ...others } = extensions;
  return Object.keys(others).length === 0 ? rest : { ...rest, extensions: others };
};

/**
 * Returns the fields of a failed task. A tool result with `isError` makes its task fail, and the status message
 * contains the reason.
 */
function getFailureFields({ status, result, error, statusMessage }: JsonObject): JsonObject {
  const isToolError = status === 'completed' && isObject(result) && result.isError === true;
  if (!isToolError && status !== 'failed') return {};
  let text: unknown;
  if (!isToolError) text = isObject(error) ? error.message : undefined;
  else if (Array.isArray(result.content))
    text = result.content.find(block => isObject(block) && block.type === 'text')?.text;
  const message = typeof text === 'string' && text !== '' ? takeBeginning(text, MAX_MESSAGE) : 'The tool failed';
  return { status: 'failed', statusMessage: statusMessage ?? message };
}
