import type { Implementation, Prompt, Resource, ResourceTemplate, Tool } from 'tenon';

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
  /** Tools of all pages. */
  readonly tools: readonly Tool[];
  /** Prompts of all pages. */
  readonly prompts: readonly Prompt[];
  /** Resources of all pages. */
  readonly resources: readonly Resource[];
  /** Resource templates of all pages. */
  readonly templates: readonly ResourceTemplate[];
  /**
   * Lists that the server did not send, although it declares them. They are empty here, and a lock does not take their
   * entries for removed.
   * @default none
   */
  readonly missing?: readonly ('tools' | 'prompts' | 'resources' | 'templates')[] | undefined;
}
