import { checkArray, checkObject, checkString, type JsonObject } from '@tenon/base';
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
  'skills?': checkArray(checkObject({ uri: checkString })),
  'pages?': checkArray(checkObject({ uri: checkString })),
});

/** Skill of a server: the members of its entry that a lock pins. */
export interface InventorySkill {
  /** URI of its `SKILL.md`. */
  readonly uri: string;
  /** Fields at the beginning of `SKILL.md`. */
  readonly frontmatter?: JsonObject | undefined;
  /** URI, digest and size of each file, sorted by URI, or `dynamic`. */
  readonly resources?: unknown;
}

/** Page of an app: the members that a lock pins. */
export interface InventoryPage {
  /** URI of the page. */
  readonly uri: string;
  /** `sha256-` and a SHA-256 in base64url, of the text, or of the base64 of bytes. */
  readonly digest: string;
  /**
   * Permissions and sources of the page: its `_meta.ui`.
   * @default nothing beyond the defaults of the host
   */
  readonly ui?: JsonObject | undefined;
}

/** List that could not be read. */
export interface UnreadableList {
  /** Name of the list. */
  readonly list: 'tools' | 'prompts' | 'resources' | 'templates';
  /** Reason, without secrets. */
  readonly reason: string;
  /** Code of the error. */
  readonly code: string;
}

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
   * Skills of the server, with the digests of their files.
   * @default the server has no skills
   */
  readonly skills?: readonly InventorySkill[] | undefined;
  /**
   * Pages of apps, with the digests of their contents.
   * @default the server has no pages
   */
  readonly pages?: readonly InventoryPage[] | undefined;
  /**
   * Lists that the server did not send, although it declares them. They are empty here, and a lock does not take their
   * entries for removed.
   * @default none
   */
  readonly missing?: readonly ('tools' | 'prompts' | 'resources' | 'templates' | 'skills' | 'pages')[] | undefined;
  /**
   * Lists that the server answered with an error. `missing` names them, too.
   * @default none
   */
  readonly failed?: readonly UnreadableList[] | undefined;
}
