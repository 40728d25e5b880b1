import type { JsonObject } from '@tenon/base';
import type { Tool } from 'tenon';
import { readMeta } from 'tenon/host-internals';
import { createPageResult, type ProxyCall, type RequestContext } from 'tenon/proxy';
import { collapseToBudget } from '../catalog/budget/resolve-meta-tool.js';
import { memoizeByList } from '../catalog/memoize-by-list.js';
import { getEntryKey, type ListEntries, type ListKind } from '../connections/list-cache.js';
import type { UnavailableServer } from '../connections/upstream-registry.js';
import type { GatewayContext } from './gateway-context.js';
import { listSignInTools } from './sign-in-tools.js';
import { selectVisibleEntries } from './visible-entries.js';

/** Key in `_meta` of a list result: the unavailable servers, with the reason. */
export const UNAVAILABLE = 'dev.tenon/unavailable';

const RESULT_KEYS = {
  tools: 'tools',
  prompts: 'prompts',
  resources: 'resources',
  templates: 'resourceTemplates',
} as const;

type ListCall = ProxyCall<'tools/list' | 'prompts/list' | 'resources/list' | 'resources/templates/list'>;

/** Returns one page of a list, over all servers. */
export async function listPage(gateway: GatewayContext, kind: ListKind, call: ListCall): Promise<JsonObject> {
  const { params, context, requestContext } = call;
  const scope = gateway.getScope(requestContext);
  const catalog = gateway.getCatalog(scope);
  const offering = await catalog.listEntries(kind);
  gateway.telemetry?.addDetails({ cache: offering.isCached ? 'hit' : 'miss' });
  const { unavailable, ttlMs = 0, cacheScope = 'private' } = offering;
  const visible = selectVisibleEntries(gateway, catalog, kind, offering.items, requestContext);
  const items =
    kind === 'tools' ? selectTools(gateway, visible as readonly Tool[], unavailable, requestContext) : visible;
  const page = {
    key: RESULT_KEYS[kind],
    all: items,
    getKey: getEntryKey,
    cursor: params.cursor ?? '',
    pageSize: gateway.pageSize,
  };
  // A list for an authenticated caller may contain private entries.
  const cache = { ttlMs, cacheScope: scope.identity.principal === undefined ? cacheScope : ('private' as const) };
  const result = createPageResult<ListEntries[ListKind]>(call, { ...page, ...cache });
  if (unavailable.length === 0) return result;
  context.log('warning', { unavailable }, 'tenon');
  return { ...result, _meta: { ...readMeta(result), [UNAVAILABLE]: unavailable } };
}

function selectTools(
  gateway: GatewayContext,
  tools: readonly Tool[],
  unavailable: readonly UnavailableServer[],
  requestContext: RequestContext,
): readonly Tool[] {
  const listed = adaptTaskSupport(collapseToBudget(tools, gateway)?.tools ?? tools, requestContext);
  const own = listSignInTools(gateway, unavailable, gateway.getScope(requestContext));
  if (own.length === 0) return listed;
  const names = new Set(listed.map(({ name }) => name));
  return [...listed, ...own.filter(({ name }) => !names.has(name))];
}

/** Adapts `execution.taskSupport` of tools to the protocol version of the caller. */
const adaptTaskSupport = (tools: readonly Tool[], { dialect }: RequestContext): readonly Tool[] =>
  dialect.tasks === 'by-parameter' ? tools : removeTaskSupport(tools);

const removeTaskSupport = memoizeByList((tools: readonly Tool[]): readonly Tool[] =>
  tools.some(({ execution }) => execution) ? tools.map(({ execution: _, ...tool }) => tool) : tools,
);
