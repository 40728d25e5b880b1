import { type Id, isObject, type JsonObject } from '../jsonrpc/message.js';
import type {
  CreateMessageParams,
  CreateMessageResult,
  ElicitParams,
  ElicitResult,
  InputRequiredResult,
  ListRootsResult,
} from './asking.js';
import { anything, type Check, list, number, object, oneOf, orNull, record, text, token, truth } from './check.js';
import {
  LOGGING_LEVELS,
  type LoggingLevel,
  type Prompt,
  type Resource,
  type ResourceTemplate,
  readLoggingLevel,
  type Tool,
} from './content.js';
import type {
  CallToolResult,
  CompleteParams,
  CompleteResult,
  DiscoverResult,
  GetPromptResult,
  InitializeParams,
  InitializeResult,
  Inputs,
  Page,
  Paged,
  Params,
  ReadResourceResult,
  Result,
  SubscriptionFilter,
} from './shapes.js';
import {
  byTaskId,
  type CreateTaskResult,
  cancelledTask,
  createdTask,
  detailedTask,
  TASKS,
  type TaskMethods,
  type TaskNotifications,
  type TaskParams,
  taskAnswers,
  taskState,
} from './tasks.js';

/** THE table: every method and notification of every revision, once, in the words of the newest that has it. */

export interface Methods extends TaskMethods {
  initialize: { params: InitializeParams; result: InitializeResult };
  'server/discover': { params: Params; result: DiscoverResult };
  ping: { params: Params; result: Result };
  'tools/list': { params: Paged; result: Page & { tools: Tool[] } };
  'tools/call': {
    params: Params & Inputs & { name: string; arguments?: JsonObject; task?: TaskParams };
    result: CallToolResult | InputRequiredResult | CreateTaskResult;
  };
  'resources/list': { params: Paged; result: Page & { resources: Resource[] } };
  'resources/templates/list': { params: Paged; result: Page & { resourceTemplates: ResourceTemplate[] } };
  'resources/read': { params: Params & Inputs & { uri: string }; result: ReadResourceResult | InputRequiredResult };
  'resources/subscribe': { params: Params & { uri: string }; result: Result };
  'resources/unsubscribe': { params: Params & { uri: string }; result: Result };
  'prompts/list': { params: Paged; result: Page & { prompts: Prompt[] } };
  'prompts/get': {
    params: Params & Inputs & { name: string; arguments?: { [name: string]: string } };
    result: GetPromptResult | InputRequiredResult;
  };
  'completion/complete': { params: CompleteParams; result: CompleteResult };
  'logging/setLevel': { params: Params & { level: LoggingLevel }; result: Result };
  'subscriptions/listen': { params: Params & { notifications: SubscriptionFilter }; result: Result };
  'sampling/createMessage': { params: CreateMessageParams & Params; result: CreateMessageResult };
  'elicitation/create': { params: ElicitParams & Params; result: ElicitResult };
  'roots/list': { params: Params; result: ListRootsResult };
}

export interface Notifications extends TaskNotifications {
  'notifications/initialized': Params;
  'notifications/cancelled': Params & { requestId?: Id; reason?: string };
  'notifications/progress': Params & { progressToken: Id; progress: number; total?: number; message?: string };
  'notifications/message': Params & { level: LoggingLevel; logger?: string; data: unknown };
  'notifications/resources/updated': Params & { uri: string };
  'notifications/resources/list_changed': Params;
  'notifications/tools/list_changed': Params;
  'notifications/prompts/list_changed': Params;
  'notifications/roots/list_changed': Params;
  'notifications/elicitation/complete': Params & { elicitationId: string };
  'notifications/subscriptions/acknowledged': Params & { notifications: SubscriptionFilter };
}

export type MethodName = keyof Methods;
export type NotificationName = keyof Notifications;
export type Side = 'client' | 'server' | 'either';

