import type { Clock, JsonObject } from '@tenon/base';
import type { RequestScope } from '../../jsonrpc/request-scope.js';
import type { Rate } from '../middleware/token-buckets.js';

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
  readonly #rate: Rate;
  readonly #clock: Clock;
  readonly #pending = new Map<string, readonly [method: string, params: JsonObject]>();
  #tokens: number;
  #refilledAt: number;
  #cancelTimer: (() => void) | undefined;

  constructor(send: SendNotification, { rate, clock, onFinishing }: MergeOptions) {
    this.#send = send;
    this.#rate = rate;
    this.#clock = clock;
    this.#tokens = rate.burst;
    this.#refilledAt = clock.now();
    onFinishing(() => this.#flush());
  }

  notify(key: string, method: string, params: JsonObject): void {
    // The last notification moves to the end, so that notifications stay in order.
    this.#pending.delete(key);
    this.#pending.set(key, [method, params]);
    this.#sendSome();
  }

  #sendSome(): void {
    const now = this.#clock.now();
    const { burst, perSecond } = this.#rate;
    this.#tokens = Math.min(burst, this.#tokens + ((now - this.#refilledAt) / 1000) * perSecond);
    this.#refilledAt = now;
    for (const [key, [method, params]] of this.#pending) {
      if (this.#tokens < 1) break;
      this.#tokens -= 1;
      this.#pending.delete(key);
      this.#send(method, params);
    }
    if (this.#pending.size === 0 || this.#cancelTimer !== undefined) return;
    this.#cancelTimer = this.#clock.after(Math.ceil(((1 - this.#tokens) / perSecond) * 1000), () => {
      this.#cancelTimer = undefined;
      this.#sendSome();
    });
  }

  #flush(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    for (const [method, params] of this.#pending.values()) this.#send(method, params);
    this.#pending.clear();
  }
}
