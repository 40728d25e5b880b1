import { CursorTracker, isObject, type JsonObject, TenonError } from '@tenon/base';
import type { Client } from 'tenon';
import { SKILLS_EXTENSION } from '../catalog/page-meta.js';
import type { InventorySkill } from '../catalog/server-inventory.js';
import { DerivedDefinitions } from './derived-definitions.js';
import type { EntryList } from './list-cache.js';
import type { UpstreamConnection } from './upstream-connection.js';

const LIST = 'skills/list';
/** Maximum number of skills of one server. The others are ignored, with a report. */
const MAX_SKILLS = 10_000;

const known = new DerivedDefinitions<InventorySkill>();

/** Returns the settings of the skills extension of a server, if it declares the extension. */
export function getSkillSettings({ server }: Pick<Client, 'server'>): JsonObject | undefined {
  return server.capabilities.extensions?.[SKILLS_EXTENSION];
}

/** Reads all pages of the skills of a server. `call` sends one request. */
export async function readSkillPages(
  connection: Pick<UpstreamConnection, 'server' | 'reportError'>,
  call: (params: JsonObject) => Promise<JsonObject>,
): Promise<JsonObject[]> {
  const { server } = connection;
  const entries: JsonObject[] = [];
  const cursors = new CursorTracker(LIST);
  let cursor: string | undefined;
  do {
    const page = await call(cursor === undefined ? {} : { cursor });
    if (Array.isArray(page.skills)) for (const each of page.skills) if (isObject(each)) entries.push(each);
    cursor = cursors.next(page, server);
  } while (cursor !== undefined && entries.length < MAX_SKILLS);
  if (cursor !== undefined || entries.length > MAX_SKILLS) {
    const summary = `the server "${server}" lists more than ${MAX_SKILLS} skills, and the others are ignored`;
    connection.reportError(new TenonError('host/too-many', summary));
  }
  return entries.slice(0, MAX_SKILLS);
}

/**
 * Returns the skills of a server, for its inventory: the same array until one changes. Reads them again when the list of
 * resources has changed, because the files of skills are resources. `undefined` if the server declares no skills. With
 * `isOptional`, a list of skills that has just failed is not requested again.
 */
export async function getSkillDefinitions(
  connection: UpstreamConnection,
  resources: EntryList<'resources'>,
  isOptional: boolean,
): Promise<readonly InventorySkill[] | undefined> {
  const client = await connection.getClient();
  if (getSkillSettings(client) === undefined) return undefined;
  const read = async () => {
    const entries = await readSkillPages(connection, params => client.call(LIST, params));
    return entries.map(toDefinition);
  };
  return known.get(connection, [resources], read, isOptional);
}

/** Records skills that a caller has read, so that the lock compares them. Entries that no list contains are added. */
export async function recordSkills(connection: UpstreamConnection, entries: readonly JsonObject[]): Promise<void> {
  const resources = await connection.lists.getCached('resources');
  known.record(connection, [resources], before => {
    const skills = new Map(before.map(each => [each.uri, each]));
    for (const each of entries) if (skills.size < MAX_SKILLS) skills.set(String(each.uri), toDefinition(each));
    return [...skills.values()];
  });
}

/** Returns the members of an entry that tell what the skill is. The order of its files has no meaning. */
function toDefinition({ uri, frontmatter, resources }: JsonObject): InventorySkill {
  const files = Array.isArray(resources)
    ? resources.toSorted((one, other) => (String(one?.uri) < String(other?.uri) ? -1 : 1))
    : resources;
  return {
    uri: String(uri),
    ...(isObject(frontmatter) ? { frontmatter } : {}),
    ...(files === undefined ? {} : { resources: files }),
  };
}
