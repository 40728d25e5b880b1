import type { JsonObject } from '@tenon/base';
import type { ExtensionSubscription, RequestContext, SubscriptionFilter } from 'tenon/proxy';
import type { ResolvedResource } from '../catalog/host-catalog.js';
import { NOTIFIABLE_LISTS, type NotifiableList } from '../connections/notifiable-lists.js';
import { createResourceRequest } from './action-requests.js';
import type { GatewayContext } from './gateway-context.js';
import { resolveUpstreamResource } from './resolve-target.js';
import { type StartedWatch, waitForAcceptance, watchResource } from './resource-watches.js';
import { canSubscribe } from './subscribe-capability.js';

const LISTEN = 'subscriptions/listen';
/** Maximum number of URIs of one `subscriptions/listen` request. */
const MAX_URIS = 1000;

/**
 * Creates a listener for the lists and resources to which a caller subscribes. It has only the resources whose servers
 * accept the subscription, because the caller would wait for notifications that never arrive.
 */
export async function createListener(
  gateway: GatewayContext,
  filterWanted: SubscriptionFilter,
  requestContext: RequestContext,
): Promise<ExtensionSubscription> {
  const lists = NOTIFIABLE_LISTS.filter(name => filterWanted[`${name}ListChanged`] === true);
  const uris = [...new Set(filterWanted.resourceSubscriptions ?? [])].slice(0, MAX_URIS);
  let deliver: (method: string, params: JsonObject) => void = () => {};
  const notify = (uri: string) => deliver('notifications/resources/updated', { uri });
  const watches = await Promise.all(uris.map(uri => watchAccepted(gateway, uri, requestContext, () => notify(uri))));
  const accepted = uris.filter((_, index) => watches[index] !== undefined);
  const filter: SubscriptionFilter = Object.fromEntries(lists.map(name => [`${name}ListChanged`, true]));
  if (accepted.length > 0) filter.resourceSubscriptions = accepted;
  const start = (send: typeof deliver) => {
    deliver = send;
    const ends = watches.flatMap(watch => watch?.stop ?? []);
    if (lists.length > 0) ends.push(listenToLists(gateway, lists, requestContext, deliver));
    return () => {
      for (const end of ends) end();
    };
  };
  return { filter, start };
}

/** Watches a resource for a caller. Returns `undefined` if the server does not accept the subscription. */
async function watchAccepted(
  gateway: GatewayContext,
  uri: string,
  requestContext: RequestContext,
  onChange: () => void,
): Promise<StartedWatch | undefined> {
  const place = await resolveSubscribable(gateway, uri, requestContext);
  if (place === undefined) return undefined;
  const watch = watchResource(place.connection, place.uri, onChange, error => gateway.guard.reportError(error));
  try {
    await waitForAcceptance(watch, place.connection, place.uri);
    return watch;
  } catch {
    watch.stop();
    return undefined;
  }
}

/** Finds a resource that exists, that the caller may read, and whose server notifies of changes. */
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

function listenToLists(
  gateway: GatewayContext,
  lists: readonly NotifiableList[],
  requestContext: RequestContext,
  deliver: (method: string, params: JsonObject) => void,
): () => void {
  const scope = gateway.getScope(requestContext);
  const end = gateway.listChanges.addListener(scope, new Set(lists), deliver);
  // Only callers that have read a list are notified about its changes.
  const catalog = gateway.getCatalog(scope);
  for (const name of lists) void catalog.listEntries(name).catch(() => {});
  return end;
}
