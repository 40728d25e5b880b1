import type { AbortSignalLike, JsonObject } from '@tenon/base';
import type { Id } from '../jsonrpc/message.js';
import type { Meta } from '../protocol/content.js';
import type { TaskState } from '../protocol/tasks.js';

/** One progress report of a call. */
export interface Progress {
  /** Amount done so far. Increases with each report. */
  readonly progress: number;
  /** Total amount, if the server knows it. */
  readonly total?: number;
  /** Text for people. */
  readonly message?: string;
}

/** Options of a call that another part of the library makes. */
export interface InternalCallOptions extends Omit<CallOptions, 'signal'> {
  readonly signal?: AbortSignalLike | undefined;
}

/** Options of one call. */
export interface CallOptions {
  /** Signal that cancels the call when it is aborted. A task of the call is cancelled too. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Called with each progress report of the server. The client always sends a progress token, because progress extends
   * `idleTimeout`.
   */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Called when the call has become a task, and with each new state of the task. */
  readonly onTask?: ((task: TaskState) => void) | undefined;
  /**
   * Maximum time without a progress notification, in milliseconds. For a task it applies to each request that polls
   * the task.
   * @default `idleTimeout` of the client
   */
  readonly idleTimeout?: number | undefined;
  /**
   * Maximum total time of the call, in milliseconds. It includes the time until a task has ended.
   * @default `totalTimeout` of the client
   */
  readonly totalTimeout?: number | undefined;
  /**
   * Metadata to send in `_meta`, for example trace context. A key with a prefix of the protocol rejects with
   * `meta/reserved`.
   */
  readonly meta?: Meta | undefined;
  /** Sends the `_meta` of another peer without a check of its keys. @internal */
  readonly allowReservedMeta?: boolean | undefined;
  /**
   * Allows the client to send the call again when the server may already have executed it.
   * @default true for methods that only read
   */
  readonly idempotent?: boolean | undefined;
  /** Called when the server closes the stream before the response and the client polls for the response. @internal */
  readonly onStreamClosed?: (() => void) | undefined;
  /** Called with the ID of each request of the call. @internal */
  readonly onRequestId?: ((id: Id) => void) | undefined;
  /**
   * Called when the result is a task, in a call with `resolveInputRequests: false`. Progress is reported until
   * `stopProgress` is called. @internal
   */
  readonly onTaskCreated?: ((stopProgress: () => void) => void) | undefined;
  /** Called with each unchanged page of a list. @internal */
  readonly onPage?: ((page: JsonObject) => void) | undefined;
  /** Called when the server has no such list, although its capability implies one. The list is then empty. @internal */
  readonly onListMissing?: (() => void) | undefined;
  /**
   * Answers input requests of the server and waits for tasks. `false` returns them as the result.
   * @default `true`
   */
  readonly resolveInputRequests?: boolean | undefined;
}
