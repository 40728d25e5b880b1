import type { JsonObject } from '../jsonrpc/message.js';

/** https://modelcontextprotocol.io/specification/2026-07-28/basic#capabilities. Members that are not listed are kept. */

export interface ClientCapabilities {
  experimental?: { [name: string]: JsonObject } | undefined;
  roots?: { listChanged?: boolean | undefined } | undefined;
  sampling?: { context?: JsonObject | undefined; tools?: JsonObject | undefined } | undefined;
  /** An empty object means form mode. */
  elicitation?: { form?: JsonObject | undefined; url?: JsonObject | undefined } | undefined;
  /** Tasks on versions where they are made by a parameter; else they are an extension. */
  tasks?:
    | {
        list?: JsonObject | undefined;
        cancel?: JsonObject | undefined;
        requests?:
          | {
              sampling?: { createMessage?: JsonObject | undefined } | undefined;
              elicitation?: { create?: JsonObject | undefined } | undefined;
            }
          | undefined;
      }
    | undefined;
  /** Extension identifier to its settings. */
  extensions?: { [id: string]: JsonObject } | undefined;
  [other: string]: unknown;
}

export interface ServerCapabilities {
  experimental?: { [name: string]: JsonObject } | undefined;
  logging?: JsonObject | undefined;
  completions?: JsonObject | undefined;
  prompts?: { listChanged?: boolean | undefined } | undefined;
  resources?: { subscribe?: boolean | undefined; listChanged?: boolean | undefined } | undefined;
  tools?: { listChanged?: boolean | undefined } | undefined;
  /** Tasks on versions where they are made by a parameter; else they are an extension. */
  tasks?:
    | {
        list?: JsonObject | undefined;
        cancel?: JsonObject | undefined;
        requests?: { tools?: { call?: JsonObject | undefined } | undefined } | undefined;
      }
    | undefined;
  extensions?: { [id: string]: JsonObject } | undefined;
  [other: string]: unknown;
}
