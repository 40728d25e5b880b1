import type { Clock, JsonObject } from '@tenon/base';
import type { RequestScope } from '../../jsonrpc/request-scope.js';
import { createTokenBuckets, type Rate, type TokenBuckets } from '../middleware/token-buckets.js';

/** Options for merging the notifications of one request above a rate. */
export interface MergeOptions {
  readonly rate: Rate;
  readonly clock: Clock;
  /** Registers a function that runs right before the response is sent. */
  onFinishing(flush: () => void): void;
}

/** Returns the options for merging the notifications of a running request. */
export function getMergeOptions(
  { rateLimits, clock }: { readonly rateLimits: { readonly notifications: Rate | undefined }; readonly clock: Clock },
  running: RequestScope,
): MergeOptions | undefined {
  const { notifications: rate } = rateLimits;
  return rate && { rate, clock, onFinishing: flush => running.onFinishing(flush) };
}

type SendNotification = (method: string, params: JsonObject) => void;

/**
 * Sends notifications immediately up to a rate. Above the rate, it keeps the last notification of each key and sends it
 * later.
 */
export class NotificationMerger {
  readonly #send: SendNotification;
  readonly #clock: Clock;
  readonly #buckets: TokenBuckets;
  readonly #pending = new Map<string, readonly [method: string, params: JsonObject]>();
  #cancelTimer: (() => void) | undefined;

  constructor(send: SendNotification, { rate, clock, onFinishing }: MergeOptions) {
    this.#send = send;
    this.#clock = clock;
    this.#buckets = createTokenBuckets({ ...rate, clock });
    onFinishing(() => this.#flush());
  }

  notify(key: string, method: string, params: JsonObject): void {
    // The last notification moves to the end, so that notifications stay in order.
    this.#pending.delete(key);
    this.#pending.set(key, [method, params]);
    this.#sendSome();
  }

  #sendSome(): void {
    if (this.#cancelTimer !== undefined) return;
    for (const [key, [method, params]] of this.#pending) {
      const wait = this.#buckets.take('');
      if (wait > 0) {
        this.#cancelTimer = this.#clock.after(wait, () => {
          this.#cancelTimer = undefined;
          this.#sendSome();
        });
        return;
      }
      this.#pending.delete(key);
      this.#send(method, params);
    }
  }

  #flush(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    for (const [method, params] of this.#pending.values()) this.#send(method, params);
    this.#pending.clear();
  }
}
