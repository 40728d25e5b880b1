import { type JsonObject, type MaybePromise, thenMaybe } from '@tenon/base';
import { LISTS } from '../../protocol/lists.js';
import { SUBSCRIPTION_ID } from '../../protocol/meta.js';
import type { ParamsOf } from '../../protocol/method-types.js';
import type { SubscriptionFilter } from '../../protocol/params-and-results.js';
import { finalizeResult } from '../decode-encode.js';
import type { ExtensionSubscription } from '../extension.js';
import type { RequestContext } from '../request-context.js';
import type { FoundOf, MethodCall, ServerRuntime } from '../server-runtime.js';
import type { Subscriber } from '../session/subscription-manager.js';
import { resolveResource } from './resources.js';

/** One value for all streams without subscriptions of extensions. */
const NONE: readonly (() => void)[] = [];
/** Maximum number of URIs in one `subscriptions/listen` request. */
const MAX_URIS = 1000;

/**
 * Handles `subscriptions/listen`: acknowledges the subscriptions, sends notifications, and responds when the client or
 * the server ends the stream.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions
 */
export function listen({
  params,
  requestContext,
  server,
}: MethodCall<'subscriptions/listen'>): Promise<JsonObject> | JsonObject {
  const requested = params.notifications;
  return thenMaybe(subscribeExtensions(server, requested, requestContext), extensionSubscriptions =>
    // The acknowledgement promises that no later change is lost, also none of another process.
    thenMaybe(server.subscriptions.listen(), () =>
      startListening(server, requested, extensionSubscriptions, requestContext),
    ),
  );
}

function startListening(
  server: ServerRuntime,
  requested: SubscriptionFilter,
  extensionSubscriptions: readonly ExtensionSubscription[],
  requestContext: RequestContext,
): Promise<JsonObject> {
  const filter = Object.assign(
    selectServedFilter(server, requested, requestContext),
    ...extensionSubscriptions.map(each => each.filter),
  );
  const _meta = { [SUBSCRIPTION_ID]: requestContext.id };
  requestContext.notify('notifications/subscriptions/acknowledged', { _meta, notifications: filter });
  const subscriber: Subscriber = {
    caller: requestContext.caller,
    wants: list => filter[`${list}ListChanged`] === true,
    deliver: (method, notification) => requestContext.notify(method, { ...notification, _meta }),
  };
  const uris = filter.resourceSubscriptions ?? [];
  server.subscriptions.add(subscriber);
  for (const uri of uris) server.subscriptions.subscribe(subscriber, uri);
  const stopListeners =
    extensionSubscriptions.length === 0 ? NONE : extensionSubscriptions.map(each => each.start(subscriber.deliver));
  return new Promise(resolve => {
    const endListening = () => {
      server.subscriptions.remove(subscriber, uris);
      for (const each of stopListeners) each();
      server.closeListeners.delete(endListening);
      resolve(finalizeResult(server, { _meta }));
    };
    server.closeListeners.add(endListening);
    requestContext.onShutdown?.(endListening);
    requestContext.onCancel(endListening);
  });
}

function subscribeExtensions(
  { extensionHooks }: ServerRuntime,
  requested: SubscriptionFilter,
  requestContext: RequestContext,
): MaybePromise<ExtensionSubscription[]> {
  const pending = extensionHooks.flatMap(each => each.subscribe?.(requested, requestContext) ?? []);
  if (pending.length === 0) return [];
  return Promise.all(pending).then(all => all.filter(each => each !== undefined));
}

/**
 * Selects the lists and resources of a filter of whose changes the server notifies. Registries without entries count,
 * because entries may be added while the stream is open.
 */
function selectServedFilter(
  server: ServerRuntime,
  requested: SubscriptionFilter,
  requestContext: RequestContext,
): SubscriptionFilter {
  const filter: SubscriptionFilter = {};
  for (const list of LISTS) {
    if (requested[`${list}ListChanged`] !== true) continue;
    if (server.backend.usesRegistries || server[list].isOffered) filter[`${list}ListChanged`] = true;
  }
  const uris = [...new Set(requested.resourceSubscriptions ?? [])].slice(0, MAX_URIS);
  const known = uris.filter(uri => resolveResource(server, uri, requestContext) !== undefined);
  // The copy has no spare capacity, because the filter lasts as long as the stream.
  if (known.length > 0) filter.resourceSubscriptions = [...known];
  return filter;
}

/** Returns the scopes of all resources that a client wants to listen to. */
export function findListenedResources(
  server: ServerRuntime,
  { notifications: { resourceSubscriptions = [] } }: ParamsOf<'subscriptions/listen'>,
  requestContext: RequestContext,
): FoundOf<'subscriptions/listen'> {
  const scopes = resourceSubscriptions
    .slice(0, MAX_URIS)
    .flatMap(uri => resolveResource(server, uri, requestContext)?.definition.scopes ?? []);
  // A stream keeps what was found for as long as it is open.
  return scopes.length === 0 ? undefined : { definition: { scopes } };
}
