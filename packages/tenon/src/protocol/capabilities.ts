import type { JsonObject } from '../jsonrpc/message.js';

/** https://modelcontextprotocol.io/specification/2026-07-28/basic#capabilities. Members that are not listed are kept. */

export interface ClientCapabilities {
  /** Features outside of the specification, by name. */
  experimental?: { [name: string]: JsonObject } | undefined;
  /** The client can list roots. */
  roots?: { listChanged?: boolean | undefined } | undefined;
  /** The client can generate messages with a model. */
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

/** Capabilities of a server, in the newest protocol version. */
export interface ServerCapabilities {
  /** Features outside of the specification, by name. */
  experimental?: { [name: string]: JsonObject } | undefined;
  /** The server sends log messages. */
  logging?: JsonObject | undefined;
  /** The server completes arguments. */
  completions?: JsonObject | undefined;
  /** The server offers prompts. */
  prompts?: { listChanged?: boolean | undefined } | undefined;
  /** The server offers resources. */
  resources?: { subscribe?: boolean | undefined; listChanged?: boolean | undefined } | undefined;
  /** The server offers tools. */
  tools?: { listChanged?: boolean | undefined } | undefined;
  /** Tasks on versions where they are made by a parameter; else they are an extension. */
  tasks?:
    | {
        list?: JsonObject | undefined;
        cancel?: JsonObject | undefined;
        requests?: { tools?: { call?: JsonObject | undefined } | undefined } | undefined;
      }
    | undefined;
  /** Settings of extensions, by extension ID. */
  extensions?: { [id: string]: JsonObject } | undefined;
  [other: string]: unknown;
}
