import type { AbortSignalLike, JsonObject } from '@tenon/base';
import type { InputStrategy, RequestInput } from '../execution/handler-run.js';
import type { CallerInfo } from '../handler/context.js';
import type { Id } from '../jsonrpc/message.js';
import type { TolerantConnection } from '../jsonrpc/tolerance.js';
import type { RequestHeaders } from '../jsonrpc/transport.js';
import type { LoggingLevel } from '../protocol/content.js';
import type { RetryInputs } from '../protocol/params-and-results.js';
import type { CheckHeaders, PingOptions } from '../protocol/request-handler.js';
import type { Dialect } from '../protocol/versions/dialect.js';
import type { MergeOptions } from './context/notification-merger.js';

/** One request of a client, with the functions that handlers need. */
export interface RequestContext {
  /** ID of the request. */
  readonly id: Id;
  /** Data of the protocol version of the client. */
  readonly dialect: Dialect;
  /** Client, its capabilities, and its authorization. */
  readonly caller: CallerInfo;
  /** Minimum level of log messages that the client requested. Undefined: the client gets no log messages. */
  readonly logLevel: LoggingLevel | undefined;
  /** Signal that is aborted when the client cancels the request. */
  readonly signal: AbortSignalLike;
  /**
   * Calls one listener when the client cancels the request, or at once if it is already cancelled. It needs less memory
   * than a signal.
   */
  onCancel(listener: () => void): void;
  /** Absent on transports without headers that repeat the body. */
  readonly checkHeaders?: CheckHeaders | undefined;
  /** The HTTP request. Undefined on transports without headers. */
  readonly request: RequestHeaders | undefined;
  /** URIs that this client subscribed to. Undefined on versions without `resources/subscribe`. */
  readonly subscriptions: Subscriptions | undefined;
  /** True when the request has its response or was cancelled. Absent if no later request continues its handler. */
  readonly isDone?: boolean | undefined;
  /**
   * Reports an error that the client does not get. It names the client and the method, unless it names others.
   * @param code Code of a thrown value that is not a `TenonError`. Default: `handler/threw`.
   * @param method Default: the method of the request.
   */
  reportError(error: unknown, code?: string, method?: string): void;
  /** Sends a notification on the stream of this request. It is dropped after the response or a cancellation. */
  notify(method: string, params: JsonObject): void;
  /** Creates the input strategy for this client and a request with these inputs. */
  createInputStrategy(inputs: RetryInputs, getBinding: () => string): InputStrategy;
  /** Options for merging progress and log messages. Absent: they are not merged. */
  readonly mergeOptions?: MergeOptions | undefined;
  /** Calls `listener` once when the transport is about to close. Absent if the transport does not report that. */
  readonly onShutdown?: ((listener: () => void) => void) | undefined;
  /** Pings the client of the session on the stream of this request. Absent without a session. */
  readonly ping?: ((options?: PingOptions) => Promise<void>) | undefined;
  /** Closes the stream on which the client waits. Absent if the client cannot reconnect. */
  readonly closeStream?: (() => boolean) | undefined;
  /**
   * Records that the client got a URL elicitation. Absent if the client needs no notification when the visit is
   * complete.
   */
  readonly trackElicitation?: ((elicitationId: string) => void) | undefined;
  /** The connection of the request, as far as it concerns deviations. Absent without a session. */
  readonly connection?: TolerantConnection | undefined;
  /** Session of the request, for messages to the client that belong to no request. Absent without a session. */
  readonly session?: ClientSession | undefined;
  /** The session that created this task, while it is open. */
  readonly originSession?: ClientSession | undefined;
  /**
   * Sends an input request on the stream of this request. Absent on versions without requests from server to client.
   */
  readonly requestInput?: RequestInput | undefined;
  /** Sets the log level of the session. Absent without a session. */
  readonly setLogLevel?: ((level: LoggingLevel) => void) | undefined;
}

/** Session of a client, for messages that belong to no request. */
export interface ClientSession {
  /** ID of the session. Absent on transports whose sessions have none. */
  readonly id?: string | undefined;
  /** ID of the session at all processes that share it. Absent if only this process has the session. */
  readonly sharedId?: string | undefined;
  /** Log level that the client has set. Absent until it sets one. */
  readonly requestedLogLevel?: LoggingLevel | undefined;
  /** True if the session ended only at this process, and another process may continue it. */
  readonly isContinued?: boolean | undefined;
  /** True if its requests wait for a client that has not been seen for some time. Absent if it is not known. */
  readonly isUnattended?: boolean | undefined;
  /** Sends a notification to the client. */
  notify(method: string, params: JsonObject): void;
  /**
   * Sends an input request that belongs to no request of the client. Only on versions with requests from server to
   * client.
   */
  requestInput(...request: Parameters<RequestInput>): Promise<JsonObject>;
  /** Pings the client. If `relatedTo` is set, the ping uses the stream of that request. */
  ping(options?: PingOptions, relatedTo?: Id): Promise<void>;
  /** Calls `listener` once when the session has ended. */
  onEnd(listener: () => void): void;
}

export interface Subscriptions {
  add(uri: string): void;
  remove(uri: string): void;
}
