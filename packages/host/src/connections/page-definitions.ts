import { hashSha256, isObject, type JsonObject, toCanonicalJson } from '@tenon/base';
import { getKeptScheme } from '../catalog/names/kept-scheme.js';
import { listPageAddresses } from '../catalog/page-meta.js';
import type { InventoryPage } from '../catalog/server-inventory.js';
import type { EntryList } from './list-cache.js';
import type { UpstreamConnection } from './upstream-connection.js';

/** Maximum number of pages of one server. The rest is pinned when a caller reads it. */
const MAX_PAGES = 200;

interface KnownPages {
  readonly tools: EntryList<'tools'>;
  readonly resources: EntryList<'resources'>;
  readonly pages: readonly InventoryPage[];
}

const known = new WeakMap<UpstreamConnection, KnownPages>();

/**
 * Returns the pages that the tools of a server declare and that its resources contain: the same array until one changes.
 * Reads them again when one of the lists has changed.
 */
export async function getPageDefinitions(
  connection: UpstreamConnection,
  tools: EntryList<'tools'>,
  resources: EntryList<'resources'>,
): Promise<readonly InventoryPage[]> {
  const before = known.get(connection);
  if (before?.tools === tools && before.resources === resources) return before.pages;
  const found = [...listPageAddresses(tools.items), ...resources.items.map(({ uri }) => uri)];
  const uris = [...new Set(found.filter(uri => getKeptScheme(uri) === 'ui'))].sort().slice(0, MAX_PAGES);
  const read: InventoryPage[] = [];
  for (const uri of uris) {
    const client = await connection.getClient();
    // A tool may declare a page that does not exist. A page that fails is compared when a caller reads it.
    const result = await client.call('resources/read', { uri }).catch(() => undefined);
    if (result !== undefined) read.push(...toPageDefinitions(uri, { ...result }));
  }
  return store(connection, tools, resources, read);
}

/** Records a page that a caller has read, so that the lock compares it. */
export async function recordPage(connection: UpstreamConnection, uri: string, result: JsonObject): Promise<void> {
  const [tools, resources] = await Promise.all([
    connection.lists.getCached('tools'),
    connection.lists.getCached('resources'),
  ]);
  const others = (await getPageDefinitions(connection, tools, resources)).filter(each => each.uri !== uri);
  const pages = [...others, ...toPageDefinitions(uri, result)].sort((a, b) => (a.uri < b.uri ? -1 : 1));
  store(connection, tools, resources, pages.slice(0, 2 * MAX_PAGES));
}

function store(
  connection: UpstreamConnection,
  tools: EntryList<'tools'>,
  resources: EntryList<'resources'>,
  found: readonly InventoryPage[],
): readonly InventoryPage[] {
  const before = known.get(connection)?.pages;
  const pages = before !== undefined && toCanonicalJson(before) === toCanonicalJson(found) ? before : found;
  known.set(connection, { tools, resources, pages });
  return pages;
}

function toPageDefinitions(uri: string, { contents }: JsonObject): InventoryPage[] {
  const [content] = Array.isArray(contents) ? contents.filter(isObject) : [];
  if (content === undefined) return [];
  const { text, blob, _meta } = content;
  const ui = isObject(_meta) && isObject(_meta.ui) ? { ui: _meta.ui } : {};
  return [{ uri, digest: `sha256-${hashSha256(String(text ?? blob))}`, ...ui }];
}
