import { checkArray, checkObject, checkString } from '@tenon/base';
import type { Implementation, Prompt, Resource, ResourceTemplate, Tool } from 'tenon';

const checkDefinitions = checkArray(checkObject({ name: checkString }));

/** Checks the name and the tools of an inventory. */
export const checkToolInventory = checkObject({ server: checkString, tools: checkDefinitions });
/** Checks an inventory of all kinds of definitions. */
export const checkInventory = checkObject({
  server: checkString,
  tools: checkDefinitions,
  prompts: checkDefinitions,
  resources: checkDefinitions,
  templates: checkDefinitions,
});

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
