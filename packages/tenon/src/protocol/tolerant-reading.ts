import { copyWithout, INVALID_PARAMS, isObject, type JsonObject, rpcError, TenonError } from '@tenon/base';
import { type TolerantConnection, tolerate } from '../jsonrpc/tolerance.js';
import { isMethod, isNotification } from './methods.js';

/**
 * Optional members of an object that a peer sends. `null` counts as absent for them, because many JSON libraries write
 * it for members that are not set. JSON of the user, such as arguments, schemas and structured content, is never listed.
 */
interface Shape {
  readonly optional: readonly string[];
  /** Shapes of members. An array has the shape of each item. */
  readonly members: { [name: string]: Shape };
}

const defineShape = (optional: string, members: Shape['members'] = {}): Shape => ({
  optional: optional.split(' '),
  members,
});

const icons = defineShape('mimeType sizes theme');
const item = (optional: string, annotations: string, members: Shape['members'] = {}) =>
  defineShape(`title description icons annotations _meta ${optional}`, {
    icons,
    annotations: defineShape(annotations),
    ...members,
  });
const HINTS = 'audience priority lastModified';
const contents = defineShape('mimeType text blob _meta');
const resource = item('mimeType size', HINTS);
const content = item('mimeType size isError', HINTS, { resource: contents });
content.members.content = content;
const tool = item('outputSchema execution', 'title readOnlyHint destructiveHint idempotentHint openWorldHint', {
  execution: defineShape('taskSupport'),
});
const prompt = item('arguments', HINTS, { arguments: defineShape('title description required') });
const implementation = defineShape('title description icons websiteUrl', { icons });
const listChanged = defineShape('listChanged subscribe');
const tasks = defineShape('list cancel requests');
const serverCapabilities = defineShape('experimental logging completions prompts resources tools tasks extensions', {
  prompts: listChanged,
  resources: listChanged,
  tools: listChanged,
  tasks,
});
const clientCapabilities = defineShape('experimental roots sampling elicitation tasks extensions', {
  roots: listChanged,
  sampling: defineShape('context tools'),
  elicitation: defineShape('form url'),
  tasks,
});
const meta = defineShape('_meta');
const withArguments = defineShape('arguments _meta');
const STATE = 'statusMessage pollInterval pollIntervalMs _meta';
const state = defineShape(STATE);
const page = 'nextCursor ttlMs cacheScope _meta';
const toolResult = defineShape(`isError inputRequests ${STATE}`, { content, task: state });
const detailedTask = defineShape(`${STATE} result error inputRequests`, { result: toolResult });
const opening = defineShape('instructions ttlMs cacheScope _meta', {
  capabilities: serverCapabilities,
  serverInfo: implementation,
});

type Shapes = { readonly [method: string]: Shape | undefined };

/** The table of optional members, by the methods whose params and results have them. */
const shapes: { readonly params: Shapes; readonly result: Shapes } = {
  params: {
    initialize: defineShape('_meta', { clientInfo: implementation, capabilities: clientCapabilities }),
    'tools/call': withArguments,
    'prompts/get': withArguments,
    'completion/complete': defineShape('context _meta', {
      context: defineShape('arguments'),
      ref: defineShape('name uri title'),
    }),
    'subscriptions/listen': defineShape('_meta', {
      notifications: defineShape(
        'toolsListChanged promptsListChanged resourcesListChanged resourceSubscriptions taskIds',
      ),
    }),
    'sampling/createMessage': defineShape(
      'modelPreferences systemPrompt includeContext temperature stopSequences metadata tools toolChoice _meta',
      {
        messages: defineShape('_meta', { content }),
        modelPreferences: defineShape('hints costPriority speedPriority intelligencePriority', {
          hints: defineShape('name'),
        }),
        toolChoice: defineShape('mode'),
        tools: tool,
      },
    ),
    'elicitation/create': defineShape('mode requestedSchema url elicitationId _meta'),
    'notifications/cancelled': defineShape('reason _meta'),
    'notifications/progress': defineShape('total message _meta'),
    'notifications/message': defineShape('logger _meta'),
    'notifications/tasks/status': state,
    'notifications/tasks': detailedTask,
  },
  result: {
    initialize: opening,
    'server/discover': opening,
    'tools/list': defineShape(page, { tools: tool }),
    'tools/call': toolResult,
    'tasks/result': toolResult,
    'resources/list': defineShape(page, { resources: resource }),
    'resources/templates/list': defineShape(page, { resourceTemplates: resource }),
    'resources/read': defineShape(`inputRequests ${page}`, { contents }),
    'prompts/list': defineShape(page, { prompts: prompt }),
    'prompts/get': defineShape('description inputRequests _meta', { messages: defineShape('_meta', { content }) }),
    'completion/complete': defineShape('_meta', { completion: defineShape('total hasMore') }),
    'sampling/createMessage': defineShape('stopReason _meta', { content }),
    'elicitation/create': defineShape('content _meta'),
    'roots/list': defineShape('_meta', { roots: defineShape('name _meta') }),
    'tasks/get': detailedTask,
    'tasks/cancel': state,
    'tasks/list': defineShape(page, { tasks: state }),
  },
};

/** Optional members of the params and results of all other methods. */
const other = { params: defineShape('cursor _meta'), result: meta };

