import type { ErrorObject, JsonRpcNotification, JsonRpcRequest, JsonRpcResponse } from '../jsonrpc/message.js';
import type { AuthInfo, RequestHeaders, Transport } from '../jsonrpc/transport.js';
import type { Dialect } from './versions/dialect.js';

/** A server, as a transport sees it. */
export interface RequestHandler {
  /** Serves one peer for as long as its channel lives: a process, a session, a pair in memory. */
  connect(transport: Transport, options?: ConnectOptions): Promise<ServerSession>;

  /**
   * Determines the protocol version of a request. `versionHeader` is the version that the transport carries beside the
   * message, if any.
   */
  classifyRequest(request: JsonRpcRequest, versionHeader?: string): RequestRoute;

  /** Answers one request that carries all its context along. Never throws or rejects. */
  answer(request: JsonRpcRequest, dialect: Dialect, io: RequestIO): JsonRpcResponse | Promise<JsonRpcResponse>;

  /**
   * Returns the same server without sessions: on the versions that have them each request is served by itself, and what
   * needs a session is refused and not declared. Absent from a service that can only be served with sessions.
   */
  readonly withoutSessions?: (() => RequestHandler) | undefined;
}

export interface ConnectOptions {
  readonly auth?: AuthInfo | undefined;
  /** The address of the peer, where the transport knows. */
  readonly address?: string | undefined;
  /** The dialect of everything that the channel brings, where it lives for one POST that belongs to no session. */
  readonly dialect?: Dialect | undefined;
}

export interface PingOptions {
  /** Time that the answer may take, in ms. Default 5,000. */
  readonly timeout?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** One peer that is being served. */
export interface ServerSession {
  /** The protocol version, once it is negotiated. */
  readonly dialect: Dialect | undefined;
  /** Tells if the peer may send batches. Default: on versions with batches. */
  readonly getBatchMode?: (() => boolean) | undefined;
  /** Number of requests of the peer without a response; those that only listen do not count. */
  readonly inFlight: number;
  /** Counts the handlers that run, those included whose request was cancelled. Absent where that is not known. */
  readonly activeHandlers?: number | undefined;
  /** Ends it: what runs is aborted, what waits is rejected. Does not close the channel. */
  end(): void;
}

/** One connected client, for the code that connected the server to its transport. */
export interface SessionHandle extends ServerSession {
  /**
   * Pings the client of the session. Rejects with `call/timeout` when no answer comes in time, and ends the connection;
   * with `connection/not-open` where there is no session.
   * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/ping
   */
  ping(options?: PingOptions): Promise<void>;
}

export type RequestRoute =
  /** The request brings all that is to be known of its sender: `service.answer` takes it. */
  | { readonly opening: 'per-request'; readonly dialect: Dialect }
  /** The request opens a session: `service.connect`, then the channel brings the request. */
  | { readonly opening: 'handshake' }
  /** The request belongs to a session that is open already. */
  | { readonly opening: 'opened' }
  /** The request is of a version that has sessions, and belongs to none: `service.connect` with this dialect, for this request alone. */
  | { readonly opening: 'sessionless'; readonly dialect: Dialect }
  /** The request cannot be served. */
  | { readonly opening: 'refused'; readonly error: ErrorObject };

/** Input and output of one request, provided by the transport. */
export interface RequestIO {
  readonly auth?: AuthInfo | undefined;
  /** The address that the request came from, where the transport knows. */
  readonly address?: string | undefined;
  /**
   * Set where what was begun in this request cannot go on in another: no handler is held then, each is entered again.
   */
  readonly ephemeral?: boolean | undefined;
  /** Looks up an envelope field, lower-case. Absent where the transport has none: nothing mirrors the body then. */
  readonly header?: ((name: string) => string | undefined) | undefined;
  /** The HTTP request that is answered, for handlers that read its headers. Absent where the transport has none. */
  readonly request?: RequestHeaders | undefined;
  /** Sends a notification ahead of the answer, on the stream of this request. */
  send(notification: JsonRpcNotification): void | Promise<void>;
  /** Calls `gone` once when the client has cancelled the request. */
  onClientClosed(listener: () => void): void;
  /**
   * Calls `ending` when the server is going down or the authorization of the request expires: an answer that would go
   * on for long is to be completed now.
   */
  readonly onShutdown?: ((listener: () => void) => void) | undefined;
}
