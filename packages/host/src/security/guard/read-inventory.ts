import type { ServerInventory } from '../../catalog/server-inventory.js';
import { getPageDefinitions } from '../../connections/page-definitions.js';
import { getSkillDefinitions } from '../../connections/skill-entries.js';
import type { UpstreamConnection } from '../../connections/upstream-connection.js';

const LISTS = ['tools', 'prompts', 'resources', 'templates'] as const;

/** Reads all lists of a server on a connection. */
export async function readLists({ lists }: UpstreamConnection) {
  const [tools, prompts, resources, templates] = await Promise.all([
    lists.getCached('tools'),
    lists.getCached('prompts'),
    lists.getCached('resources'),
    lists.getCached('templates'),
  ]);
  return { tools, prompts, resources, templates };
}

/** Reads the complete inventory of a server on a connection, with its skills and pages. */
export async function readInventory(connection: UpstreamConnection): Promise<ServerInventory> {
  const read = await readLists(connection);
  const { tools, prompts, resources, templates } = read;
  // A server that does not list its skills has not shown that it removed them.
  const skills = await getSkillDefinitions(connection, resources).catch(() => 'missing' as const);
  const pages = await getPageDefinitions(connection, tools, resources);
  const missing = [...LISTS.filter(list => read[list].isMissing), ...(skills === 'missing' ? ['skills' as const] : [])];
  const { info, instructions, protocolVersion } = connection.serverInfo ?? (await connection.getClient()).server;
  return {
    server: connection.server,
    info,
    instructions,
    protocolVersion,
    tools: tools.items,
    prompts: prompts.items,
    resources: resources.items,
    templates: templates.items,
    ...(skills === undefined || skills === 'missing' ? {} : { skills }),
    ...(pages.length === 0 ? {} : { pages }),
    ...(missing.length > 0 && { missing }),
  };
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
