import type { TenonError } from './error.js';
import type { JsonObject, JsonRpcNotification, JsonRpcRequest } from './message.js';
import type { RequestScope } from './request-scope.js';
import type { MessageContext } from './transport.js';

/** What a role does with what its peer sends. */
export interface PeerHandler {
  /** How errors name the peer, when more is known of it than its road. */
  readonly peer?: string;
  /** Answers one request. What it throws becomes the error that crosses: see `rpcError`. */
  onRequest(onRequest: JsonRpcRequest, scope: RequestScope, context?: MessageContext): JsonObject | Promise<JsonObject>;
  onNotification(onNotification: JsonRpcNotification, context?: MessageContext): void;
  /** Something came that is no message, or that answers nothing. The peer goes on. */
  onError(error: TenonError): void;
  /** The road has ended. */
  onClose(error?: TenonError): void;
  /** The peer no longer knows the session: the connection takes no more messages. Called once. */
  onSessionLost?(error: TenonError): void;
  /** Tells whether an array of messages is welcome now. `split`: its messages are taken, and answered, one by one. */
  getBatchMode(): boolean | 'split';
  /** What stands for the id of a message that was too broken to have one; `false`: such a message is not answered. */
  getUnreadableId(): null | undefined | false;
  /** Whether what the peer asks may be answered; when not, it is told nothing at all. Default: it may. */
  mayAnswer?(): boolean;
}
