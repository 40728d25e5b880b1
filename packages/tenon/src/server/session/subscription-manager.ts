import { type Clock, type JsonObject, systemClock, TenonError } from '@tenon/base';
import type { CallerInfo } from '../../handler/context.js';
import type { ListName } from '../../protocol/lists.js';
import { canSee, type HasVisibility } from '../registry.js';
import { DeliveryQueue } from './delivery-queue.js';
import type { SharedChanges } from './shared-changes.js';

/** A subscriber to change notifications. */
export interface Subscriber {
  readonly caller: CallerInfo;
  /** Tells if the subscriber gets notifications of this list. */
  wants(list: ListName): boolean;
  deliver(method: string, params: JsonObject): void;
}

/** Subscribers by list and by resource. The cost of a change depends only on the number of its subscribers. */
export class SubscriptionManager {
  readonly #subscribers = new Set<Subscriber>();
  readonly #byUri = new Map<string, Set<Subscriber>>();
  readonly #unsubscribers = new Map<string, () => void>();
  readonly #subscribeHook: (uri: string) => (() => void) | undefined;
  readonly #onError: (error: TenonError) => void;
  readonly #deliveries: DeliveryQueue<Subscriber>;
  /** Changes in other processes. Undefined if there are no other processes. */
  readonly #shared: Pick<SharedChanges, 'listen' | 'publish'> | undefined;

  /**
   * `subscribe` is called when a URI gets its first subscriber. The function that it returns is called when the URI has
   * lost its last one. Exceptions of both are reported, because the client cannot correct them.
   */
  constructor(
    subscribeHook: (uri: string) => (() => void) | undefined,
    onError: (error: TenonError) => void,
    clock: Clock = systemClock,
    shared?: Pick<SharedChanges, 'listen' | 'publish'>,
  ) {
    this.#shared = shared;
    this.#subscribeHook = subscribeHook;
    this.#onError = onError;
    this.#deliveries = new DeliveryQueue(clock);
  }

  /** Listens to changes in other processes, unless it already does. The promise resolves when none can be lost any more. */
  listen(): Promise<void> | undefined {
    return this.#shared?.listen();
  }

  add(subscriber: Subscriber): void {
    void this.listen();
    this.#subscribers.add(subscriber);
  }

  remove(subscriber: Subscriber, uris: Iterable<string>): void {
    this.#subscribers.delete(subscriber);
    for (const uri of [...uris]) this.unsubscribe(subscriber, uri);
  }

  subscribe(subscriber: Subscriber, uri: string): void {
    const subscribers = this.#byUri.get(uri);
    if (subscribers) {
      subscribers.add(subscriber);
      return;
    }
    this.#byUri.set(uri, new Set([subscriber]));
    const end = this.#callSafely(() => this.#subscribeHook(uri));
    if (end) this.#unsubscribers.set(uri, end);
  }

  unsubscribe(subscriber: Subscriber, uri: string): void {
    const subscribers = this.#byUri.get(uri);
    subscribers?.delete(subscriber);
    if (subscribers?.size !== 0) return;
    this.#byUri.delete(uri);
    const end = this.#unsubscribers.get(uri);
    this.#unsubscribers.delete(uri);
    if (end) this.#callSafely(end);
  }

  notifyResourceUpdated(uri: string): void {
    this.#shared?.publish({ kind: 'resource', name: uri });
    this.deliverResourceUpdate(uri);
  }

  /** Notifies the subscribers of this process that a resource was updated, in this process or in another one. */
  deliverResourceUpdate(uri: string): void {
    this.#deliveries.add(`resource ${uri}`, {
      listSubscribers: () => this.#byUri.get(uri) ?? [],
      isSubscribed: subscriber => this.#byUri.get(uri)?.has(subscriber) === true,
      deliver: subscriber => this.#callSafely(() => subscriber.deliver('notifications/resources/updated', { uri })),
    });
  }

  /** Notifies the subscribers of a list that can see at least one of the changed entries. */
  notifyListChanged(list: ListName, items: readonly HasVisibility[]): void {
    this.#shared?.publish({ kind: 'list', name: list });
    this.deliverListChange(list, items);
  }

  /**
   * Notifies the subscribers of this process that a list changed. Changes of other processes do not contain the changed
   * entries.
   */
  deliverListChange(list: ListName, items: readonly HasVisibility[] = [{}]): void {
    this.#deliveries.add(undefined, {
      listSubscribers: () => this.#subscribers,
      isSubscribed: subscriber => this.#subscribers.has(subscriber),
      deliver: subscriber =>
        this.#callSafely(() => {
          if (subscriber.wants(list) && items.some(item => canSee(subscriber.caller, item)))
            subscriber.deliver(`notifications/${list}/list_changed`, {});
        }),
    });
  }

  #callSafely<T>(run: () => T): T | undefined {
    try {
      return run();
    } catch (error) {
      this.#onError(TenonError.from(error, 'handler/threw'));
      return undefined;
    }
  }
}
