import type { JsonObject } from '@tenon/base';
import type { ExtensionSubscription, RequestContext, SubscriptionFilter } from 'tenon/proxy';
import type { ResolvedResource } from '../catalog/host-catalog.js';
import { createResourceRequest } from './action-requests.js';
import type { GatewayContext } from './gateway-context.js';
import type { NotifiableList } from './list-change-notifier.js';
import { resolveUpstreamResource } from './resolve-target.js';
import { watchResource } from './resource-watches.js';
import { canSubscribe } from './subscribe-capability.js';

const LISTEN = 'subscriptions/listen';
/** Maximum number of URIs of one `subscriptions/listen` request. */
const MAX_URIS = 1000;

const FILTER_FLAGS = {
  tools: 'toolsListChanged',
  prompts: 'promptsListChanged',
  resources: 'resourcesListChanged',
} as const;

/** Creates a listener for the lists and resources to which a caller subscribes. */
export async function createListener(
  gateway: GatewayContext,
  filterWanted: SubscriptionFilter,
  requestContext: RequestContext,
): Promise<ExtensionSubscription> {
  const lists = (Object.keys(FILTER_FLAGS) as NotifiableList[]).filter(
    name => filterWanted[FILTER_FLAGS[name]] === true,
  );
  const uris = [...new Set(filterWanted.resourceSubscriptions ?? [])].slice(0, MAX_URIS);
  const places = await Promise.all(
    uris.map(async uri => ({ uri, place: await resolveSubscribable(gateway, uri, requestContext) })),
  );
  const known = places.filter((each): each is { uri: string; place: ResolvedResource } => each.place !== undefined);
  const filter: SubscriptionFilter = Object.fromEntries(lists.map(name => [FILTER_FLAGS[name], true]));
  if (known.length > 0) filter.resourceSubscriptions = known.map(({ uri }) => uri);
  return { filter, start: deliver => startListener(gateway, lists, known, requestContext, deliver) };
}

/** Finds a resource that exists, that the caller may read, and whose server notifies of its changes. */
async function resolveSubscribable(
  gateway: GatewayContext,
  uri: string,
  requestContext: RequestContext,
): Promise<ResolvedResource | undefined> {
  try {
    const place = await resolveUpstreamResource(gateway, uri, requestContext, LISTEN);
    const actionRequest = createResourceRequest(place.connection, place.uri, requestContext.caller.auth);
    await gateway.guard.authorizePassive(actionRequest, place.connection, LISTEN);
    return (await canSubscribe(place.connection)) ? place : undefined;
  } catch {
    return undefined;
  }
}

function startListener(
  gateway: GatewayContext,
  lists: readonly NotifiableList[],
  known: readonly { readonly uri: string; readonly place: ResolvedResource }[],
  requestContext: RequestContext,
  deliver: (method: string, params: JsonObject) => void,
): () => void {
  const problem = gateway.guard.reportError.bind(gateway.guard);
  const ends = known.map(({ uri, place: { connection, uri: inner } }) =>
    watchResource(connection, inner, () => deliver('notifications/resources/updated', { uri }), problem),
  );
  if (lists.length > 0) {
    const scope = gateway.getScope(requestContext);
    ends.push(gateway.listChanges.addListener(scope, new Set(lists), deliver));
    // Only callers that have read a list are notified about its changes.
    const catalog = gateway.getCatalog(scope);
    for (const name of lists) void catalog.listEntries(name).catch(() => {});
  }
  return () => {
    for (const end of ends) end();
  };
}
