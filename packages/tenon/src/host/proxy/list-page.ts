import type { JsonObject } from '../../jsonrpc/message.js';
import type { Tool } from '../../protocol/content.js';
import { paginate } from '../../server/methods/paginate.js';
import type { Operation } from '../../server/middleware/compose-middleware.js';
import type { RequestContext } from '../../server/request-context.js';
import { collapseToBudget } from '../catalog/budget/resolve-meta-tool.js';
import { getEntryKey, type ListKind } from '../connections/list-cache.js';
import type { UnavailableServer } from '../connections/upstream-registry.js';
import type { GatewayContext } from './gateway-context.js';
import { listSignInTools } from './sign-in-tools.js';

/** Key in `_meta` of a list for the servers that are missing from it, with the reason. */
export const UNAVAILABLE = 'dev.tenon/unavailable';

const RESULT_KEYS = {
  tools: 'tools',
  prompts: 'prompts',
  resources: 'resources',
  templates: 'resourceTemplates',
} as const;

/** One of the four lists, of all servers together. */
export async function listPage(
  gateway: GatewayContext,
  kind: ListKind,
  { params, context }: Operation,
  requestContext: RequestContext,
): Promise<JsonObject> {
  const scope = gateway.getScope(requestContext);
  const offering = await gateway.getCatalog(scope).listEntries(kind);
  const { unavailable, ttlMs = 0, cacheScope = 'private' } = offering;
  const items =
    kind === 'tools'
      ? selectTools(gateway, offering.items as readonly Tool[], unavailable, requestContext)
      : offering.items;
  const { cursor } = params;
  const { items: some, nextCursor } = paginate(
    items,
    getEntryKey,
    (cursor ?? undefined) as string | undefined,
    gateway.pageSize,
  );
  if (unavailable.length > 0) context.log('warning', { unavailable }, 'tenon');
  return {
    [RESULT_KEYS[kind]]: some,
    ...(nextCursor === undefined ? {} : { nextCursor }),
    ...(unavailable.length > 0 ? { _meta: { [UNAVAILABLE]: unavailable } } : {}),
    ttlMs,
    // A list for an authenticated caller may be meant for that caller only.
    cacheScope: scope.identity.principal === undefined ? cacheScope : 'private',
  };
}

function selectTools(
  gateway: GatewayContext,
  tools: readonly Tool[],
  unavailable: readonly UnavailableServer[],
  requestContext: RequestContext,
): readonly Tool[] {
  const listed = adaptTaskSupport(collapseToBudget(tools, gateway.budget)?.tools ?? tools, requestContext);
  const own = listSignInTools(gateway, unavailable, gateway.getScope(requestContext));
  if (own.length === 0) return listed;
  const names = new Set(listed.map(({ name }) => name));
  return [...listed, ...own.filter(({ name }) => !names.has(name))];
}

const withoutTaskSupport = new WeakMap<readonly Tool[], readonly Tool[]>();

/** Adapts `execution.taskSupport` of tools to the protocol version of the caller. */
function adaptTaskSupport(tools: readonly Tool[], { dialect }: RequestContext): readonly Tool[] {
  if (dialect.tasks === 'by-parameter' || !tools.some(({ execution }) => execution)) return tools;
  const known = withoutTaskSupport.get(tools);
  if (known) return known;
  const without = tools.map(({ execution: _, ...tool }) => tool as Tool);
  withoutTaskSupport.set(tools, without);
  return without;
}
