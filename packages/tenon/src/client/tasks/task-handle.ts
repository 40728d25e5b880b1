import type { JsonObject } from '../../jsonrpc/message.js';
import type { CallToolResult } from '../../protocol/params-and-results.js';
import type { TaskState } from '../../protocol/tasks.js';
import type { InputOf, ToolResult } from '../client.js';
import type { CallOptions } from '../options.js';

/** Options for waiting for a task. Times are milliseconds. */
export interface WaitOptions extends Pick<CallOptions, 'idleTimeout' | 'totalTimeout'> {
  /** Ends the wait. The task goes on: it is `cancel` that cancels it. */
  readonly signal?: AbortSignal | undefined;
  /** Called with how it stands, and with each state from then on. */
  readonly onTask?: ((task: TaskState) => void) | undefined;
}

/** Options of a call that is to become a task. */
export interface StartOptions extends Omit<CallOptions, 'resolveInputRequests'> {
  /** Gives the call up. Once there is a handle it does nothing any more. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Lifetime of the task in milliseconds, on versions that let the client choose it. The server may decide otherwise.
   */
  readonly ttl?: number | undefined;
}

/** A task that goes on at the server, and what it comes to. */
export interface TaskHandle<R = unknown> extends AsyncIterable<TaskState> {
  /** All that another process needs to come back to it. None when the server has answered without a task. */
  readonly id: string | undefined;
  /** The last known state. Undefined before the first response, and when there is no task. */
  readonly state: TaskState | undefined;
  /**
   * Waits for the value of the call: the same as `client.tools.x` resolves to. Input requests of the task are answered
   * meanwhile. Rejects as the call would, and with `task/cancelled`, `task/unknown`, `task/expired`,
   * `task/unreachable`. Rejects with `call/unanswered-request` when no handler can answer an input request; the task
   * then keeps waiting for an answer.
   */
  result(options?: WaitOptions): Promise<R>;
  /**
   * Waits for the whole result of the call, including one with `isError`: the same as `client.callTool` resolves to.
   */
  toolResult(options?: WaitOptions): Promise<CallToolResult>;
  /** Each state from now on, the last one as well. The task is looked after meanwhile, as it is by `result`. */
  states(options?: { readonly signal?: AbortSignal | undefined }): AsyncIterable<TaskState>;
  /** Requests the cancellation of the task. The server may ignore it. Does nothing if the task has ended. */
  cancel(): Promise<void>;
}

export type ToolNameOf<T> = string extends keyof T ? string : unknown extends T ? string : keyof T & string;
type DefinitionOf<T, N> = N extends keyof T ? T[N] : unknown;
/** The value of a tool's task; `unknown` for unknown tools. */
export type ToolResultOf<T, N> = unknown extends DefinitionOf<T, N> ? unknown : ToolResult<DefinitionOf<T, N>>;
type StartArguments<I> = [I] extends [undefined]
  ? [input?: Record<string, never>, options?: StartOptions]
  : unknown extends I
    ? [input?: Record<string, unknown>, options?: StartOptions]
    : [input: I, options?: StartOptions];

/** Tasks, made and come back to. https://modelcontextprotocol.io/extensions/tasks/overview */
export interface Tasks<T = unknown> {
  /**
   * Calls a tool, and hands out the task that the server makes of the call. Where the server just answers, the handle
   * is one that is done already; where it is the client that makes tasks, it makes one of each call that may be one.
   */
  start<N extends ToolNameOf<T>>(
    name: N,
    ...input: StartArguments<InputOf<DefinitionOf<T, N>>>
  ): Promise<TaskHandle<ToolResultOf<T, N>>>;
  /**
   * Resumes a task by its id. With the name of the tool its result is validated and typed. No request is sent before a
   * method of the handle is called.
   */
  resume<N extends ToolNameOf<T> = never>(
    id: string,
    options?: { readonly tool?: N | undefined },
  ): TaskHandle<[N] extends [never] ? unknown : ToolResultOf<T, N>>;
  /** Gets the state of a task. Rejects with `task/unknown` when the server has none of that id. */
  get(id: string, options?: CallOptions): Promise<TaskState>;
  /**
   * Requests the cancellation of a task. Does nothing if the task has ended. Rejects with `task/unknown` when it does
   * not exist.
   */
  cancel(id: string, options?: CallOptions): Promise<void>;
  /**
   * Lists all tasks of this client that the server still stores. Rejects if the protocol version or the server has no
   * `tasks/list`.
   */
  list(options?: CallOptions): AsyncIterable<TaskState>;
}

/** A call by name, before any type is known. */
export type StartCall = (name: string, input?: JsonObject, options?: StartOptions) => Promise<TaskHandle>;
