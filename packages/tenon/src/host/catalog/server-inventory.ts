import type { Implementation, Prompt, Resource, ResourceTemplate, Tool } from '../../protocol/content.js';

/** Inventory of one server: all pages of its lists, with its own names and order. */
export interface ServerInventory {
  /** Name of the server in the host. */
  readonly server: string;
  /** Name and version of the server. */
  readonly info: Implementation | undefined;
  /** Instructions of the server. */
  readonly instructions: string | undefined;
  /** Negotiated protocol version. */
  readonly protocolVersion: string;
  /** All tools. */
  readonly tools: readonly Tool[];
  /** All prompts. */
  readonly prompts: readonly Prompt[];
  /** All resources. */
  readonly resources: readonly Resource[];
  /** All resource templates. */
  readonly templates: readonly ResourceTemplate[];
}