/** The list of each result. A peer may leave it out: it then counts as empty. */
export const resultLists: { readonly [method: string]: string | undefined } = {
  'tools/list': 'tools',
  'prompts/list': 'prompts',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
  'tasks/list': 'tasks',
  'roots/list': 'roots',
  'prompts/get': 'messages',
  'resources/read': 'contents',
  'tools/call': 'content',
  'tasks/result': 'content',
};

/** Results without their list. */
const withoutList = new WeakSet<object>();

/** Tells if a peer left out the list of this result, so that its emptiness does not show that all entries were removed. */
export function isListMissing(result: JsonObject): boolean {
  return withoutList.has(result);
}

/** Returns the method of a request. Some servers call one by another name. */
export function readMethod(connection: TolerantConnection, method: string): string {
  const summary = 'the method counts as sampling/createMessage';
  const isAlias = method === 'sampling/complete' && tolerate(connection, 'method-name', method, summary);
  return isAlias ? 'sampling/createMessage' : method;
}

/**
 * Reads params in the form of the peer's protocol version. Optional members that are `null` are absent, and the log level
 * `warn` is `warning`, because many logging libraries use it. Returns the same object if there is no deviation.
 * @throws TenonError -32602 with `strict`.
 */
export function readParams(connection: TolerantConnection, method: string, params: JsonObject): JsonObject {
  const read = readMembers(connection, 'params', method, params);
  if (read.level !== 'warn' || (method !== 'logging/setLevel' && method !== 'notifications/message')) return read;
  return tolerate(connection, 'log-level', method, 'the log level "warn" counts as "warning"')
    ? { ...read, level: 'warning' }
    : read;
}

/**
 * Reads a result in the form of the peer's protocol version. Optional members that are `null` are absent. Returns the same
 * object if there are none.
 * @param createError Creates the error for a deviation. Default: `peer/invalid-result`.
 * @throws TenonError that of `createError` with `strict`.
 */
export function readResult(
  connection: TolerantConnection,
  method: string,
  result: JsonObject,
  createError?: (issue: string) => TenonError,
): JsonObject {
  return readMembers(connection, 'result', method, result, createError);
}

function readMembers(
  connection: TolerantConnection,
  side: 'params' | 'result',
  method: string,
  message: JsonObject,
  createError?: (issue: string) => TenonError,
): JsonObject {
  // The members of methods of other extensions are not known.
  if (!Object.hasOwn(shapes[side], method) && !isMethod(method) && !isNotification(method)) return message;
  const shape = shapes[side][method] ?? other[side];
  if (!hasNull(message, shape)) return message;
  const paths: string[] = [];
  const read = dropNulls(message, shape, '', paths) as JsonObject;
  const more = paths.length > 3 ? ` and ${paths.length - 3} more` : '';
  const summary = `null counts as absent at ${paths.slice(0, 3).join(', ')}${more}`;
  if (tolerate(connection, 'null-member', method, summary)) return read;
  const issue = `at ${paths[0]}: expected no null`;
  if (createError) throw createError(issue);
  if (side === 'params') throw rpcError(INVALID_PARAMS, `Invalid params: ${issue}`);
  throw new TenonError('peer/invalid-result', `the result is malformed: ${issue}`, {
    peer: connection.peer,
    method,
  });
}

/** Searches without allocations, because nearly all messages have no such member. */
function hasNull(value: unknown, shape: Shape): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) {
    for (const each of value) if (hasNull(each, shape)) return true;
    return false;
  }
  const members = value as JsonObject;
  for (const name of shape.optional) if (members[name] === null) return true;
  for (const name in shape.members) if (hasNull(members[name], shape.members[name] as Shape)) return true;
  return false;
}

function dropNulls(value: unknown, shape: Shape, path: string, paths: string[]): unknown {
  if (Array.isArray(value)) return value.map((each, index) => dropNulls(each, shape, `${path}/${index}`, paths));
  if (!isObject(value)) return value;
  const nulls = shape.optional.filter(name => value[name] === null);
  for (const name of nulls) paths.push(`${path}/${name}`);
  const read = copyWithout(value, nulls);
  for (const name in shape.members)
    if (read[name] !== undefined)
      read[name] = dropNulls(read[name], shape.members[name] as Shape, `${path}/${name}`, paths);
  return read;
}

/**
 * Completes a result in the form of the newest version that lacks its list, such as the content of a tool's result. The
 * tool has run, so its result is not refused. A task and an input request have no list.
 */
export function withLists(connection: TolerantConnection, method: string, result: JsonObject): JsonObject {
  const isCompletion = method === 'completion/complete';
  const container = isCompletion ? (result.completion ?? {}) : result;
  const list = isCompletion ? 'values' : Object.hasOwn(resultLists, method) ? resultLists[method] : undefined;
  const { resultType = 'complete', task } = result;
  if (list === undefined || resultType !== 'complete' || !isObject(container)) return result;
  if (!isAbsent(container[list]) || (list === 'content' && !isAbsent(task))) return result;
  if (!tolerate(connection, 'missing-list', method, `the result has no ${list}, which counts as an empty list`))
    return result;
  const complete = { ...container, [list]: [] };
  withoutList.add(complete);
  return isCompletion ? { ...result, completion: complete } : complete;
}

const isAbsent = (value: unknown): boolean => value === undefined || value === null;
