import {
  type Check,
  checkAnything,
  checkArray,
  checkBoolean,
  checkNumber,
  checkObject,
  checkOneOf,
  checkRecord,
  checkString,
  checkToken,
  isObject,
  type JsonObject,
} from '@tenon/base';
import { LOGGING_LEVELS } from './content.js';
import type { InputRequiredResult } from './input-requests.js';
import type {
  MethodDefinition,
  MethodName,
  NotificationDefinition,
  NotificationName,
  ParamsOf,
  ResultOf,
} from './method-types.js';
import { checkDetailedTask, createTaskResult, TASKS, taskIdParams, taskState, taskUpdateParams } from './tasks.js';

const meta = { '_meta?': checkObject() };
const noParams = checkObject(meta);
const emptyResult = checkObject(meta);
const paged = checkObject({ 'cursor?': checkString, ...meta });
const described = {
  name: checkString,
  'title?': checkString,
  'description?': checkString,
  'annotations?': checkObject(),
  ...meta,
};
const implementation = checkObject({ name: checkString, version: checkString });
const inputs = { 'inputResponses?': checkRecord(checkObject()), 'requestState?': checkString };
const page = { 'nextCursor?': checkString, ...meta };
const resource = checkObject({ uri: checkString, 'mimeType?': checkString, 'size?': checkNumber, ...described });
const uriParams = checkObject({ uri: checkString, ...meta });
const checkContentsMembers = checkObject({
  uri: checkString,
  'mimeType?': checkString,
  'text?': checkString,
  'blob?': checkString,
});
const contents: Check = value =>
  checkContentsMembers(value) ??
  (isObject(value) && value.text === undefined && value.blob === undefined
    ? 'at /: expected `text` or `blob`, got neither'
    : undefined);
const samplingMessage = checkObject({ role: checkOneOf('user', 'assistant'), content: checkAnything });
const checkLevel = checkOneOf(LOGGING_LEVELS);
const reference = checkObject({
  type: checkOneOf('ref/prompt', 'ref/resource'),
  'name?': checkString,
  'uri?': checkString,
});
const argument = checkObject({ name: checkString, value: checkString });

/** Checks a content block. The members of known kinds are checked; unknown kinds are accepted. */
export const checkContentBlock: Check = value => {
  if (!isObject(value) || typeof value.type !== 'string') return checkTyped(value);
  return Object.hasOwn(blockChecks, value.type) ? blockChecks[value.type]?.(value) : undefined;
};
const checkTyped = checkObject({ type: checkString });
const blockChecks: { readonly [type: string]: Check | undefined } = {
  text: checkObject({ text: checkString }),
  image: checkObject({ data: checkString, mimeType: checkString }),
  audio: checkObject({ data: checkString, mimeType: checkString }),
  resource_link: resource,
  resource: checkObject({ resource: contents }),
};

const toolResult = checkObject({ content: checkArray(checkContentBlock), 'isError?': checkBoolean });

