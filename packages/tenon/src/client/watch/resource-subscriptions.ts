import { rejectOnAbort } from '@tenon/base';
import type { Connection } from '../connection/connection.js';

/** A subscription of a connection to a resource. All watches of the resource share it. */
interface ResourceSubscription {
  watches: number;
  /** Settles with the response to `resources/subscribe`. */
  readonly accepted: Promise<unknown>;
  isAccepted: boolean;
  /** Ends the request if no watch waits for it any more. */
  readonly abort: () => void;
  /** Settles with the response to `resources/unsubscribe`, after which the connection may subscribe again. */
  ended: Promise<unknown> | undefined;
}

const subscriptions = new WeakMap<Connection, Map<string, ResourceSubscription>>();

/**
 * Subscribes a watch to a resource, unless another watch has subscribed the connection. Returns a function that
 * unsubscribes if no other watch is left.
 */
export async function subscribe(
  connection: Connection,
  uri: string,
  isSubscribed: boolean,
  signal: AbortSignal,
): Promise<() => Promise<void>> {
  const all = subscriptions.get(connection) ?? new Map<string, ResourceSubscription>();
  subscriptions.set(connection, all);
  // HTTP does not keep the order of requests, so the end of an earlier subscription could arrive after this one.
  for (let ending = all.get(uri)?.ended; ending !== undefined; ending = all.get(uri)?.ended)
    await rejectOnAbort(ending, signal);
  const subscription = all.get(uri) ?? request(connection, uri, isSubscribed, all);
  subscription.watches += 1;
  const release = async () => {
    subscription.watches -= 1;
    if (subscription.watches > 0 || all.get(uri) !== subscription) return;
    const { isAccepted } = subscription;
    subscription.ended = subscription.accepted
      .catch(() => {})
      // Other processes may still watch the resources in a shared session.
      .then(() => {
        if (!connection.ended && !connection.isSessionShared) return connection.call('resources/unsubscribe', { uri });
      })
      .catch(() => {})
      .finally(() => all.delete(uri));
    subscription.abort();
    // A server that has not responded to the first request may not respond to the second one either.
    if (isAccepted) await subscription.ended;
  };
  try {
    await rejectOnAbort(subscription.accepted, signal);
  } catch (error) {
    await release();
    throw error;
  }
  return release;
}

function request(
  connection: Connection,
  uri: string,
  isSubscribed: boolean,
  all: Map<string, ResourceSubscription>,
): ResourceSubscription {
  const controller = new AbortController();
  const { signal } = controller;
  const subscription: ResourceSubscription = {
    watches: 0,
    accepted: isSubscribed ? Promise.resolve() : connection.call('resources/subscribe', { uri }, { signal }),
    isAccepted: false,
    abort: () => controller.abort(),
    ended: undefined,
  };
  all.set(uri, subscription);
  subscription.accepted.then(
    () => {
      subscription.isAccepted = true;
    },
    () => {
      if (subscription.ended === undefined) all.delete(uri);
    },
  );
  return subscription;
}
