import { type ErrorObject, isObject, type JsonObject } from '../jsonrpc/message.js';
import { type Check, checkInteger, checkNullable, checkObject, checkOneOf, checkRecord, checkString } from './check.js';
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
 * https://modelcontextprotocol.io/extensions/tasks/overview
 */

/** The extension's identifier. Its settings are `{}`. */
export const TASKS = 'io.modelcontextprotocol/tasks';

const TERMINAL_STATUSES = ['completed', 'failed', 'cancelled'] as const;
const STATUSES = ['working', 'input_required', ...TERMINAL_STATUSES] as const;

/** State of a task. `completed`, `failed` and `cancelled` are final. */
export type TaskStatus = (typeof STATUSES)[number];

/** A task as the protocol describes it. */
export interface Task {
  /** ID of the task. */
  taskId: string;
  /** State of the task. */
  status: TaskStatus;
  /** Description of the state, for people. */
  statusMessage?: string;
  /** ISO 8601. */
  createdAt: string;
  /** ISO 8601. */
  lastUpdatedAt: string;
  /** Milliseconds from `createdAt` for which it is kept; null is without end. May change. */
  ttlMs: number | null;
  /** Milliseconds to wait between looks at it. May change. */
  pollIntervalMs?: number;
}

/** A task with all there is to know of it: the payload of its status. */
export type DetailedTask =
  | (Task & { status: 'working' | 'cancelled' })
  /** Every question that is still open. */
  | (Task & { status: 'input_required'; inputRequests: InputRequests })
  /** Result of the request; a tool call with `isError` counts as completed. */
  | (Task & { status: 'completed'; result: JsonObject })
  /** The error that the request would have been answered with. */
  | (Task & { status: 'failed'; error: ErrorObject });

/** A task as a peer sends it. On versions with the `task` parameter the result is available by `tasks/result` only. */
export interface TaskState extends Task {
  /** Requests to the client, when the state is `input_required`. */
  inputRequests?: InputRequests;
  /** Result of the call, when the state is `completed`. */
  result?: JsonObject;
  /** Error of the call, when the state is `failed`. */
  error?: ErrorObject;
}

/** Result of a request that continues as a task. */
export interface CreateTaskResult extends MethodResult, Task {
  /** Always `task`. */
  resultType: 'task';
}

/** The member `task` of a request's params, where tasks are made by it. */
export interface TaskParams {
  /** Milliseconds for which the task is to be kept. The server may decide otherwise. */
  ttl?: number | undefined;
}

export interface TaskMethods {
  'tasks/get': { params: RequestParams & { taskId: string }; result: MethodResult & TaskState };
  'tasks/update': { params: RequestParams & { taskId: string; inputResponses: InputResponses }; result: MethodResult };
  /** On versions with the `task` parameter the response is the task. On others it is empty. */
  'tasks/cancel': { params: RequestParams & { taskId: string }; result: MethodResult & Partial<TaskState> };
  /** Answered when the task has ended, as the request that became it would have been. */
  'tasks/result': { params: RequestParams & { taskId: string }; result: CallToolResult };
  'tasks/list': { params: PaginatedParams; result: PaginatedResult & { tasks: TaskState[] } };
}

export interface TaskNotifications {
  'notifications/tasks': RequestParams & DetailedTask;
  /** The same where tasks are made by a parameter. */
  'notifications/tasks/status': RequestParams & TaskState;
}

/** True if the status never changes again. */
export function isTerminal(status: TaskStatus): boolean {
  return TRANSITIONS[status].length === 0;
}

/** True if a task may change from one status to the other. To stay is no step. */
export function canBecome(from: TaskStatus, to: TaskStatus): boolean {
  return TRANSITIONS[from].includes(to);
}

const TRANSITIONS: { readonly [S in TaskStatus]: readonly TaskStatus[] } = {
  working: ['input_required', ...TERMINAL_STATUSES],
  input_required: ['working', ...TERMINAL_STATUSES],
  completed: [],
  failed: [],
  cancelled: [],
};

const meta = { '_meta?': checkObject() };
const taskFields = {
  taskId: checkString,
  status: checkOneOf(...STATUSES),
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

/** Checks the creation of a task, without any member of its payload. */
export const createTaskResult: Check = checkObject({ resultType: checkOneOf('task'), ...taskFields });

export const taskState: Check = checkObject({
  ...taskFields,
  'inputRequests?': inputRequests,
  'result?': result,
  'error?': error,
});

export const checkDetailedTask: Check = value => taskState(value) ?? payloadChecks[(value as Task).status]?.(value);

/**
 * The member `task` of a request's params. The method table does not check it, because servers without such tasks must
 * ignore it.
 */
export const taskParams: Check = checkObject({ 'ttl?': checkInteger });

const acknowledged = checkObject(meta);
/** An acknowledgement, or the task. */
export const checkCancelledTask: Check = value =>
  (isObject(value) && 'taskId' in value ? taskState : acknowledged)(value);

export const taskIdParams: Check = checkObject({ taskId: checkString, ...meta });
export const taskUpdateParams: Check = checkObject({
  taskId: checkString,
  inputResponses: checkRecord(checkObject()),
  ...meta,
});
