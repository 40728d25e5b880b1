import type { AbortSignalLike } from '../cancellation/lazy-abort-signal.js';
import type { TenonError } from './error.js';
import type { Id, JsonRpcMessage, JsonRpcResponse } from './message.js';

/**
 * A road to one peer: all that a transport must be. Four members; `tenon/testing` has the contract suite that every
 * channel, ours and yours, passes.
 */
export interface Transport {
  /** Name of the other end in errors, without secrets: `stdio: node notes.js`, `http://127.0.0.1:3000/mcp`. */
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

  /** Begins to receive. Called once, before anything is sent. Rejects when there is no road. */
  open(receiver: MessageReceiver): void | Promise<void>;

  /**
   * Hands one message (or, where the revision has batches, the answers to one batch) to the road, in order. Settles when the road has taken it, so that awaiting it is back-pressure;
   * rejects with a `TenonError` when this message cannot be delivered.
   */
  send(message: JsonRpcMessage | readonly JsonRpcResponse[], options?: SendOptions): void | Promise<void>;

  /** Ends the road. Safe to call twice. `receiver.closed` follows, once. */
  close(): void | Promise<void>;

  /** For roads on which someone waits for each answer: no answer will come to the request `relatedTo` of the peer. */
  readonly abandonResponse?: ((relatedTo: Id) => void) | undefined;

  /**
   * For roads that can: ends the connection on which the peer waits for the answer to `relatedTo`; it comes back for it.
   * `false` where that cannot be.
   */
  readonly closeStream?: ((relatedTo: Id) => boolean) | undefined;
}

/** Callbacks of a transport. Never throws. */
export interface MessageReceiver {
  /** One JSON value came: a message, or whatever else the peer sent. */
  onMessage(value: unknown, context?: MessageContext): void;
  /** Something came that was not JSON, or too large to read. */
  onParseError(error: TenonError): void;
  /** The answer to the request `id` will never come, though the channel lives on. */
  onResponseLost(id: Id, error: TenonError): void;
  /** The road has ended: nothing comes any more. `error` is absent when it ended as asked. */
  onClose(error?: TenonError): void;
  /**
   * The peer no longer knows the session of this channel: whatever is sent from now on is refused, though answers to
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
  /** Set where the message stands for itself and belongs to no session that the road may have. */
  readonly stateless?: boolean | undefined;
  /** Called when the peer ends the connection on which it would have answered, and is asked again for the answer. */
  readonly onStreamClosed?: (() => void) | undefined;
  /** Envelope fields that mirror the message, by lower-case names. Transports without headers ignore them. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}
