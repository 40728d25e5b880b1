import type { TenonError } from '../jsonrpc/error.js';
import type { JsonObject } from '../jsonrpc/message.js';
import type { ServerCapabilities } from '../model/capabilities.js';
import type { Implementation } from '../model/content.js';
import type { Link } from './link.js';

/** Events that a link reports to its client. */
export interface LinkEvents {
  notification(method: string, params: JsonObject): void;
  problem(error: TenonError): void;
  closed(link: Link, error?: TenonError): void;
  /** The server no longer knows the session of an open link. */
  onSessionLost(link: Link): void;
}

/** Known facts about the server. */
export interface ServerFacts {
  readonly info: Implementation | undefined;
  readonly capabilities: ServerCapabilities;
  readonly instructions: string | undefined;
}
