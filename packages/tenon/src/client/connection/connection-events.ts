import type { TenonError } from '../../jsonrpc/error.js';
import type { JsonObject } from '../../jsonrpc/message.js';
import type { ServerCapabilities } from '../../protocol/capabilities.js';
import type { Implementation } from '../../protocol/content.js';
import type { Connection } from './connection.js';

/** Events that a link reports to its client. */
export interface ConnectionEvents {
  onNotification(method: string, params: JsonObject): void;
  onError(error: TenonError): void;
  onClose(connection: Connection, error?: TenonError): void;
  /** The server no longer knows the session of an open link. */
  onSessionLost(connection: Connection): void;
}

/** Known facts about the server. */
export interface ServerDetails {
  readonly info: Implementation | undefined;
  readonly capabilities: ServerCapabilities;
  readonly instructions: string | undefined;
}
