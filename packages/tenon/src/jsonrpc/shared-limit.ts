import { UNKNOWN_CALLER } from './caller-key.js';

/** Part of a limit that one caller may use alone unless an option says otherwise. */
export const MAX_SHARE = 0.5;

/**
 * Counts what callers hold of something that is limited, and keeps room for those who hold little.
 *
 * A caller may take more only while it holds less than `maxShare / (1 - maxShare)` times what is still free. Alone it can
 * take `maxShare` of the limit; the more others hold, the less each may add. Therefore no number of greedy callers takes
 * everything: with the default of one half, `n` of them hold at most `n / (n + 1)`, and a newcomer finds room.
 *
 * Callers that nothing tells apart, as on stdio, have no share: only the limit holds for them.
 */
export class SharedLimit {
  readonly limit: number;
  readonly #factor: number;
  readonly #held = new Map<string, number>();
  #total = 0;

  /** `maxShare`: from 0 (exclusive) to 1, which lets one caller take everything. */
  constructor(limit: number, maxShare = MAX_SHARE) {
    this.limit = limit;
    this.#factor = maxShare >= 1 ? Number.POSITIVE_INFINITY : maxShare / (1 - maxShare);
  }

  /** Amount that all callers hold. */
  get total(): number {
    return this.#total;
  }

  get callerCount(): number {
    return this.#held.size;
  }

  /** Amount that one caller holds. */
  held(caller: string): number {
    return this.#held.get(caller) ?? 0;
  }

  /** Tells whether a caller may take `amount` more. */
  canTake(caller: string, amount = 1): boolean {
    return this.#total + amount <= this.limit && this.isWithinShare(caller, amount);
  }

  /** Tells whether `amount` more stays within the share of a caller. A caller that holds nothing may always take something. */
  isWithinShare(caller: string, amount = 1): boolean {
    if (this.#factor === Number.POSITIVE_INFINITY || caller === UNKNOWN_CALLER) return true;
    const most = (this.limit - this.#total - amount + 1) * this.#factor;
    // While little is held over all, nobody can hold too much.
    if (this.#total + amount <= most) return true;
    const held = this.held(caller);
    return held === 0 || held + amount <= most;
  }

  /** Takes `amount`. Returns `false`, and takes nothing, when it does not fit. */
  take(caller: string, amount = 1): boolean {
    if (!this.canTake(caller, amount)) return false;
    this.add(caller, amount);
    return true;
  }

  /** Counts `amount` whether it fits or not: for limits that make room afterwards. */
  add(caller: string, amount = 1): void {
    this.#total += amount;
    this.#held.set(caller, this.held(caller) + amount);
  }

  /** Gives back what was taken. */
  release(caller: string, amount = 1): void {
    const left = this.held(caller) - amount;
    this.#total -= amount;
    if (left > 0) this.#held.set(caller, left);
    else this.#held.delete(caller);
  }

  /** The caller that must give way first: `caller` itself when it holds at least the average, otherwise the one that holds most. */
  findLargest(caller: string): string {
    if (this.held(caller) * this.#held.size >= this.#total) return caller;
    let largest = caller;
    let most = 0;
    for (const [each, held] of this.#held) {
      if (held > most) [largest, most] = [each, held];
    }
    return largest;
  }
}
