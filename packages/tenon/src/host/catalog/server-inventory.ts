import type { Implementation, Prompt, Resource, ResourceTemplate, Tool } from '../../protocol/content.js';

/** Everything that one server offers, over all pages, with its own names and in its own order. */
export interface ServerInventory {
  /** Its name in the host. */
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
