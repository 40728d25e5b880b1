import type { JsonObject } from '../jsonrpc/message.js';

/** https://modelcontextprotocol.io/specification/2026-07-28/basic#capabilities. Members that are not listed are kept. */

export interface ClientCapabilities {
  experimental?: { [name: string]: JsonObject };
  roots?: { listChanged?: boolean };
  sampling?: { context?: JsonObject; tools?: JsonObject };
  /** An empty object means form mode. */
  elicitation?: { form?: JsonObject; url?: JsonObject };
  /** Where tasks are made by a parameter; else they are an extension. */
  tasks?: {
    list?: JsonObject;
    cancel?: JsonObject;
    requests?: { sampling?: { createMessage?: JsonObject }; elicitation?: { create?: JsonObject } };
  };
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
  /** Where tasks are made by a parameter; else they are an extension. */
  tasks?: { list?: JsonObject; cancel?: JsonObject; requests?: { tools?: { call?: JsonObject } } };
  extensions?: { [id: string]: JsonObject };
  [other: string]: unknown;
}
