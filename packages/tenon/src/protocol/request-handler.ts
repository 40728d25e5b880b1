import type { AuthInfo, Clock, ErrorObject, JsonObject, MaybePromise, Stores, TenonError } from '@tenon/base';
import type { JsonRpcNotification, JsonRpcRequest, JsonRpcResponse } from '../jsonrpc/message.js';
import type { RequestHeaders, Transport } from '../jsonrpc/transport.js';
import type { ClientCapabilities } from './capabilities.js';
import type { Implementation, LoggingLevel } from './content.js';
import type { HeaderParam } from './header-params.js';
import type { Dialect } from './versions/dialect.js';

/** A server, from the point of view of a transport. */
export interface RequestHandler {
  /** Name of the server, for people. Absent if it is not known. */
  readonly info?: { readonly name: string; readonly title?: string | undefined } | undefined;

  /** Serves one peer until its transport closes. The peer is a process, a session or an in-memory client. */
  connect(transport: Transport, options?: ConnectOptions): Promise<ServerSession>;

  /**
   * Determines the protocol version of a request. `versionHeader` is the version in the headers, if there are headers.
   */
  classifyRequest(request: JsonRpcRequest, versionHeader?: string): RequestRoute;

  /** Handles one stateless request with its route. Never throws or rejects. */
  answer(request: JsonRpcRequest, route: StatelessRoute, io: RequestIO): JsonRpcResponse | Promise<JsonRpcResponse>;

  /**
   * Returns a command line of curl that this server answers, for people who do not know how to begin. `url` has no
   * characters of a shell. Absent if the server cannot tell.
   */
  readonly createCurlLine?: ((url: string) => Promise<string>) | undefined;

  /**
   * Returns the same server without sessions. On versions with sessions it serves each request alone.
   *
   * Features that need a session are refused and not declared. Absent if the server needs sessions.
   */
  readonly withoutSessions?: (() => RequestHandler) | undefined;

  /**
   * Stores that all processes of the server share. They contain the sessions, so that each process can handle all of
   * them.
   */
  readonly sharedStores?: SharedStores | undefined;

  /**
   * Makes this process pass retries to the process in which their handler waits. A transport calls it if the requests of
   * a client may reach any process. Absent if the server shares no stores.
   */
  readonly forwardRetries?: ((load: LoadRetryForwarding) => void) | undefined;

  /** Reads from the durable stores of the server. Rejects if they do not respond. Absent if the server has none. */
  readonly checkStores?: (() => Promise<void>) | undefined;

  /** Returns the formats of stored records that this process found and cannot read. */
  readonly getUnknownFormats?: Stores['getUnknownFormats'];
}

/** Stores that several processes of one server use. */
export interface SharedStores extends Pick<Stores, 'values' | 'bus'> {
  /** Identifies the server in keys, because other servers may use the same stores. */
  readonly scope: string;
}

/** State of a session. Another process needs it to continue the session. */
export interface SessionState {
  readonly protocolVersion: string;
  readonly client: Implementation | undefined;
  readonly capabilities: ClientCapabilities;
  /** Log level that the client has set. Absent until it sets one. */
  readonly logLevel?: LoggingLevel | undefined;
  /** True once the client has sent `notifications/initialized`. */
  readonly isInitialized: boolean;
  /** Resources that the client subscribed to. */
  readonly subscribedUris: readonly string[];
  /** ID by which the processes name the session to each other. Clients do not know it. */
  readonly id?: string | undefined;
  /** Number of times that the client has notified that its roots changed. */
  readonly rootsChanges?: number | undefined;
}

/** A change of a session. It may be applied again if another process has changed the session meanwhile. */
export type SessionChange = (state: SessionState) => SessionState;

export interface ConnectOptions {
  readonly auth?: AuthInfo | undefined;
  /** Network address of the peer. Absent if the transport does not know it. */
  readonly address?: string | undefined;
  /** Dialect of all messages, for a transport that serves a single POST without a session. */
  readonly dialect?: Dialect | undefined;
  /** The session, if another process opened it. Absent: `initialize` opens it. */
  readonly state?: SessionState | undefined;
  /** Called for each change of the session, before the response to the request that changed it. */
  readonly onStateChange?: ((change: SessionChange) => void) | undefined;
}