export interface Method {
  /** Who sends it. */
  readonly from: Side;
  /** The capability that the answering side declares, a dotted path. */
  readonly needs?: string;
  /** The extension that it belongs to: a server without that does not have it. */
  readonly extension?: string;
  readonly params: Check;
  readonly result: Check;
  /** Whether it may be answered by a question. */
  readonly mayAsk?: boolean;
  /** Whether its result says how long it stays good. */
  readonly cacheable?: boolean;
}

export interface Notice {
  readonly from: Side;
  /** The capability that the sending side declares, a dotted path. */
  readonly needs?: string;
  readonly params: Check;
}

const meta = { '_meta?': object() };
const noParams = object(meta);
const empty = object(meta);
/** Peers in the field send `null` for the start of a list and for its end. */
const cursor = orNull(text);
const paged = object({ 'cursor?': cursor, ...meta });
const named = object({ name: text });
const implementation = object({ name: text, version: text });
const inputs = { 'inputResponses?': record(object()), 'requestState?': text };
const page = { 'nextCursor?': cursor, ...meta };
const resource = object({ uri: text, name: text });
const byUri = object({ uri: text, ...meta });
const contents = object({ uri: text, 'mimeType?': text, 'text?': text, 'blob?': text });
const sampled = object({ role: oneOf('user', 'assistant'), content: anything });
const knownLevel = oneOf(...LOGGING_LEVELS);
const level: Check = value => (readLoggingLevel(value) === undefined ? knownLevel(value) : undefined);
const reference = object({ type: oneOf('ref/prompt', 'ref/resource'), 'name?': text, 'uri?': text });
const argument = object({ name: text, value: text });

/** A content block of any kind: what a kind needs is checked, kinds that are not known are let through. */
export const content: Check = value => {
  const problem = typed(value);
  const { type } = (problem === undefined ? value : {}) as { type: string };
  return problem ?? (Object.hasOwn(blocks, type) ? blocks[type]?.(value) : undefined);
};
const typed = object({ type: text });
const blocks: { readonly [type: string]: Check | undefined } = {
  text: object({ text }),
  image: object({ data: text, mimeType: text }),
  audio: object({ data: text, mimeType: text }),
  resource_link: resource,
  resource: object({ resource: contents }),
};

const toolResult = object({ content: list(content), 'isError?': truth });
const calledTool: Check = value => (isObject(value) && value.resultType === 'task' ? createdTask : toolResult)(value);

