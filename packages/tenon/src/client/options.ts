import type { Clock } from '../cancellation/clock.js';
import type { AbortSignalLike } from '../cancellation/lazy-abort-signal.js';
import type { TenonError } from '../jsonrpc/error.js';
import type { KeepAliveOptions } from '../jsonrpc/keep-alive.js';
import type { MaybePromise } from '../jsonrpc/maybe-promise.js';
import type { Id, JsonObject } from '../jsonrpc/message.js';
import type { ClientCapabilities } from '../protocol/capabilities.js';
import type { Icon, LoggingLevel, Meta, Root } from '../protocol/content.js';
import type {
  CreateMessageParams,
  CreateMessageResult,
  ElicitFormParams,
  ElicitResult,
  ElicitUrlParams,
} from '../protocol/input-requests.js';
import type { TaskState } from '../protocol/tasks.js';
import type { SuggestedProtocolVersion } from '../protocol/versions/protocol-version.js';
import type { MemoryOptions } from '../transports/memory.js';
import type { VersionCache } from './connection/version-cache.js';

/** Context of a server's request, beside its params. */
export interface ServerRequestInfo {
  /** Aborted when the answer is no longer wanted, or comes too late. */
  readonly signal: AbortSignal;
  /** The server, as errors name it. */
  readonly server: string;
  /**
   * Reports progress, which extends the server's timeout. `progress` must grow. Does nothing if the server sent no
   * progress token, on versions whose servers request input in results, and after the response.
   * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/progress
   */
  progress(progress: number, total?: number, message?: string): void;
  /** The request on whose stream the server sent this one, if known. @internal */
  readonly relatedTo?: Id | undefined;
  /** The task that sent the request, if any. @internal */
  readonly task?: string | undefined;
}

/** `ServerRequestInfo` inside the client. Most handlers never read the signal, so its `AbortSignal` is created on access. */
export interface InternalRequestInfo extends Omit<ServerRequestInfo, 'signal'> {
  readonly signal: AbortSignalLike;
}

/** Roots that may change while clients are connected. Each client announces the changes to its server. */
export interface RootsSource {
  /** Returns the roots as they are now. */
  list(): MaybePromise<readonly Root[]>;
  /** Calls `onChange` after each change of the list. Returns the function that ends the subscription. */
  subscribe(onChange: () => void): () => void;
}

/** Handlers for requests of the server. What is there is declared as a capability; nothing else is. */
export interface ClientHandlers {
  /** Shows the user a form. What it leaves out of an accepted answer is filled from the defaults of the fields. */
  readonly elicit?: ((form: ElicitFormParams, info: ServerRequestInfo) => MaybePromise<ElicitResult>) | undefined;
  /** Asks the user to visit a URL. Show its domain, and do not open it without consent. */
  readonly elicitUrl?: ((question: ElicitUrlParams, info: ServerRequestInfo) => MaybePromise<ElicitResult>) | undefined;
  /** Samples from a model. */
  readonly sample?:
    | ((request: CreateMessageParams, info: ServerRequestInfo) => MaybePromise<CreateMessageResult>)
    | undefined;
  /** True if `sample` can give tools to the model. Default `false`. */
  readonly sampleTools?: boolean | undefined;
  /**
   * The folders that servers may work in: a list, a function that returns it, or a source that also announces changes
   * (`workspaceRoots` of `tenon/node`). Roots are deprecated in 2026-07-28: give servers their folders by
   * configuration. https://modelcontextprotocol.io/specification/2025-11-25/client/roots
   */
  readonly roots?: readonly Root[] | (() => MaybePromise<readonly Root[]>) | RootsSource | undefined;
  /** Returns input requests to the caller instead of answering them. @internal */
  readonly forwarder?: RequestForwarder | undefined;
}

/** Answers requests of a server in place of the client's handlers, with the capabilities to declare. */
export interface RequestForwarder {
  readonly capabilities: ClientCapabilities;
  /** Returns the result as it came, decoded into the newest version. */
  forward(method: string, params: JsonObject, info: ServerRequestInfo): Promise<JsonObject>;
}

