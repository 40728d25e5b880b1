import { getKeptScheme, hashSha256, isObject, type JsonObject } from '@tenon/base';
import { listPageAddresses } from '../catalog/page-meta.js';
import type { InventoryPage } from '../catalog/server-inventory.js';
import { DerivedDefinitions } from './derived-definitions.js';
import type { EntryList } from './list-cache.js';
import type { UpstreamConnection } from './upstream-connection.js';

/** Maximum number of pages of one server. The rest is pinned when a caller reads it. */
const MAX_PAGES = 200;

const known = new DerivedDefinitions<InventoryPage>();

/**
 * Returns the pages that the tools of a server declare and that its resources contain: the same array until one changes.
 * Reads them again when one of the lists has changed. With `isOptional`, it waits for a limited time.
 */
export function getPageDefinitions(
  connection: UpstreamConnection,
  tools: EntryList<'tools'>,
  resources: EntryList<'resources'>,
  isOptional = false,
): Promise<readonly InventoryPage[]> {
  const readPages = async () => {
    const found = [...listPageAddresses(tools.items), ...resources.items.map(({ uri }) => uri)];
    const uris = [...new Set(found.filter(uri => getKeptScheme(uri) === 'ui'))].sort().slice(0, MAX_PAGES);
    const read: InventoryPage[] = [];
    for (const uri of uris) {
      const client = await connection.getClient();
      // A tool may declare a page that does not exist. A page that fails is compared when a caller reads it.
      const result = await client.call('resources/read', { uri }).catch(() => undefined);
      if (result !== undefined) read.push(...toPageDefinitions(uri, { ...result }));
    }
    return read;
  };
  return known.get(connection, [tools, resources], readPages, isOptional);
}

/** Records a page that a caller has read, so that the lock compares it. */
export async function recordPage(connection: UpstreamConnection, uri: string, result: JsonObject): Promise<void> {
  const [tools, resources] = await Promise.all([
    connection.lists.getCached('tools'),
    connection.lists.getCached('resources'),
  ]);
  await getPageDefinitions(connection, tools, resources);
  known.record(connection, [tools, resources], before => {
    const others = before.filter(each => each.uri !== uri);
    const pages = [...others, ...toPageDefinitions(uri, result)].sort((a, b) => (a.uri < b.uri ? -1 : 1));
    return pages.slice(0, 2 * MAX_PAGES);
  });
}

function toPageDefinitions(uri: string, { contents }: JsonObject): InventoryPage[] {
  const [content] = Array.isArray(contents) ? contents.filter(isObject) : [];
  if (content === undefined) return [];
  const { text, blob, _meta } = content;
  const ui = isObject(_meta) && isObject(_meta.ui) ? { ui: _meta.ui } : {};
  return [{ uri, digest: `sha256-${hashSha256(String(text ?? blob))}`, ...ui }];
}
