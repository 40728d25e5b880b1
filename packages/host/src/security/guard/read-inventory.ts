import { TenonError } from '@tenon/base';
import type { ServerInventory } from '../../catalog/server-inventory.js';
import { type EntryList, getCapabilityName, type ListKind } from '../../connections/list-cache.js';
import { getPageDefinitions } from '../../connections/page-definitions.js';
import { getSkillDefinitions } from '../../connections/skill-entries.js';
import type { UpstreamConnection } from '../../connections/upstream-connection.js';

const LISTS = ['tools', 'prompts', 'resources', 'templates'] as const;

/** Lists of a server on one connection. A list that failed is empty and missing. */
export type ReadLists = { readonly [K in ListKind]: EntryList<K> };

/** List that could not be read, with its error. */
export interface ListReadError {
  readonly list: ListKind;
  readonly error: TenonError;
}

/** The same object each time, so that an inventory with a failed list is not compared anew for each call. */
const FAILED: EntryList<never> = { items: [], isMissing: true };

/** Lists that a reader has, or can do without. */
export interface ReadListsOptions {
  /**
   * Lists that the caller has read already.
   * @default none
   */
  readonly known?: Partial<ReadLists> | undefined;
  /**
   * Lists on which the decision about a call depends. The others delay the call for a limited time, and once.
   * @default all lists
   */
  readonly required?: readonly ListKind[] | undefined;
}

/**
 * Reads all lists of a server on a connection. A list that fails does not hide the others.
 *
 * @throws TenonError of the first list if no declared list could be read.
 */
export async function readLists(
  connection: UpstreamConnection,
  { known = {}, required = LISTS }: ReadListsOptions = {},
): Promise<{ readonly lists: ReadLists; readonly failures: readonly ListReadError[] }> {
  const failures: ListReadError[] = [];
  const read = async <K extends ListKind>(list: K): Promise<EntryList<K>> => {
    try {
      const { lists } = connection;
      return known[list] ?? (await (required.includes(list) ? lists.getCached(list) : lists.getOptional(list)));
    } catch (error) {
      failures.push({ list, error: TenonError.from(error) });
      return FAILED;
    }
  };
  const [tools, prompts, resources, templates] = await Promise.all([
    read('tools'),
    read('prompts'),
    read('resources'),
    read('templates'),
  ]);
  const [first] = failures;
  if (first !== undefined) {
    const capabilities = connection.serverInfo?.capabilities;
    const declared = LISTS.filter(list => capabilities?.[getCapabilityName(list)] !== undefined);
    if (declared.every(list => failures.some(failed => failed.list === list))) throw first.error;
  }
  return { lists: { tools, prompts, resources, templates }, failures };
}

/** Inventory of a server, with the lists that could not be read. */
export interface InventoryWithFailures {
  readonly inventory: ServerInventory;
  readonly failures: readonly ListReadError[];
}

/** Reads the complete inventory of a server on a connection, with its skills and pages. */
export async function readInventory(
  connection: UpstreamConnection,
  options: ReadListsOptions = {},
): Promise<InventoryWithFailures> {
  const { lists, failures } = await readLists(connection, options);
  const { tools, prompts, resources, templates } = lists;
  // A server that does not list its skills has not shown that it removed them.
  const isOptional = options.required !== undefined;
  const skills = await getSkillDefinitions(connection, resources, isOptional).catch(() => 'missing' as const);
  const pages = await getPageDefinitions(connection, tools, resources, isOptional).catch(error => {
    if (isOptional) return 'missing' as const;
    throw error;
  });
  const missing: NonNullable<ServerInventory['missing']> = [
    ...LISTS.filter(list => lists[list].isMissing),
    ...(skills === 'missing' ? (['skills'] as const) : []),
    // Tools and resources name the pages.
    ...(pages === 'missing' || failures.some(({ list }) => list === 'tools' || list === 'resources')
      ? (['pages'] as const)
      : []),
  ];
  const { info, instructions, protocolVersion } = connection.serverInfo ?? (await connection.getClient()).server;
  const inventory: ServerInventory = {
    server: connection.server,
    info,
    instructions,
    protocolVersion,
    tools: tools.items,
    prompts: prompts.items,
    resources: resources.items,
    templates: templates.items,
    ...(skills === undefined || skills === 'missing' ? {} : { skills }),
    ...(pages === 'missing' || pages.length === 0 ? {} : { pages }),
    ...(missing.length > 0 && { missing }),
    ...(failures.length > 0 && {
      failed: failures.map(({ list, error: { summary: reason, code } }) => ({ list, reason, code })),
    }),
  };
  return { inventory, failures };
}

/** Tells if both inventories contain the same list objects. */
export function isSameInventory(one: ServerInventory, other: ServerInventory): boolean {
  return (
    LISTS.every(list => one[list] === other[list]) &&
    one.skills === other.skills &&
    one.pages === other.pages &&
    one.info === other.info &&
    one.instructions === other.instructions
  );
}
