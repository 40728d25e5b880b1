import type { TenonError } from '../../jsonrpc/error.js';
import type { JsonObject } from '../../jsonrpc/message.js';
import type { ServerCapabilities } from '../../protocol/capabilities.js';
import type { Implementation } from '../../protocol/content.js';
import type { Connection } from './connection.js';

/** Events that a connection reports to its client. */
export interface ConnectionEvents {
  onNotification(method: string, params: JsonObject): void;
  onError(error: TenonError): void;
  onClose(connection: Connection, error?: TenonError): void;
  /** Called when the server no longer knows the session of an open connection. */
  onSessionLost(connection: Connection): void;
}

/** Information about the server. */
export interface ServerDetails {
  readonly info: Implementation | undefined;
  readonly capabilities: ServerCapabilities;
  readonly instructions: string | undefined;
}
