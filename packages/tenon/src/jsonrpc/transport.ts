import type { AbortSignalLike } from '../cancellation/lazy-abort-signal.js';
import type { TenonError } from './error.js';
import type { Id, JsonRpcMessage, JsonRpcResponse } from './message.js';

/**
 * A connection to one peer. A transport implements these four members. `tenon/testing` has the contract suite that
 * every transport passes, the library's own and yours.
 */
export interface Transport {
  /** Name of the peer in errors, without secrets: `stdio: node notes.js`, `http://127.0.0.1:3000/mcp`. */
  readonly peer: string;

  /**
   * Milliseconds that pass between a progress notification and the answer to its request. Official clients drop a
   * notification that they read in one chunk with the answer. Absent: no time.
   */
  readonly progressDelay?: number | undefined;

  /**
   * True while a stream is open on which one end sends by itself, over a network that may fail silently. Absent on
   * channels whose end is always noticed.
   */
  readonly hasOpenStream?: boolean | undefined;

  /**
   * Counts one check of the streams on which the peer speaks by itself, and ends those that brought no byte in too many
   * checks in a row. The channel opens them again, or calls `receiver.lost` for the request of such a stream.
   */
  readonly checkStreams?:
    | ((limits: { readonly withHeartbeats: number; readonly resumable: number }) => void)
    | undefined;

  /** Ends such streams, because the peer cannot be reached. The channel goes on as after `checkStreams`. */
  readonly endStreams?: (() => void) | undefined;

  /** Begins to receive. Called once, before anything is sent. Rejects when there is no connection. */
  open(receiver: MessageReceiver): void | Promise<void>;

  /**
   * Sends one message, in order, or the responses to one batch on versions with batches. Resolves when the transport
   * has accepted the message, so that awaiting it applies back-pressure. Rejects with a `TenonError` when this message
   * cannot be delivered.
   */
  send(message: JsonRpcMessage | readonly JsonRpcResponse[], options?: SendOptions): void | Promise<void>;

  /** Closes the transport. Safe to call twice. `receiver.closed` follows, once. */
  close(): void | Promise<void>;

  /**
   * For transports with a response per request, such as HTTP: announces that the peer's request `relatedTo` gets no
   * response.
   */
  readonly abandonResponse?: ((relatedTo: Id) => void) | undefined;

  /**
   * For transports that support polling: ends the stream on which the peer waits for the response to `relatedTo`. The
   * peer reconnects to get it. Returns `false` where that is impossible.
   */
  readonly closeStream?: ((relatedTo: Id) => boolean) | undefined;
}

/** Callbacks of a transport. Never throws. */
export interface MessageReceiver {
  /** One JSON value came: a message, or any other value that the peer sent. */
  onMessage(value: unknown, context?: MessageContext): void;
  /** Something came that was not JSON, or too large to read. */
  onParseError(error: TenonError): void;
  /** The answer to the request `id` will never come, though the channel lives on. */
  onResponseLost(id: Id, error: TenonError): void;
  /** The transport has closed: no more messages come. `error` is absent when it was closed on request. */
  onClose(error?: TenonError): void;
  /**
   * The peer no longer knows the session of this transport. All later messages are refused, although responses to
   * earlier requests may still come. Called for a loss that no `send` rejects with; such a `send` rejects with
   * `session/gone` or `session/rejected`.
   */
  readonly onSessionLost?: ((error: TenonError) => void) | undefined;
}

/** The HTTP request that brought a message. */
export interface RequestHeaders {
  /** Looks a header up by its lower-case name. */
  header(name: string): string | undefined;
}

/** Context of a message, as far as the transport knows it. */
export interface MessageContext {
  /** The principal and what is known of its token, as the transport's authorization found it. */
  readonly auth?: AuthInfo | undefined;
  /** The HTTP request that the message came in. Absent on transports without headers. */
  readonly request?: RequestHeaders | undefined;
  /** The address that it came from, where the transport knows. */
  readonly address?: string | undefined;
  /** The request of this end on whose stream it came, where the transport has a stream for each. */
  readonly relatedTo?: Id | undefined;
}

/**
 * The authorized caller of a request. Made by the authorization of a transport. `principal`, `issuer` and `clientId`
 * decide what belongs to the caller.
 */
export interface AuthInfo {
  /** A stable name for who is calling. What belongs to one principal is never shown to another. */
  readonly principal: string;
  /** Issuer of the access token. Default: `iss` of `claims`. */
  readonly issuer?: string | undefined;
  /**
   * OAuth client that acts for the principal: what one client made, another client of the same principal cannot reach.
   * Default: `client_id` of `claims`, else `azp`.
   */
  readonly clientId?: string | undefined;
  /** Scopes of the access token. */
  readonly scopes?: readonly string[] | undefined;
  /**
   * Time from which the authorization is no longer accepted, in milliseconds since the epoch. Streams on which a client
   * listens end then. Absent: it is not known to end. `protect` sets it from the token, with the clock tolerance added.
   */
  readonly expiresAt?: number | undefined;
  /** Claims of the access token. */
  readonly claims?: { readonly [name: string]: unknown } | undefined;
}

/** Options of sending one message. */
export interface SendOptions {
  /** The request of the peer that this message belongs to: transports with several streams send it on that one's. */
  readonly relatedTo?: Id | undefined;
  /** Aborted when the sender no longer wants the answer. */
  readonly signal?: AbortSignalLike | undefined;
  /** Set if the message is stateless and belongs to no session of the transport. */
  readonly stateless?: boolean | undefined;
  /** Called when the peer ends the stream on which it would have responded, and the client polls for the response. */
  readonly onStreamClosed?: (() => void) | undefined;
  /** Envelope fields that mirror the message, by lower-case names. Transports without headers ignore them. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}
