import type { Implementation, Prompt, Resource, ResourceTemplate, Tool } from '../../protocol/content.js';

/** All that one server offers, over all pages, in its own words for names and in its own order. */
export interface ServerInventory {
  /** Its name in the host. */
  readonly server: string;
  readonly info: Implementation | undefined;
  readonly instructions: string | undefined;
  readonly protocolVersion: string;
  readonly tools: readonly Tool[];
  readonly prompts: readonly Prompt[];
  readonly resources: readonly Resource[];
  readonly templates: readonly ResourceTemplate[];
}
