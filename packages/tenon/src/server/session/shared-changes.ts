import type { Clock } from '../../cancellation/clock.js';
import { TenonError } from '../../jsonrpc/error.js';
import type { JsonObject } from '../../jsonrpc/message.js';
import type { SharedStores } from '../../protocol/request-handler.js';

declare const crypto: { randomUUID(): string };

/** Time for which changes are gathered into one message to the other processes, in milliseconds. */
const PUBLISH_DELAY = 10;

/** Something that clients of all processes are to be notified of. */
export interface SharedChange {
  readonly kind: 'resource' | 'list' | 'elicitation';
  /** URI of the resource, name of the list, or id of the elicitation. */
  readonly name: string;
}

/** Changes in other processes of the same server. Clients read what has changed, so a message says only that it has. */
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

  /** Begins to listen to the other processes, unless it does. */
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

  /** Tells the other processes. Equal changes that come soon after each other are one. */
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
    // Only processes of this server publish on the topic.
    if (process !== this.#process) for (const change of changes as SharedChange[]) this.#onChange(change);
  }

  #report(error: unknown): void {
    this.#onError(TenonError.from(error, 'store/failed'));
  }
}