export interface PingOptions {
  /**
   * Maximum time for the response, in milliseconds.
   * @default 5,000
   */
  readonly timeout?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The session of one peer. */
export interface ServerSession {
  /** The protocol version, once it is negotiated. */
  readonly dialect: Dialect | undefined;
  /**
   * Tells if the peer may send batches.
   * @default on versions with batches
   */
  readonly getBatchMode?: (() => boolean) | undefined;
  /** Number of requests of the peer without a response. Open `subscriptions/listen` requests do not count. */
  readonly inFlight: number;
  /** True if all open requests of the peer wait for its response to an input request. Absent if it is not known. */
  readonly waitsForClient?: boolean | undefined;
  /** True while the peer has an open `subscriptions/listen` request. Absent if it is not known. */
  readonly isListening?: boolean | undefined;
  /**
   * Completes the open `subscriptions/listen` requests, because the server is shutting down. Absent on sessions without
   * such requests.
   */
  readonly endListening?: (() => void) | undefined;
  /** Number of running handlers, including those of cancelled requests. Absent if it is not known. */
  readonly activeHandlers?: number | undefined;
  /**
   * Applies a session state that another process has changed. With `isObserver`, this process notifies the client of
   * changes of lists and resources. Absent if sessions are not shared.
   */
  readonly applyState?: ((state: SessionState, isObserver: boolean) => void) | undefined;
  /** Notifies the client of everything that it subscribed to, because changes may have been missed. */
  readonly notifyMissedChanges?: (() => void) | undefined;
  /**
   * Ends the session: aborts running handlers and rejects pending requests. Does not close the transport. With
   * `isContinued`, the session ends only at this process.
   */
  end(isContinued?: boolean): void;
}

/** The session of one connected client, for the code that called `connect`. */
export interface SessionHandle extends ServerSession {
  /**
   * Pings the client of the session. If no response arrives in time, it rejects with `call/timeout` and closes the
   * connection. Rejects with `connection/not-open` if there is no session.
   * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/ping
   */
  ping(options?: PingOptions): Promise<void>;
}

/** Route of a request that has all information about its sender in `_meta`. Pass both to `answer`. */
export interface StatelessRoute {
  readonly opening: 'per-request';
  readonly dialect: Dialect;
  /** Capabilities of the client. */
  readonly capabilities: ClientCapabilities;
  /** Name and version of the client. `undefined` if it does not tell them. */
  readonly client: Implementation | undefined;
  /** Minimum level of the log messages that the client receives. `undefined` if it wants none. */
  readonly logLevel: LoggingLevel | undefined;
}

export type RequestRoute =
  | StatelessRoute
  /** The request opens a session. Call `connect`, then pass the request to the transport. */
  | { readonly opening: 'handshake' }
  /** The request belongs to an open session. */
  | { readonly opening: 'opened' }
  /**
   * The request has a version with sessions, but belongs to no session. Call `connect` with this dialect for this
   * request alone.
   */
  | { readonly opening: 'sessionless'; readonly dialect: Dialect }
  /** The request cannot be served. */
  | { readonly opening: 'refused'; readonly error: ErrorObject };

/** Checks that the headers of a request repeat its arguments. Throws -32020 if they do not. */
export type CheckHeaders = (headerParams: readonly HeaderParam[], args: JsonObject | undefined) => void;

/** Input and output of one request, provided by the transport. */
export interface RequestIO {
  readonly auth?: AuthInfo | undefined;
  /** Network address of the client. Absent if the transport does not know it. */
  readonly address?: string | undefined;
  /**
   * True if work of this request cannot continue in another request. Handlers are then not suspended, but run again.
   */
  readonly ephemeral?: boolean | undefined;
  /** Absent on transports without headers. */
  readonly checkHeaders?: CheckHeaders | undefined;
  /** The HTTP request, for handlers that read its headers. Absent on transports without headers. */
  readonly request?: RequestHeaders | undefined;
  /** Sends a notification on the stream of this request, before the response. */
  send(notification: JsonRpcNotification): void | Promise<void>;
  /** Calls `listener` once when the client has cancelled the request. */
  onClientClosed(listener: () => void): void;
  /**
   * Calls `listener` when the server shuts down or the authorization of the request expires. A response that would stay
   * open, such as a subscription, must then be completed.
   */
  readonly onShutdown?: ((listener: () => void) => void) | undefined;
}

/** Handles a retry that another process received. */
export type AnswerRetry = (request: JsonRpcRequest, io: RequestIO) => MaybePromise<JsonRpcResponse>;

/** A retry as this process received it. */
export interface ReceivedRetry {
  readonly request: JsonRpcRequest;
  readonly io: Pick<RequestIO, 'auth' | 'address' | 'send'>;
  /** Calls its listener once when the client cancels the request. */
  readonly onCancel: (listener: () => void) => void;
}

export interface RetryForwardingOptions {
  readonly stores: SharedStores;
  readonly clock: Clock;
  readonly onError: (error: TenonError) => void;
  readonly answer: AnswerRetry;
  /** Receives the function that stops listening, when this process begins to listen. */
  readonly onListening: (stop: () => void) => void;
}

/** Passes retries to the process in whose memory their handler waits. */
export interface RetryForwarder {
  /** Identifies this process in sealed states. */
  readonly id: string;
  /** Makes the other processes pass retries to this one for some time, in milliseconds, because a handler waits here. */
  hold(time: number): Promise<void>;
  /**
   * Passes a retry to another process, and waits for its result. Returns `undefined` if that process has stopped before
   * it took the retry.
   */
  forward(holder: string, retry: ReceivedRetry): Promise<JsonObject | undefined>;
}

/** Loads the code that passes retries between processes. */
export type LoadRetryForwarding = () => Promise<{
  readonly RetryForwarding: new (options: RetryForwardingOptions) => RetryForwarder;
}>;
