import {
  type Check,
  checkInteger,
  checkNullable,
  checkObject,
  checkOneOf,
  checkRange,
  checkRecord,
  checkString,
  type ErrorObject,
  type JsonObject,
} from '@tenon/base';
import type { InputRequests, InputResponses } from './input-requests.js';
import type {
  CallToolResult,
  MethodResult,
  PaginatedParams,
  PaginatedResult,
  RequestParams,
} from './params-and-results.js';

/**
 * Tasks in the form of the newest version, which is that of the extension.
 * @see https://modelcontextprotocol.io/extensions/tasks/overview
 */

/** ID of the tasks extension. Its settings are `{}`. */
export const TASKS = 'io.modelcontextprotocol/tasks';

const TERMINAL_STATUSES = ['completed', 'failed', 'cancelled'] as const;
const STATUSES = ['working', 'input_required', ...TERMINAL_STATUSES] as const;

/** State of a task. `completed`, `failed` and `cancelled` are final. */
export type TaskStatus = (typeof STATUSES)[number];

/** A task in the form of the protocol. */
export interface Task {
  /** ID with which the client polls and cancels the task. */
  taskId: string;
  /** State of the task. */
  status: TaskStatus;
  /** Description of the state, for people. */
  statusMessage?: string;
  /** Time of creation, in ISO 8601. */
  createdAt: string;
  /** Time of the last change, in ISO 8601. */
  lastUpdatedAt: string;
  /** Lifetime from `createdAt`, in milliseconds. Null: no end. It may change. */
  ttlMs: number | null;
  /** Recommended time between two polls, in milliseconds. It may change. */
  pollIntervalMs?: number;
}

/** A task with the payload of its status. */
export type DetailedTask =
  | (Task & { status: 'working' | 'cancelled' })
  /** Input requests that have no answer yet. */
  | (Task & { status: 'input_required'; inputRequests: InputRequests })
  /** Result of the request. A tool call with `isError` counts as completed. */
  | (Task & { status: 'completed'; result: JsonObject })
  /** The error response that the request would have got. */
  | (Task & { status: 'failed'; error: ErrorObject });

/** A task that a peer sent. On versions with the `task` parameter, only `tasks/result` returns the result. */
export interface TaskState extends Task {
  /** Input requests for the client, when the status is `input_required`. */
  inputRequests?: InputRequests;
  /** Result of the call, when the status is `completed`. */
  result?: JsonObject;
  /** Error of the call, when the status is `failed`. */
  error?: ErrorObject;
}

/** Result of a request that continues as a task. */
export interface CreateTaskResult extends MethodResult, Task {
  /** Always `task`. */
  resultType: 'task';
}

/** The `task` parameter of a request, on versions that create tasks by a parameter. */
export interface TaskParams {
  /** Requested lifetime of the task, in milliseconds. The server may choose another. */
  ttl?: number | undefined;
}

export interface TaskMethods {
  'tasks/get': { params: RequestParams & { taskId: string }; result: MethodResult & TaskState };
  'tasks/update': { params: RequestParams & { taskId: string; inputResponses: InputResponses }; result: MethodResult };
  /** Cancels a task. On versions with the `task` parameter the result is the task. On others it is empty. */
  'tasks/cancel': { params: RequestParams & { taskId: string }; result: MethodResult & Partial<TaskState> };
  /** Waits until the task has ended. The response is that of the original request. */
  'tasks/result': { params: RequestParams & { taskId: string }; result: CallToolResult };
  'tasks/list': { params: PaginatedParams; result: PaginatedResult & { tasks: TaskState[] } };
}

export interface TaskNotifications {
  'notifications/tasks': RequestParams & DetailedTask;
  /** Announces a new task status, on versions with the `task` parameter. */
  'notifications/tasks/status': RequestParams & TaskState;
}

/** Tells if a status is final. */
export function isTerminal(status: TaskStatus): boolean {
  return TERMINAL_STATUSES.some(each => each === status);
}

/** Tells if a task may change from one status to another. The same status is not a change. */
export function canBecome(from: TaskStatus, to: TaskStatus): boolean {
  return !isTerminal(from) && from !== to;
}

const meta = { '_meta?': checkObject() };
const taskFields = {
  taskId: checkString,
  status: checkOneOf(STATUSES),
  'statusMessage?': checkString,
  createdAt: checkString,
  lastUpdatedAt: checkString,
  ttlMs: checkNullable(checkInteger),
  'pollIntervalMs?': checkInteger,
  ...meta,
};
const inputRequests = checkRecord(checkObject({ method: checkString, 'params?': checkObject() }));
const result = checkObject();
const error = checkObject({ code: checkInteger, message: checkString });
const payloadChecks: { readonly [S in TaskStatus]?: Check } = {
  input_required: checkObject({ inputRequests }),
  completed: checkObject({ result }),
  failed: checkObject({ error }),
};

/** Checks the result that creates a task. Members of the payload are not checked. */
export const createTaskResult: Check = checkObject({ resultType: checkOneOf('task'), ...taskFields });

export const taskState: Check = checkObject({
  ...taskFields,
  'inputRequests?': inputRequests,
  'result?': result,
  'error?': error,
});

export const checkDetailedTask: Check = value => taskState(value) ?? payloadChecks[(value as Task).status]?.(value);

/** Checks a requested lifetime. A negative one has no meaning, and must not become that of the server in silence. */
export function checkTtl(value: unknown): string | undefined {
  return checkInteger(value) ?? checkRange('at least 0 ms', 0)(value);
}

/**
 * Checks the `task` parameter of a request. It is separate from the table of methods, because servers without tasks
 * must ignore the parameter.
 */
export const taskParams: Check = checkObject({ 'ttl?': checkTtl });

export const taskIdParams: Check = checkObject({ taskId: checkString, ...meta });
export const taskUpdateParams: Check = checkObject({
  taskId: checkString,
  inputResponses: checkRecord(checkObject()),
  ...meta,
});
