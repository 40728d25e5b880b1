import { CursorTracker, isObject, type JsonObject, toCanonicalJson } from '@tenon/base';
import type { Client } from 'tenon';
import { SKILLS_EXTENSION } from '../catalog/page-meta.js';
import type { InventorySkill } from '../catalog/server-inventory.js';
import type { EntryList } from './list-cache.js';
import type { UpstreamConnection } from './upstream-connection.js';

const LIST = 'skills/list';
/** Maximum number of skills of one server. The rest is ignored. */
const MAX_SKILLS = 10_000;

interface KnownSkills {
  /** List of resources at that time. The files of skills are resources, so another list shows that skills may differ. */
  readonly resources: EntryList<'resources'>;
  readonly entries: readonly InventorySkill[];
}

const known = new WeakMap<UpstreamConnection, KnownSkills>();

/** Returns the settings of the skills extension of a server, if it declares the extension. */
export function getSkillSettings({ server }: Pick<Client, 'server'>): JsonObject | undefined {
  return server.capabilities.extensions?.[SKILLS_EXTENSION];
}

/** Reads all pages of the skills of a server. `call` sends one request. */
export async function readSkillPages(
  server: string,
  call: (params: JsonObject) => Promise<JsonObject>,
): Promise<JsonObject[]> {
  const entries: JsonObject[] = [];
  const cursors = new CursorTracker(LIST);
  let cursor: string | undefined;
  do {
    const page = await call(cursor === undefined ? {} : { cursor });
    if (Array.isArray(page.skills)) for (const each of page.skills) if (isObject(each)) entries.push(each);
    cursor = cursors.next(page, server);
  } while (cursor !== undefined && entries.length < MAX_SKILLS);
  return entries.slice(0, MAX_SKILLS);
}

/**
 * Returns the skills of a server, for its inventory: the same array until one changes. Reads them again when the list of
 * resources has changed. `undefined` if the server declares no skills.
 */
export async function getSkillDefinitions(
  connection: UpstreamConnection,
  resources: EntryList<'resources'>,
): Promise<readonly InventorySkill[] | undefined> {
  const client = await connection.getClient();
  if (getSkillSettings(client) === undefined) return undefined;
  const before = known.get(connection);
  if (before?.resources === resources) return before.entries;
  const read = await readSkillPages(connection.server, params => client.call(LIST, params));
  return store(connection, resources, read);
}

/** Records skills that a caller has read, so that the lock compares them. Entries that no list contains are added. */
export async function recordSkills(connection: UpstreamConnection, entries: readonly JsonObject[]): Promise<void> {
  const resources = await connection.lists.getCached('resources');
  const others = new Map(known.get(connection)?.entries.map(each => [each.uri, each]));
  for (const each of entries) if (others.size < MAX_SKILLS) others.set(String(each.uri), toDefinition(each));
  store(connection, resources, [...others.values()]);
}

function store(
  connection: UpstreamConnection,
  resources: EntryList<'resources'>,
  read: readonly object[],
): readonly InventorySkill[] {
  const before = known.get(connection)?.entries;
  const found = read.map(each => toDefinition(each as JsonObject));
  const entries = before !== undefined && toCanonicalJson(before) === toCanonicalJson(found) ? before : found;
  known.set(connection, { resources, entries });
  return entries;
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