/** Options of a client. Times are milliseconds. */
export interface ClientOptions extends ClientHandlers, MemoryOptions {
  /** Name of the client, which servers see. Default: `tenon`. */
  readonly name?: string | undefined;
  /** Version of the client. Default: the version of this library. */
  readonly version?: string | undefined;
  /** Name of the client for people. Default: `name`. */
  readonly title?: string | undefined;
  /** Images of the client for user interfaces. Default: none. */
  readonly icons?: Icon[] | undefined;
  /** Uses only this protocol version. Default: the newest that client and server share. */
  readonly protocolVersion?: SuggestedProtocolVersion | undefined;
  /**
   * Refuses a result whole, with `peer/invalid-result`, when one entry of it is malformed: a block of content, a
   * message, the contents of a resource, an entry of a list. Otherwise that entry is left out and reported by the event
   * `error`. Default `false`.
   */
  readonly strictResults?: boolean | undefined;
  /** Begins with this protocol version, and accepts the version that the server prefers. @internal */
  readonly preferredVersion?: string | undefined;
  /** Called for each opening: aborted, it gives that one up with the reason. @internal */
  readonly getOpenSignal?: (() => AbortSignal) | undefined;
  /**
   * Extensions that the client has, by their identifiers: `com.example/thing`. Settings are `{}` where none are given.
   */
  readonly extensions?: readonly { readonly id: string; readonly settings?: JsonObject | undefined }[] | undefined;
  /** Allows servers to answer a tool call by a task, which the client then awaits. Default `true`. */
  readonly tasks?: boolean | undefined;
  /** Features of your own, declared to servers. Default: none. */
  readonly experimental?: { readonly [name: string]: JsonObject } | undefined;
  /** Time without a sign of life of a call before it is given up, in milliseconds; progress is one. Default 60,000. */
  readonly idleTimeout?: number | undefined;
  /** Time in all for one call, in milliseconds, without the time that the user takes to answer. Default: no limit. */
  readonly totalTimeout?: number | undefined;
  /**
   * Time to wait for the answer to a first `server/discover` before the handshake is tried, in milliseconds. Default
   * 2,000; `idleTimeout` with `protocolVersion: '2026-07-28'`, which has no handshake.
   */
  readonly probeTimeout?: number | undefined;
  /**
   * Pings the server when nothing came from it for `interval` ms. When a ping is not answered within `timeout` ms the
   * connection ends with `connection/unresponsive`, and another is opened. Default: `{ interval: 30_000, timeout: 5_000
   * }` over HTTP while a stream is open on which the server speaks by itself; elsewhere only after a call has timed out
   * on stdio or HTTP+SSE. `false`: never.
   * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/ping
   */
  readonly keepAlive?: KeepAliveOptions | false | undefined;
  /** Maximum number of times that a server may request input within one call, and within one task. Default 10. */
  readonly maxRounds?: number | undefined;
  /**
   * Time that one of the client's own handlers may take to answer a request of the server, in milliseconds. Default
   * 1,800,000: 30 minutes.
   */
  readonly answerTimeout?: number | undefined;
  /** Handling of a result that does not fit the tool's `outputSchema`. Default `error`. */
  readonly validate?: 'error' | 'warn' | 'off' | undefined;
  /** The lowest level of log messages to request. Default: the server decides. */
  readonly logLevel?: LoggingLevel | undefined;
  /** Maximum number of responses kept for as long as the server allows; 0 keeps none. Default 200. */
  readonly cacheSize?: number | undefined;
  /**
   * Remembers negotiated protocol versions, so that only the first connection has to probe. Default: for this process.
   */
  readonly versionCache?: VersionCache | undefined;
  /** Source of time, for tests. Default: the clock of the system. */
  readonly clock?: Clock | undefined;
}

/** One progress report of a call. */
export interface Progress {
  /** Amount done so far. Increases with each report. */
  readonly progress: number;
  /** Total amount, if the server knows it. */
  readonly total?: number;
  /** Text for people. */
  readonly message?: string;
}

/** Options of a call that another part of the library makes. @internal */
export interface InternalCallOptions extends Omit<CallOptions, 'signal'> {
  readonly signal?: AbortSignalLike | undefined;
}

/** Options of one call. */
export interface CallOptions {
  /** Gives the call up. The task that it has become is cancelled. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Called with each progress report of the server. The client always sends a progress token, because progress extends
   * `idleTimeout`.
   */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Called when the call has become a task, and with each of its states: to keep its id, or to show how it stands. */
  readonly onTask?: ((task: TaskState) => void) | undefined;
  /** In milliseconds, as of the client. Of a task: for each of the requests by which it is waited for. */
  readonly idleTimeout?: number | undefined;
  /** In milliseconds, as of the client. Of a task: until it has ended. */
  readonly totalTimeout?: number | undefined;
  /** Sent in `_meta`, for example trace context. A key with a prefix of the protocol rejects with `meta/reserved`. */
  readonly meta?: Meta | undefined;
  /** Sends `_meta` that another peer gave, without a check of its keys. @internal */
  readonly allowReservedMeta?: boolean | undefined;
  /**
   * Allows the call to be sent again when it may have been carried out already. Default: for methods that only read.
   */
  readonly idempotent?: boolean | undefined;
  /** Called when the server closes the stream before the response and the client polls for it. @internal */
  readonly onStreamClosed?: (() => void) | undefined;
  /** Called with the id of each request that is sent for the call. @internal */
  readonly onRequestId?: ((id: Id) => void) | undefined;
  /**
   * Called when the answer is a task, of a call with `resolveInputRequests: false`: progress is reported until this is
   * called. @internal
   */
  readonly onTaskCreated?: ((stopProgress: () => void) => void) | undefined;
  /** Called with each page of a list, as it came. @internal */
  readonly onPage?: ((page: JsonObject) => void) | undefined;
  /** Answers input requests of the server and awaits tasks. `false` returns them as the result. Default `true`. */
  readonly resolveInputRequests?: boolean | undefined;
}

/** State of a connection. */
export type ConnectionState = 'connecting' | 'signing-in' | 'connected' | 'reconnecting' | 'closed' | 'failed';

/** Events of a client. */
export interface ClientEvents {
  /** The connection changed its state. */
  state: ConnectionState;
  /** A log message of the server. */
  log: { readonly level: LoggingLevel; readonly logger?: string; readonly data: unknown };
  /** Something changed on the server: a list, or the resource of this URI. */
  change: { readonly list: 'tools' | 'prompts' | 'resources' } | { readonly uri: string };
  /** A URL elicitation is done. */
  elicitationComplete: { readonly elicitationId: string };
  /** An error that no call reported. */
  error: TenonError;
  /** Any other notification of the server. */
  notification: { readonly method: string; readonly params: JsonObject; readonly subscription?: Id };
}
