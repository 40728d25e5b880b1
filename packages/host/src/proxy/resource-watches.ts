import { TenonError } from '@tenon/base';
import type { Client } from 'tenon';
import type { UpstreamConnection } from '../connections/upstream-connection.js';

const resourceWatches = new WeakMap<UpstreamConnection, Map<string, ResourceWatch>>();

interface ResourceWatch {
  readonly listeners: Set<{ readonly onChange: () => void }>;
  readonly stop: () => void;
}

/**
 * Watches a resource on any protocol version of its server. Returns a function that ends the watch. Each connection
 * watches a resource only once, because in older versions one `resources/unsubscribe` ends all subscriptions to a URI.
 */
export function watchResource(
  connection: UpstreamConnection,
  uri: string,
  onChange: () => void,
  onError: (error: TenonError) => void,
): () => void {
  const all = resourceWatches.get(connection) ?? new Map<string, ResourceWatch>();
  resourceWatches.set(connection, all);
  const watch = all.get(uri) ?? startWatch(connection, uri, () => all.get(uri) === watch && all.delete(uri), onError);
  all.set(uri, watch);
  const listener = { onChange };
  watch.listeners.add(listener);
  return () => {
    if (!watch.listeners.delete(listener) || watch.listeners.size > 0) return;
    if (all.get(uri) === watch) all.delete(uri);
    watch.stop();
  };
}

const subscriptions = new WeakMap<Client, Set<string>>();

/**
 * Subscribes to a resource for a session, and rejects with the error of the server. The watch of the resource that
 * follows does not subscribe again, and neither do other sessions on the connection.
 */
export async function subscribeOnce(connection: UpstreamConnection, client: Client, uri: string): Promise<void> {
  if (resourceWatches.get(connection)?.has(uri)) return;
  let subscribed = subscriptions.get(client);
  if (subscribed === undefined) {
    const uris = new Set<string>();
    subscribed = uris;
    subscriptions.set(client, uris);
    client.on('state', state => state === 'connected' || uris.clear());
  }
  if (subscribed.has(uri)) return;
  await client.call('resources/subscribe', { uri });
  subscribed.add(uri);
}

/** Forgets a subscription, because it was ended at the server. */
export function forgetSubscription(client: Client, uri: string): void {
  subscriptions.get(client)?.delete(uri);
}

/** Reports all watched resources of a connection as changed, because notifications were lost. */
export function reportAllChanged(connection: UpstreamConnection): void {
  for (const { listeners } of resourceWatches.get(connection)?.values() ?? [])
    for (const each of [...listeners]) each.onChange();
}

function startWatch(
  connection: UpstreamConnection,
  uri: string,
  onEnd: () => void,
  onError: (error: TenonError) => void,
): ResourceWatch {
  const listeners: ResourceWatch['listeners'] = new Set();
  const controller = new AbortController();
  const release = connection.keepOpen();
  const follow = async () => {
    const client = await connection.getClient();
    const isSubscribed = (watched: string) => subscriptions.get(client)?.delete(watched) ?? false;
    for await (const _ of client.watch(uri, { signal: controller.signal, isSubscribed })) {
      for (const each of [...listeners]) each.onChange();
    }
  };
  follow()
    .catch(error => controller.signal.aborted || onError(TenonError.from(error)))
    .finally(() => {
      release();
      onEnd();
    });
  return { listeners, stop: () => controller.abort() };
}
