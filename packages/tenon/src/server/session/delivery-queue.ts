import { type Clock, LATE_TIMER } from '@tenon/base';

/** One notification for many subscribers. */
export interface Delivery<S> {
  /** Lists the subscribers. Called when the delivery starts. */
  listSubscribers(): Iterable<S>;
  /** Tells if a subscriber still wants the notification. Called again before each delivery. */
  isSubscribed(subscriber: S): boolean;
  /** Delivers the notification to one subscriber. Never throws. */
  deliver(subscriber: S): void;
}

interface PendingDelivery<S> {
  readonly key: string | undefined;
  readonly delivery: Delivery<S>;
}

/** Number of subscribers that are notified without a pause. Writing to one connection takes about 20 µs. */
const SLICE_SIZE = 50;
/** Pause between two slices, in milliseconds. */
const SLICE_DELAY = 1;

/**
 * Delivers notifications to many subscribers in slices, so that it never blocks the event loop for long. There is one
 * queue, so each subscriber gets its notifications in the order in which they were added.
 */
export class DeliveryQueue<S> {
  readonly #clock: Clock;
  readonly #pending: PendingDelivery<S>[] = [];
  readonly #pendingKeys = new Set<string>();
  /** The rest of the delivery that has started. */
  #current: { readonly delivery: Delivery<S>; readonly subscribers: readonly S[]; next: number } | undefined;
  /** Time after which the waiting timer counts as lost. Undefined if no timer waits. */
  #timerExpiresAt: number | undefined;
  #isDelivering = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Adds a delivery. Its first slice is delivered at once if the queue is empty. A delivery is dropped if one with the
   * same `key` has not started yet, so changes of one resource cannot fill the queue.
   */
  add(key: string | undefined, delivery: Delivery<S>): void {
    if (key !== undefined && this.#pendingKeys.has(key)) return this.#resume();
    if (key !== undefined) this.#pendingKeys.add(key);
    this.#pending.push({ key, delivery });
    this.#resume();
  }

  #resume(): void {
    if (this.#isDelivering) return;
    // On Workers a timer ends together with the request that set it. The next notification then continues the delivery.
    if (this.#timerExpiresAt === undefined || this.#clock.elapsed() > this.#timerExpiresAt) this.#deliverSlice();
  }

  #deliverSlice(): void {
    this.#timerExpiresAt = undefined;
    this.#isDelivering = true;
    for (let room = SLICE_SIZE; room > 0; room--) {
      const current = this.#getCurrent();
      if (current === undefined) break;
      const subscriber = current.subscribers[current.next++] as S;
      if (current.delivery.isSubscribed(subscriber)) current.delivery.deliver(subscriber);
    }
    this.#isDelivering = false;
    if (this.#getCurrent() === undefined) return;
    this.#timerExpiresAt = this.#clock.elapsed() + LATE_TIMER;
    this.#clock.after(SLICE_DELAY, () => this.#deliverSlice(), { hold: true });
  }

  /** Returns the delivery that has subscribers left. Starts the next one if necessary. */
  #getCurrent() {
    while (this.#current === undefined || this.#current.next >= this.#current.subscribers.length) {
      this.#current = undefined;
      const pending = this.#pending.shift();
      if (pending === undefined) return undefined;
      const { key, delivery } = pending;
      if (key !== undefined) this.#pendingKeys.delete(key);
      this.#current = { delivery, subscribers: [...delivery.listSubscribers()], next: 0 };
    }
    return this.#current;
  }
}
