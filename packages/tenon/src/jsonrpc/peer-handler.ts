import type { JsonObject, TenonError } from '@tenon/base';
import type { JsonRpcNotification, JsonRpcRequest } from './message.js';
import type { RequestScope } from './request-scope.js';
import type { MessageContext } from './transport.js';

/** Handles the messages of a peer. */
export interface PeerHandler {
  /** True if each deviation of the peer from the protocol is refused. */
  readonly strict?: boolean | undefined;
  /**
   * Name of the peer in errors.
   * @default the name of the transport
   */
  readonly peer?: string | undefined;
  /** Handles one request and returns its result. An error that it throws becomes the error response: see `rpcError`. */
  onRequest(onRequest: JsonRpcRequest, scope: RequestScope, context?: MessageContext): JsonObject | Promise<JsonObject>;
  onNotification(onNotification: JsonRpcNotification, context?: MessageContext): void;
  /** Called for an invalid message or a response to an unknown request. The connection stays open. */
  onError(error: TenonError): void;
  /** Called when the transport has closed. */
  onClose(error?: TenonError): void;
  /** Called once when the peer no longer knows the session, so that the connection can send no more messages. */
  readonly onSessionLost?: ((error: TenonError) => void) | undefined;
  /** Tells if a batch is accepted now. With `split`, its messages are accepted and get separate responses. */
  getBatchMode(): boolean | 'split';
  /** Returns the ID of responses to unreadable messages. With `false`, such messages get no response. */
  getUnreadableId(): null | undefined | false;
  /**
   * Tells if requests of the peer may get a response now. If not, they get none.
   * @default `true`
   */
  readonly mayAnswer?: (() => boolean) | undefined;
}