/** The table of all methods of all protocol versions. */
export const methods: { readonly [M in MethodName]: MethodDefinition } = {
  initialize: {
    sender: 'client',
    params: checkObject({
      protocolVersion: checkString,
      capabilities: checkObject(),
      clientInfo: implementation,
      ...meta,
    }),
    result: checkObject({ protocolVersion: checkString, capabilities: checkObject(), serverInfo: implementation }),
  },
  'server/discover': {
    sender: 'client',
    params: noParams,
    result: checkObject({ supportedVersions: checkArray(checkString), capabilities: checkObject() }),
    cacheable: true,
  },
  ping: { sender: 'either', params: noParams, result: emptyResult },
  'tools/list': {
    sender: 'client',
    capability: 'tools',
    params: paged,
    result: checkObject({
      tools: checkArray(checkObject({ inputSchema: checkObject(), 'outputSchema?': checkObject(), ...described })),
      ...page,
    }),
    cacheable: true,
  },
  'tools/call': {
    sender: 'client',
    capability: 'tools',
    params: checkObject({ name: checkString, 'arguments?': checkObject(), ...inputs, ...meta }),
    result: value => (isObject(value) && value.resultType === 'task' ? createTaskResult : toolResult)(value),
    mayRequestInput: true,
  },
  'resources/list': {
    sender: 'client',
    capability: 'resources',
    params: paged,
    result: checkObject({ resources: checkArray(resource), ...page }),
    cacheable: true,
  },
  'resources/templates/list': {
    sender: 'client',
    capability: 'resources',
    params: paged,
    result: checkObject({
      resourceTemplates: checkArray(checkObject({ uriTemplate: checkString, 'mimeType?': checkString, ...described })),
      ...page,
    }),
    cacheable: true,
  },
  'resources/read': {
    sender: 'client',
    capability: 'resources',
    params: checkObject({ uri: checkString, ...inputs, ...meta }),
    result: checkObject({ contents: checkArray(contents) }),
    mayRequestInput: true,
    cacheable: true,
  },
  'resources/subscribe': {
    sender: 'client',
    capability: 'resources.subscribe',
    params: uriParams,
    result: emptyResult,
  },
  'resources/unsubscribe': {
    sender: 'client',
    capability: 'resources.subscribe',
    params: uriParams,
    result: emptyResult,
  },
  'prompts/list': {
    sender: 'client',
    capability: 'prompts',
    params: paged,
    result: checkObject({
      prompts: checkArray(checkObject({ 'arguments?': checkArray(checkObject(described)), ...described })),
      ...page,
    }),
    cacheable: true,
  },
  'prompts/get': {
    sender: 'client',
    capability: 'prompts',
    params: checkObject({ name: checkString, 'arguments?': checkRecord(checkString), ...inputs, ...meta }),
    result: checkObject({
      messages: checkArray(checkObject({ role: checkOneOf('user', 'assistant'), content: checkContentBlock })),
    }),
    mayRequestInput: true,
  },
  'completion/complete': {
    sender: 'client',
    capability: 'completions',
    params: checkObject({
      ref: reference,
      argument,
      'context?': checkObject({ 'arguments?': checkRecord(checkString) }),
      ...meta,
    }),
    result: checkObject({
      completion: checkObject({ values: checkArray(checkString), 'total?': checkNumber, 'hasMore?': checkBoolean }),
    }),
  },
  'logging/setLevel': {
    sender: 'client',
    capability: 'logging',
    params: checkObject({ level: checkLevel, ...meta }),
    result: emptyResult,
  },
  'subscriptions/listen': {
    sender: 'client',
    params: checkObject({
      notifications: checkObject({
        'toolsListChanged?': checkBoolean,
        'promptsListChanged?': checkBoolean,
        'resourcesListChanged?': checkBoolean,
        'resourceSubscriptions?': checkArray(checkString),
        'taskIds?': checkArray(checkString),
      }),
      ...meta,
    }),
    result: emptyResult,
  },
  'sampling/createMessage': {
    sender: 'server',
    capability: 'sampling',
    params: checkObject({ messages: checkArray(samplingMessage), maxTokens: checkNumber, ...meta }),
    result: checkObject({ role: checkOneOf('user', 'assistant'), content: checkAnything, model: checkString }),
  },
  'elicitation/create': {
    sender: 'server',
    capability: 'elicitation',
    params: checkObject({
      message: checkString,
      'mode?': checkString,
      'requestedSchema?': checkObject(),
      'url?': checkString,
      ...meta,
    }),
    result: checkObject({ action: checkOneOf('accept', 'decline', 'cancel'), 'content?': checkObject() }),
  },
  'roots/list': {
    sender: 'server',
    capability: 'roots',
    params: noParams,
    result: checkObject({ roots: checkArray(checkObject({ uri: checkString })) }),
  },
  'tasks/get': { sender: 'either', extension: TASKS, params: taskIdParams, result: taskState },
  'tasks/update': { sender: 'client', extension: TASKS, params: taskUpdateParams, result: emptyResult },
  'tasks/cancel': {
    sender: 'either',
    extension: TASKS,
    params: taskIdParams,
    // An empty result or the task.
    result: value => (isObject(value) && 'taskId' in value ? taskState : emptyResult)(value),
  },
  'tasks/result': { sender: 'either', extension: TASKS, params: taskIdParams, result: toolResult },
  'tasks/list': {
    sender: 'either',
    extension: TASKS,
    params: paged,
    result: checkObject({ tasks: checkArray(taskState), ...page }),
  },
};

/** The table of all notifications of all protocol versions. */
export const notifications: { readonly [N in NotificationName]: NotificationDefinition } = {
  'notifications/initialized': { sender: 'client', params: noParams },
  'notifications/cancelled': {
    sender: 'either',
    params: checkObject({ 'requestId?': checkToken, 'reason?': checkString }),
  },
  'notifications/progress': {
    sender: 'either',
    params: checkObject({
      progressToken: checkToken,
      progress: checkNumber,
      'total?': checkNumber,
      'message?': checkString,
    }),
  },
  'notifications/message': {
    sender: 'server',
    capability: 'logging',
    params: checkObject({ level: checkLevel, data: checkAnything }),
  },
  'notifications/resources/updated': { sender: 'server', capability: 'resources.subscribe', params: uriParams },
  'notifications/resources/list_changed': { sender: 'server', capability: 'resources.listChanged', params: noParams },
  'notifications/tools/list_changed': { sender: 'server', capability: 'tools.listChanged', params: noParams },
  'notifications/prompts/list_changed': { sender: 'server', capability: 'prompts.listChanged', params: noParams },
  'notifications/roots/list_changed': { sender: 'client', capability: 'roots.listChanged', params: noParams },
  'notifications/elicitation/complete': { sender: 'server', params: checkObject({ elicitationId: checkString }) },
  'notifications/subscriptions/acknowledged': {
    sender: 'server',
    params: checkObject({ notifications: checkObject() }),
  },
  'notifications/tasks': { sender: 'server', params: checkDetailedTask },
  'notifications/tasks/status': { sender: 'either', params: taskState },
};

export function isMethod(name: string): name is MethodName {
  return Object.hasOwn(methods, name);
}

/** Gives checked params their type. The table has checked them with `methods[method].params`. */
export function toParams<M extends MethodName>(_method: M, checked: JsonObject): ParamsOf<M> {
  return checked as ParamsOf<M>;
}

/** Gives a checked final result its type. The table has checked it with `methods[method].result`. */
export function toResult<M extends MethodName>(_method: M, checked: JsonObject): ResultOf<M> {
  return checked as ResultOf<M>;
}

/** Tells if a result requests input. The table of methods tells which methods may return such a result. */
export function isInputRequired(value: unknown): value is InputRequiredResult & JsonObject {
  return isObject(value) && value.resultType === 'input_required';
}

export function isNotification(name: string): name is NotificationName {
  return Object.hasOwn(notifications, name);
}

const WRITE_METHODS: ReadonlySet<string> = new Set(['tools/call', 'sampling/createMessage', 'elicitation/create']);

/** Tells if a method only reads, so that sending it twice has no side effects. False for unknown methods. */
export function isReadOnly(method: string): boolean {
  return isMethod(method) && !WRITE_METHODS.has(method);
}
