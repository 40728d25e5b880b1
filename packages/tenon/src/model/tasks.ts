import { type ErrorObject, isObject, type JsonObject } from '../jsonrpc/message.js';
import type { InputRequests, InputResponses } from './asking.js';
import { type Check, integer, object, oneOf, orNull, record, text } from './check.js';
import type { CallToolResult, Page, Paged, Params, Result } from './shapes.js';

/** Tasks in our words, which are those of the extension. https://modelcontextprotocol.io/extensions/tasks/overview */

/** The extension's identifier. Its settings are `{}`. */
export const TASKS = 'io.modelcontextprotocol/tasks';

const ENDS = ['completed', 'failed', 'cancelled'] as const;
const STATUSES = ['working', 'input_required', ...ENDS] as const;

export type TaskStatus = (typeof STATUSES)[number];

export interface Task {
  taskId: string;
  status: TaskStatus;
  /** How it stands, for people. */
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
  /** What the request would have been answered with; a tool that failed has completed. */
  | (Task & { status: 'completed'; result: JsonObject })
  /** The error that the request would have been answered with. */
  | (Task & { status: 'failed'; error: ErrorObject });

/** A task as a peer tells of it: where tasks are made by a parameter, the payload is to be had by `tasks/result` only. */
export interface TaskState extends Task {
  inputRequests?: InputRequests;
  result?: JsonObject;
  error?: ErrorObject;
}

/** What a request is answered with that goes on as a task. */
export interface CreateTaskResult extends Result, Task {
  resultType: 'task';
}

/** The member `task` of a request's params, where tasks are made by it. */
export interface TaskParams {
  /** Milliseconds for which the task is to be kept. The server may decide otherwise. */
  ttl?: number;
}

export interface TaskMethods {
  'tasks/get': { params: Params & { taskId: string }; result: Result & TaskState };
  'tasks/update': { params: Params & { taskId: string; inputResponses: InputResponses }; result: Result };
  /** Answered by the task where tasks are made by a parameter, else by nothing but that it was heard. */
  'tasks/cancel': { params: Params & { taskId: string }; result: Result & Partial<TaskState> };
  /** Answered when the task has ended, as the request that became it would have been. */
  'tasks/result': { params: Params & { taskId: string }; result: CallToolResult };
  'tasks/list': { params: Paged; result: Page & { tasks: TaskState[] } };
}

export interface TaskNotifications {
  'notifications/tasks': Params & DetailedTask;
  /** The same where tasks are made by a parameter. */
  'notifications/tasks/status': Params & TaskState;
}

/** Whether it stays as it is from now on. */
export function isTerminal(status: TaskStatus): boolean {
  return NEXT[status].length === 0;
}

/** Whether a task may go from one status to another. To stay is no step. */
export function mayBecome(from: TaskStatus, to: TaskStatus): boolean {
  return NEXT[from].includes(to);
}

const NEXT: { readonly [S in TaskStatus]: readonly TaskStatus[] } = {
  working: ['input_required', ...ENDS],
  input_required: ['working', ...ENDS],
  completed: [],
  failed: [],
  cancelled: [],
};

const meta = { '_meta?': object() };
const plain = {
  taskId: text,
  status: oneOf(...STATUSES),
  'statusMessage?': text,
  createdAt: text,
  lastUpdatedAt: text,
  ttlMs: orNull(integer),
  'pollIntervalMs?': integer,
  ...meta,
};
const inputRequests = record(object({ method: text, 'params?': object() }));
const result = object();
const error = object({ code: integer, message: text });
const payload: { readonly [S in TaskStatus]?: Check } = {
  input_required: object({ inputRequests }),
  completed: object({ result }),
  failed: object({ error }),
};

/** What became a task: no member of its payload is looked for. */
export const createdTask: Check = object({ resultType: oneOf('task'), ...plain });

export const taskState: Check = object({
  ...plain,
  'inputRequests?': inputRequests,
  'result?': result,
  'error?': error,
});

export const detailedTask: Check = value => taskState(value) ?? payload[(value as Task).status]?.(value);

/**
 * The member `task` of a request's params. The table of methods does not look at it: whoever makes no tasks by it is to
 * ignore it, whatever it is.
 */
export const taskParams: Check = object({ 'ttl?': integer });

const acknowledged = object(meta);
/** An acknowledgement, or the task. */
export const cancelledTask: Check = value => (isObject(value) && 'taskId' in value ? taskState : acknowledged)(value);

export const byTaskId: Check = object({ taskId: text, ...meta });
export const taskAnswers: Check = object({ taskId: text, inputResponses: record(object()), ...meta });
