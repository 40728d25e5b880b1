import { INVALID_PARAMS, rpcError, runWithTimeout, TenonError } from '@tenon/base';
import type { Client } from 'tenon';
import type { UpstreamConnection } from '../connections/upstream-connection.js';

/** Time for a server to accept a subscription, in milliseconds. */
const ACCEPT_TIMEOUT = 5000;

const resourceWatches = new WeakMap<UpstreamConnection, Map<string, ResourceWatch>>();

/** A watch of one listener. */
export interface StartedWatch {
  readonly stop: () => void;
  /** Resolves when the server has accepted the subscription. Rejects when the watch ends before. */
  readonly accepted: Promise<void>;
}

/** A watch of all listeners of one connection. */
interface ResourceWatch extends StartedWatch {
  readonly listeners: Set<{ readonly onChange: () => void }>;
}

/**
 * Watches a resource on any protocol version of its server. Each connection watches a resource only once, because in
 * older versions one `resources/unsubscribe` ends all subscriptions to a URI.
 */
export function watchResource(
  connection: UpstreamConnection,
  uri: string,
  onChange: () => void,
  onError: (error: TenonError) => void,
): StartedWatch {
  const all = resourceWatches.get(connection) ?? new Map<string, ResourceWatch>();
  resourceWatches.set(connection, all);
  const watch = all.get(uri) ?? startWatch(connection, uri, () => all.get(uri) === watch && all.delete(uri), onError);
  all.set(uri, watch);
  const listener = { onChange };
  watch.listeners.add(listener);
  const stop = () => {
    if (!watch.listeners.delete(listener) || watch.listeners.size > 0) return;
    if (all.get(uri) === watch) all.delete(uri);
    watch.stop();
  };
  return { stop, accepted: watch.accepted };
}

/**
 * Waits until the server has accepted a subscription.
 *
 * @throws TenonError the error of the server, or `rpc/error` if the server does not notify of changes of the resource, or
 * does not tell so in time.
 */
export async function waitForAcceptance(
  { accepted }: StartedWatch,
  { server, times: { clock } }: UpstreamConnection,
  uri: string,
): Promise<void> {
  const refuse = (): never => {
    throw createNotNotifiedError(server, uri);
  };
  await runWithTimeout(() => accepted, { clock, timeout: ACCEPT_TIMEOUT, onTimeout: refuse }).catch(error =>
    TenonError.is(error) && error.code === 'call/not-offered' ? refuse() : Promise.reject(error),
  );
}

/** Creates the error for a resource whose server does not notify of changes. */
export function createNotNotifiedError(server: string, uri: string, advice = ''): TenonError {
  const summary = `the server "${server}" does not notify of changes of this resource. Read the resource again instead`;
  return rpcError(INVALID_PARAMS, `Invalid params: ${summary}${advice === '' ? '' : `. ${advice}`}`, { uri });
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

function startWatch(
  connection: UpstreamConnection,
  uri: string,
  onEnd: () => void,
  onError: (error: TenonError) => void,
): ResourceWatch {
  const listeners: ResourceWatch['listeners'] = new Set();
  const controller = new AbortController();
  const release = connection.keepOpen();
  let accept = () => {};
  let refuse: (error: unknown) => void = () => {};
  const accepted = new Promise<void>((resolve, reject) => {
    accept = resolve;
    refuse = reject;
  });
  // Not each listener waits for it.
  accepted.catch(() => {});
  const follow = async () => {
    const client = await connection.getClient();
    const isSubscribed = (watched: string) => subscriptions.get(client)?.delete(watched) ?? false;
    const options = { signal: controller.signal, isSubscribed, onSubscribed: accept };
    for await (const _ of client.watch(uri, options)) {
      for (const each of [...listeners]) each.onChange();
    }
  };
  follow()
    .catch(error => {
      refuse(error);
      const failure = TenonError.from(error);
      if (!controller.signal.aborted && !connection.isClosedByHost(failure)) onError(failure);
    })
    .finally(() => {
      refuse(new TenonError('connection/closed', `the watch of ${uri} has ended`));
      release();
      onEnd();
    });
  return { listeners, stop: () => controller.abort(), accepted };
}