export const methods: { readonly [M in MethodName]: Method } = {
  initialize: {
    from: 'client',
    params: object({ protocolVersion: text, capabilities: object(), clientInfo: implementation, ...meta }),
    result: object({ protocolVersion: text, capabilities: object(), serverInfo: implementation }),
  },
  'server/discover': {
    from: 'client',
    params: noParams,
    result: object({ supportedVersions: list(text), capabilities: object() }),
    cacheable: true,
  },
  ping: { from: 'either', params: noParams, result: empty },
  'tools/list': {
    from: 'client',
    needs: 'tools',
    params: paged,
    result: object({ tools: list(object({ name: text, inputSchema: object() })), ...page }),
    cacheable: true,
  },
  'tools/call': {
    from: 'client',
    needs: 'tools',
    params: object({ name: text, 'arguments?': object(), ...inputs, ...meta }),
    result: calledTool,
    mayAsk: true,
  },
  'resources/list': {
    from: 'client',
    needs: 'resources',
    params: paged,
    result: object({ resources: list(resource), ...page }),
    cacheable: true,
  },
  'resources/templates/list': {
    from: 'client',
    needs: 'resources',
    params: paged,
    result: object({ resourceTemplates: list(object({ uriTemplate: text, name: text })), ...page }),
    cacheable: true,
  },
  'resources/read': {
    from: 'client',
    needs: 'resources',
    params: object({ uri: text, ...inputs, ...meta }),
    result: object({ contents: list(contents) }),
    mayAsk: true,
    cacheable: true,
  },
  'resources/subscribe': { from: 'client', needs: 'resources.subscribe', params: byUri, result: empty },
  'resources/unsubscribe': { from: 'client', needs: 'resources.subscribe', params: byUri, result: empty },
  'prompts/list': {
    from: 'client',
    needs: 'prompts',
    params: paged,
    result: object({ prompts: list(named), ...page }),
    cacheable: true,
  },
  'prompts/get': {
    from: 'client',
    needs: 'prompts',
    params: object({ name: text, 'arguments?': record(text), ...inputs, ...meta }),
    result: object({ messages: list(object({ role: oneOf('user', 'assistant'), content })) }),
    mayAsk: true,
  },
  'completion/complete': {
    from: 'client',
    needs: 'completions',
    params: object({ ref: reference, argument, 'context?': object({ 'arguments?': record(text) }), ...meta }),
    result: object({ completion: object({ values: list(text), 'total?': number, 'hasMore?': truth }) }),
  },
  'logging/setLevel': { from: 'client', needs: 'logging', params: object({ level, ...meta }), result: empty },
  'subscriptions/listen': {
    from: 'client',
    params: object({
      notifications: object({
        'toolsListChanged?': truth,
        'promptsListChanged?': truth,
        'resourcesListChanged?': truth,
        'resourceSubscriptions?': list(text),
        'taskIds?': list(text),
      }),
      ...meta,
    }),
    result: empty,
  },
  'sampling/createMessage': {
    from: 'server',
    needs: 'sampling',
    params: object({ messages: list(sampled), maxTokens: number, ...meta }),
    result: object({ role: oneOf('user', 'assistant'), content: anything, model: text }),
  },
  'elicitation/create': {
    from: 'server',
    needs: 'elicitation',
    params: object({ message: text, 'mode?': text, 'requestedSchema?': object(), 'url?': text, ...meta }),
    result: object({ action: oneOf('accept', 'decline', 'cancel'), 'content?': object() }),
  },
  'roots/list': {
    from: 'server',
    needs: 'roots',
    params: noParams,
    result: object({ roots: list(object({ uri: text })) }),
  },
  'tasks/get': { from: 'either', extension: TASKS, params: byTaskId, result: taskState },
  'tasks/update': { from: 'client', extension: TASKS, params: taskAnswers, result: empty },
  'tasks/cancel': { from: 'either', extension: TASKS, params: byTaskId, result: cancelledTask },
  'tasks/result': { from: 'either', extension: TASKS, params: byTaskId, result: toolResult },
  'tasks/list': {
    from: 'either',
    extension: TASKS,
    params: paged,
    result: object({ tasks: list(taskState), ...page }),
  },
};

export const notifications: { readonly [N in NotificationName]: Notice } = {
  'notifications/initialized': { from: 'client', params: noParams },
  'notifications/cancelled': { from: 'either', params: object({ 'requestId?': token, 'reason?': text }) },
  'notifications/progress': {
    from: 'either',
    params: object({ progressToken: token, progress: number, 'total?': number, 'message?': text }),
  },
  'notifications/message': { from: 'server', needs: 'logging', params: object({ level, data: anything }) },
  'notifications/resources/updated': { from: 'server', needs: 'resources.subscribe', params: byUri },
  'notifications/resources/list_changed': { from: 'server', needs: 'resources.listChanged', params: noParams },
  'notifications/tools/list_changed': { from: 'server', needs: 'tools.listChanged', params: noParams },
  'notifications/prompts/list_changed': { from: 'server', needs: 'prompts.listChanged', params: noParams },
  'notifications/roots/list_changed': { from: 'client', needs: 'roots.listChanged', params: noParams },
  'notifications/elicitation/complete': { from: 'server', params: object({ elicitationId: text }) },
  'notifications/subscriptions/acknowledged': { from: 'server', params: object({ notifications: object() }) },
  'notifications/tasks': { from: 'server', params: detailedTask },
  'notifications/tasks/status': { from: 'either', params: taskState },
};

export function isMethod(name: string): name is MethodName {
  return Object.hasOwn(methods, name);
}

export function isNotification(name: string): name is NotificationName {
  return Object.hasOwn(notifications, name);
}
