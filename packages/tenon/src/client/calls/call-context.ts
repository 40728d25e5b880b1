import type { Clock, JsonObject } from '@tenon/base';
import type { CallTrace } from '../../jsonrpc/pending-requests.js';
import type { LoggingLevel, Tool } from '../../protocol/content.js';
import type { FinalResult, MethodName, Methods } from '../../protocol/method-types.js';
import type { TaskParams } from '../../protocol/tasks.js';
import type { InternalCallOptions } from '../call-options.js';
import type { Connection } from '../connection/connection.js';
import type { ConnectionManager } from '../connection/connection-manager.js';
import type { ClientEmitter } from '../emitter.js';
import type { ClientOptions } from '../options.js';
import type { CallDeadline, PausableClock } from './call-deadline.js';
import type { ResponseCache } from './response-cache.js';
import type { ToolCache } from './tool-cache.js';

/** One call with its options and its changing state. */
export interface CallState {
  readonly method: string;
  /** The method, if it is one of the protocol. */
  readonly known: MethodName | undefined;
  readonly params: JsonObject;
  readonly options: InternalCallOptions;
  readonly deadline: CallDeadline;
  /** Generation of the response cache before the call was sent. */
  readonly cacheGeneration: number;
  /** Task parameters to send if the caller requests a task. */
  readonly taskParams?: TaskParams | undefined;
  /** The tool whose result is expected. */
  readonly tool?: string | undefined;
  /** Trace over the rounds of the call. Absent without telemetry. */
  readonly trace?: CallTrace | undefined;
  /** Stops progress reports of the task that the call became. */
  stopProgress?: () => void;
  /** True once the call has become a task. */
  isTask?: boolean;
}

/** All that the calls of one client share: its connections, caches and clocks, and the ways to send a call. */
export interface CallContext {
  readonly options: ClientOptions;
  readonly emitter: ClientEmitter;
  readonly connections: ConnectionManager;
  readonly cache: ResponseCache;
  readonly toolCache: ToolCache;
  /** A clock that never pauses. */
  readonly clock: Clock;
  /** The clock of call timeouts. It is paused while the user answers a request of the server. */
  readonly pausableClock: PausableClock;
  logLevel: LoggingLevel | undefined;
  /** Calls any method, and waits for the task that the call may become. */
  call(method: string, params?: JsonObject, options?: InternalCallOptions): Promise<JsonObject>;
  /** Calls a method of the protocol and returns its final result, which the table of methods has checked. */
  request<M extends MethodName>(
    method: M,
    params: Methods[M]['params'],
    options?: InternalCallOptions,
  ): Promise<FinalResult<Methods[M]['result']>>;
  createCallState(method: string, params: JsonObject, options: InternalCallOptions): CallState;
  /** Calls any method. If the call becomes a task, it returns the task without waiting for it. */
  begin(callState: CallState): JsonObject | Promise<JsonObject>;
  /** Sends a call on this connection, or on the current one if this one has ended. */
  sendOnce(connection: Connection, callState: CallState): JsonObject | Promise<JsonObject>;
  /** Requests the state of a task, whatever capabilities the server declares. */
  sendTaskRequest(
    method: MethodName,
    params: JsonObject,
    options: InternalCallOptions,
    tool?: string,
  ): Promise<JsonObject>;
  /** Lists all tools. Over HTTP, tools with invalid header annotations are omitted. */
  listTools(options?: InternalCallOptions): AsyncGenerator<Tool>;
  /** Loads the list of tools before the first call that needs it. */
  loadTools(connection: Connection, options: InternalCallOptions): Promise<void>;
}
