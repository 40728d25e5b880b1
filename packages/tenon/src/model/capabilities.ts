import type { JsonObject } from '../jsonrpc/message.js';

/** https://modelcontextprotocol.io/specification/2026-07-28/basic#capabilities. Members that are not listed are kept. */

export interface ClientCapabilities {
  experimental?: { [name: string]: JsonObject };
  roots?: { listChanged?: boolean };
  sampling?: { context?: JsonObject; tools?: JsonObject };
  /** An empty object means form mode. */
  elicitation?: { form?: JsonObject; url?: JsonObject };
  /** Extension identifier to its settings. */
  extensions?: { [id: string]: JsonObject };
  [other: string]: unknown;
}

export interface ServerCapabilities {
  experimental?: { [name: string]: JsonObject };
  logging?: JsonObject;
  completions?: JsonObject;
  prompts?: { listChanged?: boolean };
  resources?: { subscribe?: boolean; listChanged?: boolean };
  tools?: { listChanged?: boolean };
  extensions?: { [id: string]: JsonObject };
  [other: string]: unknown;
}
