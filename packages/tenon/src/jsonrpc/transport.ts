import type { AbortSignalLike, AuthInfo, TenonError } from '@tenon/base';
import type { Id, JsonRpcMessage, JsonRpcRequest, JsonRpcResponse } from './message.js';

/**
 * A connection to one peer. To implement a transport, implement `peer`, `open`, `send` and `close`. Test it with the
 * contract cases of `@tenon/testing`, which the library's own transports pass too.
 */
export interface Transport {
  /** Name of the peer in errors, without secrets: `stdio: node notes.js`, `http://127.0.0.1:3000/mcp`. */
  readonly peer: string;

  /** Kind of the connection, for telemetry. Absent in memory, and on transports whose messages have an HTTP request. */
  readonly network?: 'pipe' | 'tcp' | undefined;

  /** ID of the session, once it is known. Absent on transports without sessions. */
  readonly sessionId?: string | undefined;

  /** Version of HTTP that the transport uses, such as `1.1`. Absent if it is not known, and on other transports. */
  readonly httpVersion?: string | undefined;

  /**
   * Prefix of the IDs of sent requests. Set if several processes send requests in one session.
   *
   * The IDs then differ, and they show which process waits for the response. Absent: IDs are numbers.
   */
  readonly requestIdPrefix?: string | undefined;

  /**
   * Resolves when the process of the peer has written its first byte, to any stream. Absent on transports that
   * start no process.
   */
  readonly firstOutput?: Promise<void> | undefined;

  /**
   * Tells if the process of the peer has written something or used the processor since the last call. Absent on
   * transports that start no process.
   */
  readonly takeProgress?: (() => boolean) | undefined;

  /**
   * True while a stream is open on which the peer sends by itself, over a network that may fail silently. Absent on
   * transports that always detect a broken connection.
   */
  readonly hasOpenStream?: boolean | undefined;

  /**
   * True if only the peer can continue its open requests, and it has not been seen for some time. They then hold no
   * connection or process that others need. Absent on transports that always detect a broken connection.
   */
  readonly isUnattended?: boolean | undefined;

  /**
   * Counts one check of the streams on which the peer sends by itself. Ends a stream that received no byte in too many
   * consecutive checks. The transport reopens it, or calls `receiver.onResponseLost` for its request.
   */
  readonly checkStreams?:
    | ((limits: { readonly withHeartbeats: number; readonly resumable: number }) => void)
    | undefined;

  /** Ends such streams because the peer is unreachable. The transport continues as after `checkStreams`. */
  readonly endStreams?: (() => void) | undefined;

  /**
   * Breaks the stream whose message is being delivered, as if the connection had been lost before that message. The
   * transport then resumes the stream, or calls `receiver.onResponseLost`. Call it within `receiver.onMessage`. Returns
   * `false` if the message came on no stream. Absent on transports with one connection for all messages.
   */
  readonly cutStream?: (() => boolean) | undefined;

  /**
   * Ends all streams and answers the open requests of the peer with an error, because the peer does not respond. The
   * session continues when the peer comes back. Absent on transports without such a session.
   */
  readonly endRequests?: (() => void) | undefined;

  /**
   * Opens the connection and starts to receive. Called once, before anything is sent. Rejects if the connection fails.
   */
  open(receiver: MessageReceiver): void | Promise<void>;

  /**
   * Sends one message, or the responses to one batch. Messages keep their order.
   *
   * Resolves when the transport has accepted the message, so awaiting it applies back-pressure. Rejects with a
   * `TenonError` when this message cannot be delivered.
   */
  send(message: JsonRpcMessage | readonly JsonRpcResponse[], options?: SendOptions): void | Promise<void>;

  /** Closes the transport. You may call it twice. `receiver.onClose` follows once. */
  close(): void | Promise<void>;

  /**
   * Announces that the peer's request `relatedTo` gets no response. For transports with one response per request, such
   * as HTTP.
   */
  readonly abandonResponse?: ((relatedTo: Id) => void) | undefined;

  /**
   * Ends the stream on which the peer waits for the response to `relatedTo`. The peer reconnects to get the response.
   *
   * Returns `false` if that is impossible. For transports that support polling.
   */
  readonly closeStream?: ((relatedTo: Id) => boolean) | undefined;
}

/** Callbacks for the messages and events of a transport. They never throw. */
export interface MessageReceiver {
  /** Called with each JSON value that arrives: a message, or any other value that the peer sent. */
  onMessage(value: unknown, context?: MessageContext): void;
  /**
   * Called when the peer sent something that is not JSON or is too large. With the ID of a request, that request is answered
   * with an error.
   */
  onParseError(error: TenonError, id?: Id): void;
  /** Called when the response to the request `id` is lost. The transport stays open. */
  onResponseLost(id: Id, error: TenonError): void;
  /** Called when the transport has closed and no more messages arrive. `error` is absent if `close` was called. */
  onClose(error?: TenonError): void;
  /**
   * Called when the peer no longer knows the session of this transport. All later messages are refused, but responses
   * to earlier requests may still arrive. It is not called if a `send` rejects with `session/gone` or
   * `session/rejected`.
   */
  readonly onSessionLost?: ((error: TenonError) => void) | undefined;
}

/** The headers of the HTTP request that brought a message. */
export interface RequestHeaders {
  /** Returns a header by its lower-case name. */
  header(name: string): string | undefined;
  /** Version of HTTP, such as `1.1`. Known to transports of Node, and not to handlers. */
  readonly httpVersion?: string | undefined;
  /** Address of the client or proxy that sent the request. Known to transports, and not to handlers. */
  readonly remote?: string | undefined;
  /** Port of that client or proxy. Known to transports of Node, and not to handlers. */
  readonly remotePort?: number | undefined;
}

/** Context of a message. Members that the transport does not know are absent. */
export interface MessageContext {
  /** The authorized caller of the request, if the transport has an authorization. */
  readonly auth?: AuthInfo | undefined;
  /** The HTTP request that contained the message. Absent on transports without headers. */
  readonly request?: RequestHeaders | undefined;
  /** The network address of the peer. Absent if the transport does not know it. */
  readonly address?: string | undefined;
  /**
   * The message, if the transport has checked that it is a valid request that belongs to the session. Absent: the receiver
   * checks it.
   */
  readonly checkedRequest?: JsonRpcRequest | undefined;
  /** The request on whose stream the message arrived. Absent on transports without a stream for each request. */
  readonly relatedTo?: Id | undefined;
}

/** Options for sending one message. */
export interface SendOptions {
  /**
   * The peer's request that this message belongs to. Transports with several streams use the stream of this request.
   */
  readonly relatedTo?: Id | undefined;
  /**
   * Time in which the response to this request must arrive, in milliseconds.
   * @default 60,000
   */
  readonly responseTimeout?: number | undefined;
  /** Signal that is aborted when the sender no longer needs the response. */
  readonly signal?: AbortSignalLike | undefined;
  /** True if the message is stateless and belongs to no session of the transport. */
  readonly stateless?: boolean | undefined;
  /** Called when the peer ends the response stream early and the client has to poll for the response. */
  readonly onStreamClosed?: (() => void) | undefined;
  /** Headers that repeat parts of the message, by lower-case names. Transports without headers ignore them. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}
