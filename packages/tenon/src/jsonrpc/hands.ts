import type { Envelope } from './channel.js';
import type { TenonError } from './error.js';
import type { JsonObject, Notification, Request } from './message.js';
import type { Running } from './running.js';

/** What a role does with what its peer sends. */
export interface Hands {
  /** How errors name the peer, when more is known of it than its road. */
  readonly peer?: string;
  /** Answers one request. What it throws becomes the error that crosses: see `rpcError`. */
  request(request: Request, running: Running, envelope?: Envelope): JsonObject | Promise<JsonObject>;
  notification(notification: Notification, envelope?: Envelope): void;
  /** Something came that is no message, or that answers nothing. The peer goes on. */
  problem(error: TenonError): void;
  /** The road has ended. */
  closed(error?: TenonError): void;
  /** The peer no longer knows the session: the connection takes no more messages. Called once. */
  onSessionLost?(error: TenonError): void;
  /** Tells whether an array of messages is welcome now. `split`: its messages are taken, and answered, one by one. */
  batches(): boolean | 'split';
  /** What stands for the id of a message that was too broken to have one; `false`: such a message is not answered. */
  unreadableId(): null | undefined | false;
  /** Whether what the peer asks may be answered; when not, it is told nothing at all. Default: it may. */
  mayAnswer?(): boolean;
}
