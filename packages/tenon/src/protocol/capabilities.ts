import type { JsonObject } from '@tenon/base';

/**
 * Capabilities of a client, in the newest protocol version. Unknown members are kept.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic#capabilities
 */

export interface ClientCapabilities {
  /** Features outside the specification, by name. */
  experimental?: { [name: string]: JsonObject } | undefined;
  /** The client can list roots. */
  roots?: { listChanged?: boolean | undefined } | undefined;
  /** The client can generate messages with a model. */
  sampling?: { context?: JsonObject | undefined; tools?: JsonObject | undefined } | undefined;
  /** The client can show forms or URLs to the user. An empty object means form mode. */
  elicitation?: { form?: JsonObject | undefined; url?: JsonObject | undefined } | undefined;
  /**
   * The client supports tasks. Only for protocol versions with the `task` parameter; later versions use the extension.
   */
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
  /** Settings of extensions, by extension ID. */
  extensions?: { [id: string]: JsonObject } | undefined;
  [other: string]: unknown;
}

/** Capabilities that a client can use although the server does not declare them. */
export const assumableCapabilities = [
  'tools',
  'prompts',
  'resources',
  'resources.subscribe',
  'completions',
  'logging',
] as const;

/** Capability that a client can use although the server does not declare it. */
export type AssumableCapability = (typeof assumableCapabilities)[number];

/** Capabilities of a server, in the newest protocol version. */
export interface ServerCapabilities {
  /** Features outside the specification, by name. */
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
  /**
   * The server supports tasks. Only for protocol versions with the `task` parameter; later versions use the extension.
   */
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
