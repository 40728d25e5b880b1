import type { TenonError } from './error.js';
import type { JsonObject, JsonRpcNotification, JsonRpcRequest } from './message.js';
import type { RequestScope } from './request-scope.js';
import type { MessageContext } from './transport.js';

/** Handles messages of a peer. */
export interface PeerHandler {
  /** Name of the peer in errors, if more is known than its transport. */
  readonly peer?: string;
  /** Answers one request. What it throws becomes the error that crosses: see `rpcError`. */
  onRequest(onRequest: JsonRpcRequest, scope: RequestScope, context?: MessageContext): JsonObject | Promise<JsonObject>;
  onNotification(onNotification: JsonRpcNotification, context?: MessageContext): void;
  /** Something came that is no message, or that answers nothing. The peer goes on. */
  onError(error: TenonError): void;
  /** The transport has closed. */
  onClose(error?: TenonError): void;
  /** The peer no longer knows the session: the connection takes no more messages. Called once. */
  onSessionLost?(error: TenonError): void;
  /** Tells if a batch is accepted now. `split`: its messages are accepted, and answered one by one. */
  getBatchMode(): boolean | 'split';
  /** Id in responses to unreadable messages; `false`: such messages are not answered. */
  getUnreadableId(): null | undefined | false;
  /** True if requests of the peer may be answered; if not, it gets no response at all. Default: it may. */
  mayAnswer?(): boolean;
}
