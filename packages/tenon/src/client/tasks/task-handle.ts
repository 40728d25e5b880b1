import type { JsonObject } from '@tenon/base';
import type { CallToolResult } from '../../protocol/params-and-results.js';
import type { TaskState } from '../../protocol/tasks.js';
import type { CallOptions } from '../call-options.js';
import type { InputOf, ToolResult } from '../client.js';

/** Options for waiting for a task. */
export interface WaitOptions extends Pick<CallOptions, 'idleTimeout' | 'totalTimeout'> {
  /** Signal that ends the wait when it is aborted. The task continues; `cancel` cancels it. */
  readonly signal?: AbortSignal | undefined;
  /** Called with the current state of the task, and with each later state. */
  readonly onTask?: ((task: TaskState) => void) | undefined;
}

/** Options of a call that may become a task. */
export interface StartOptions extends Omit<CallOptions, 'resolveInputRequests'> {
  /** Signal that cancels the call when it is aborted. It has no effect after the handle was returned. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Requested lifetime of the task, in milliseconds. The server may choose another. Throws `task/ttl` on 2026-07-28,
   * where only the server chooses it.
   */
  readonly ttl?: number | undefined;
}

/** A task that runs on the server, and its result. */
export interface TaskHandle<R = unknown> extends AsyncIterable<TaskState> {
  /**
   * ID of the task, with which another process can resume it. Undefined when the server has returned a result without a
   * task.
   */
  readonly id: string | undefined;
  /** The last known state. Undefined before the first response, and when there is no task. */
  readonly state: TaskState | undefined;
  /**
   * Waits for the value of the call: the same as `client.tools.x` resolves to. Input requests of the task are answered
   * meanwhile.
   * @throws TenonError the errors of the call, and `task/cancelled`, `task/unknown`, `task/expired` or
   * `task/unreachable`. `call/unanswered-request` when no handler can answer an input request; the task then still
   * waits for an answer.
   */
  result(options?: WaitOptions): Promise<R>;
  /**
   * Waits for the whole result of the call, including a result with `isError`. It is the same as `client.callTool`
   * resolves to.
   */
  toolResult(options?: WaitOptions): Promise<CallToolResult>;
  /**
   * Iterates over the states from now on, including the last one. Input requests of the task are answered meanwhile, as
   * in `result`.
   */
  states(options?: { readonly signal?: AbortSignal | undefined }): AsyncIterable<TaskState>;
  /** Requests the cancellation of the task. The server may ignore it. Has no effect if the task has ended. */
  cancel(): Promise<void>;
}

export type ToolNameOf<T> = string extends keyof T ? string : unknown extends T ? string : keyof T & string;
type DefinitionOf<T, N> = N extends keyof T ? T[N] : unknown;
/** Value of a tool's task. `unknown` for unknown tools. */
export type ToolResultOf<T, N> = unknown extends DefinitionOf<T, N> ? unknown : ToolResult<DefinitionOf<T, N>>;
type StartArguments<I> = [I] extends [undefined]
  ? [input?: Record<string, never>, options?: StartOptions]
  : unknown extends I
    ? [input?: Record<string, unknown>, options?: StartOptions]
    : [input: I, options?: StartOptions];

/**
 * Starts, resumes and manages tasks.
 * @see https://modelcontextprotocol.io/extensions/tasks/overview
 */
export interface Tasks<T = unknown> {
  /**
   * Calls a tool and returns a handle of the task that the call becomes. If the server returns a result without a task,
   * the handle is already complete. On versions with the `task` parameter, the client requests a task if the tool
   * supports tasks.
   */
  start<N extends ToolNameOf<T>>(
    name: N,
    ...input: StartArguments<InputOf<DefinitionOf<T, N>>>
  ): Promise<TaskHandle<ToolResultOf<T, N>>>;
  /**
   * Resumes a task by its ID. With the name of the tool, its result is validated and typed. No request is sent before
   * you call a method of the handle.
   */
  resume<N extends ToolNameOf<T> = never>(
    id: string,
    options?: { readonly tool?: N | undefined },
  ): TaskHandle<[N] extends [never] ? unknown : ToolResultOf<T, N>>;
  /** Gets the state of a task. Rejects with `task/unknown` when the task does not exist. */
  get(id: string, options?: CallOptions): Promise<TaskState>;
  /**
   * Requests the cancellation of a task. Has no effect if the task has ended. Rejects with `task/unknown` when the task
   * does not exist.
   */
  cancel(id: string, options?: CallOptions): Promise<void>;
  /**
   * Lists all tasks of this client that the server still stores. Rejects if the protocol version or the server has no
   * `tasks/list`.
   */
  list(options?: CallOptions): AsyncIterable<TaskState>;
}

/** Starts a call by name, without types. */
export type StartCall = (name: string, input?: JsonObject, options?: StartOptions) => Promise<TaskHandle>;
