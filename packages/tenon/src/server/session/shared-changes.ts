import {
  type Clock,
  computeFingerprint,
  type JsonObject,
  type PeriodicRun,
  runPeriodically,
  TenonError,
} from '@tenon/base';
import type { SharedStores } from '../../protocol/request-handler.js';
import { retryStoreFaults } from '../../stores/fault-retry.js';

declare const crypto: { randomUUID(): string };

/** Time for which changes are collected into one message to the other processes, in milliseconds. */
const PUBLISH_DELAY = 10;

/** Interval of reads of the changes, in milliseconds. They find the changes whose message the bus has lost. */
const POLL_INTERVAL = 15_000;
/** Lifetime of a change in the store, in milliseconds. A process may be disconnected from the store for that long. */
const CHANGE_TTL = 600_000;
/** Maximum time for which a change is stored again while the store has a fault, in milliseconds. */
const MAX_RETRY = 60_000;
/** Maximum number of values in one answer of the store. */
const PAGE = 1000;

/** A change that clients of all processes must be notified of. */
export interface SharedChange {
  readonly kind: 'resource' | 'list' | 'elicitation';
  /** URI of the resource, name of the list, or ID of the elicitation. */
  readonly name: string;
}

/** The last change of a resource or list in the store. A later change has another ID. */
interface StoredChange extends SharedChange, JsonObject {
  readonly id: string;
  readonly process: string;
}

/**
 * Changes in other processes of the same server. The store keeps the last change of each resource and list for some
 * time, and the bus announces it. A message contains only the name of the change, because clients read
 * the changed data themselves.
 */
export class SharedChanges {
  readonly #stores: SharedStores;
  readonly #clock: Clock;
  readonly #onError: (error: TenonError) => void;
  readonly #onChange: (change: SharedChange) => void;
  readonly #process = crypto.randomUUID();
  #pending = new Map<string, SharedChange>();
  /** IDs of the changes that this process knows, by their keys in the store. */
  readonly #known = new Map<string, string>();
  /** IDs of the changes of the first read. One whose message comes later may have been made after `listen`. */
  readonly #first = new Set<string>();
  #stop: (() => void) | undefined;
  /** The first read of the store. Undefined when it has ended. */
  #reading: Promise<void> | undefined;
  #polling: PeriodicRun | undefined;

  constructor(
    stores: SharedStores,
    clock: Clock,
    onError: (error: TenonError) => void,
    onChange: (change: SharedChange) => void,
  ) {
    this.#stores = stores;
    this.#clock = clock;
    this.#onError = onError;
    this.#onChange = onChange;
  }

  /**
   * Subscribes to changes of the other processes, unless already subscribed. The promise resolves when the store was read
   * once: later reads find all changes that are made after that. `undefined` if it was read before.
   */
  listen(): Promise<void> | undefined {
    if (this.#stop === undefined) {
      try {
        this.#stop = this.#stores.bus.subscribe(this.#topic, message => this.#receive(message));
        const options = {
          clock: this.#clock,
          interval: POLL_INTERVAL,
          onError: (error: unknown) => this.#report(error),
        };
        this.#polling = runPeriodically(options, () => this.#poll());
        this.#reading = this.#polling.runNow().then(() => {
          this.#reading = undefined;
        });
      } catch (error) {
        this.#report(error);
      }
    }
    return this.#reading;
  }

  close(): void {
    void this.#polling?.stop();
    this.#stop?.();
    this.#stop = undefined;
  }

  /** Publishes a change to the other processes. Equal changes within a short time are published once. */
  publish(change: SharedChange): void {
    this.#pending.set(`${change.kind} ${change.name}`, change);
    if (this.#pending.size === 1) this.#clock.after(PUBLISH_DELAY, () => this.#publishPending(), { hold: true });
  }

  get #topic(): string {
    return `changes/${this.#stores.scope}`;
  }

  #toKey({ kind, name }: SharedChange): string {
    return `change/${this.#stores.scope}/${kind}/${computeFingerprint(name)}`;
  }

  #publishPending(): void {
    const changes = [...this.#pending.values()].map(change => ({
      ...change,
      id: crypto.randomUUID(),
      process: this.#process,
    }));
    this.#pending = new Map();
    this.#store(changes)
      .then(() => this.#stores.bus.publish(this.#topic, { process: this.#process, changes }))
      .catch(error => this.#report(error));
  }

  async #store(changes: readonly StoredChange[]): Promise<void> {
    const put = (change: StoredChange) => this.#stores.values.put(this.#toKey(change), change, { ttl: CHANGE_TTL });
    const options = { clock: this.#clock, maxElapsed: MAX_RETRY };
    await Promise.all(changes.map(change => retryStoreFaults(() => put(change), options)));
  }

  #receive({ process, changes }: JsonObject): void {
    // Only processes of this server publish to the topic.
    if (process !== this.#process)
      for (const change of changes as StoredChange[])
        if (this.#first.delete(change.id)) this.#onChange(change);
        else this.#notify(change);
  }

  /** Notifies the subscribers of a change, unless they already were or the change is of this process. */
  #notify(change: StoredChange, onChange: (change: StoredChange) => void = this.#onChange): void {
    const key = this.#toKey(change);
    if (this.#known.get(key) === change.id) return;
    this.#known.set(key, change.id);
    if (change.process !== this.#process) onChange(change);
  }

  async #poll(): Promise<void> {
    // Subscribers wait for the first read. Later ones find a change that was made during a fault soon after it.
    const isFirst = this.#reading !== undefined;
    if (!isFirst) this.#first.clear();
    // Earlier changes are no news for the subscribers of this process.
    const onChange = isFirst ? ({ id }: StoredChange) => void this.#first.add(id) : undefined;
    const read = async (): Promise<void> => {
      if (this.#stop) await this.#readChanges(onChange);
    };
    await retryStoreFaults(read, { clock: this.#clock, maxElapsed: isFirst ? 0 : POLL_INTERVAL });
  }

  async #readChanges(onChange?: (change: StoredChange) => void): Promise<void> {
    const keys = new Set<string>();
    const prefix = `change/${this.#stores.scope}/`;
    for (let after: string | undefined; ; ) {
      const page = await this.#stores.values.list(prefix, after === undefined ? {} : { after });
      for (const { key, value } of page) {
        keys.add(key);
        // Only processes of this server write under the prefix.
        this.#notify(value as StoredChange, onChange);
      }
      after = page.at(-1)?.key;
      if (page.length < PAGE) break;
    }
    for (const key of [...this.#known.keys()]) if (!keys.has(key)) this.#known.delete(key);
  }

  #report(error: unknown): void {
    this.#onError(TenonError.from(error, 'store/failed'));
  }
}
