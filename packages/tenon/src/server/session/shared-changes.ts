import type { Clock } from '../../cancellation/clock.js';
import { TenonError } from '../../jsonrpc/error.js';
import type { JsonObject } from '../../jsonrpc/message.js';
import type { SharedStores } from '../../protocol/request-handler.js';

declare const crypto: { randomUUID(): string };

/** Time for which changes are collected into one message to the other processes, in milliseconds. */
const PUBLISH_DELAY = 10;

/** A change that clients of all processes must be notified of. */
export interface SharedChange {
  readonly kind: 'resource' | 'list' | 'elicitation';
  /** URI of the resource, name of the list, or ID of the elicitation. */
  readonly name: string;
}

/**
 * Changes in other processes of the same server. A message contains only the name of the change, because clients read
 * the changed data themselves.
 */
export class SharedChanges {
  readonly #stores: SharedStores;
  readonly #clock: Clock;
  readonly #onError: (error: TenonError) => void;
  readonly #onChange: (change: SharedChange) => void;
  readonly #process = crypto.randomUUID();
  #pending = new Map<string, SharedChange>();
  #stop: (() => void) | undefined;

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

  /** Subscribes to changes of the other processes, unless already subscribed. */
  listen(): void {
    if (this.#stop !== undefined) return;
    try {
      this.#stop = this.#stores.bus.subscribe(this.#topic, message => this.#receive(message));
    } catch (error) {
      this.#report(error);
    }
  }

  close(): void {
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

  #publishPending(): void {
    const changes = [...this.#pending.values()];
    this.#pending = new Map();
    this.#stores.bus.publish(this.#topic, { process: this.#process, changes }).catch(error => this.#report(error));
  }

  #receive({ process, changes }: JsonObject): void {
    // Only processes of this server publish to the topic.
    if (process !== this.#process) for (const change of changes as SharedChange[]) this.#onChange(change);
  }

  #report(error: unknown): void {
    this.#onError(TenonError.from(error, 'store/failed'));
  }
}
