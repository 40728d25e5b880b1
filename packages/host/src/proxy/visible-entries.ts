import type { RequesterInfo } from 'tenon/proxy';
import type { HostCatalog } from '../catalog/host-catalog.js';
import { findHiddenFromModel, UI_EXTENSION } from '../catalog/page-meta.js';
import type { ListEntries, ListKind } from '../connections/list-cache.js';
import type { ActionRequest } from '../security/policy/action-request.js';
import { createPromptRequest, createResourceRequest, createToolRequest } from './action-requests.js';
import type { GatewayContext } from './gateway-context.js';

/** Maximum number of selections of one list that are kept. */
const MAX_SELECTIONS = 100;

/** Selections of a list, by the positions of the hidden entries. Callers with equal rights get the same array. */
const selections = new WeakMap<readonly unknown[], Map<string, readonly unknown[]>>();

/** Removes the entries whose use the policy always denies to this caller, and tools for pages if it shows none. */
export function selectVisibleEntries<K extends ListKind>(
  gateway: GatewayContext,
  catalog: HostCatalog,
  kind: K,
  items: readonly ListEntries[K][],
  requester: RequesterInfo,
): readonly ListEntries[K][] {
  const showsApps = requester.caller.capabilities.extensions?.[UI_EXTENSION] !== undefined;
  const hidden = new Set(kind === 'tools' && !showsApps ? findHiddenFromModel(items) : []);
  const listsDenied = gateway.listDenied || !gateway.guard.hidesEntries;
  if (listsDenied && hidden.size === 0) return items;
  for (const [index, item] of listsDenied ? [] : items.entries()) {
    const request = createEntryRequest(catalog, kind, item, requester);
    if (request && gateway.guard.isAlwaysDenied(request, kind === 'templates')) hidden.add(index);
  }
  if (hidden.size === 0) return items;
  const key = [...hidden].join();
  const known = selections.get(items) ?? new Map<string, readonly unknown[]>();
  selections.set(items, known);
  const visible = (known.get(key) as readonly ListEntries[K][] | undefined) ?? items.filter((_, at) => !hidden.has(at));
  if (known.size < MAX_SELECTIONS) known.set(key, visible);
  return visible;
}

function createEntryRequest(
  catalog: HostCatalog,
  kind: ListKind,
  item: ListEntries[ListKind],
  { caller: { auth } }: RequesterInfo,
): ActionRequest | undefined {
  const origin = catalog.getOrigin(item);
  if (origin === undefined) return undefined;
  const { connection, entry } = origin;
  if (kind === 'tools') return createToolRequest(connection, entry as ListEntries['tools'], {}, auth);
  if (kind === 'prompts') return createPromptRequest(connection, entry.name, {}, auth);
  return createResourceRequest(
    connection,
    'uri' in entry ? entry.uri : (entry as ListEntries['templates']).uriTemplate,
    auth,
  );
}
