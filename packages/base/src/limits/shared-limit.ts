import type { AuthInfo } from './auth-info.js';

/** The key of callers that cannot be distinguished, because they have neither a user nor an address. */
export const UNKNOWN_CALLER = 'unknown';

/**
 * Returns the key of the caller whose share of a limit a request uses: the authenticated user, or the address of an
 * anonymous caller.
 */
export function getCallerKey(auth: AuthInfo | undefined, address: string | undefined): string {
  if (auth !== undefined) return `user ${auth.principal}`;
  return address === undefined ? UNKNOWN_CALLER : getAddressGroup(address);
}

/**
 * Returns the group of an address. An IPv6 caller usually controls a whole /64 network, so all its addresses count as
 * one caller.
 */
function getAddressGroup(address: string): string {
  if (!address.includes(':')) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const [plain = ''] = address.toLowerCase().split('%');
  const [head = '', tail] = plain.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length);
  const groups = [...before, ...Array.from({ length: zeros }, () => '0'), ...after];
  return `${groups
    .slice(0, 4)
    .map(group => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`;
}

/** Default share of a limit that one caller may use alone. */
export const MAX_SHARE = 0.5;

/**
 * Counts the use of a limited resource by caller, and reserves room for callers that use little. One caller alone can
 * take `maxShare` of the limit. The more others hold, the less each caller may add: less than `maxShare / (1 -
 * maxShare)` times the free amount.
 *
 * With the default of one half, `n` greedy callers hold at most `n / (n + 1)` of the limit, so a new caller finds room.
 * Callers that cannot be distinguished, as on stdio, have no share, and only the limit applies to them.
 */
export class SharedLimit {
  readonly limit: number;
  readonly #factor: number;
  readonly #held = new Map<string, number>();
  #total = 0;

  /** `maxShare` is greater than 0 and at most 1. With 1, one caller may take everything. */
  constructor(limit: number, maxShare = MAX_SHARE) {
    this.limit = limit;
    this.#factor = maxShare >= 1 ? Number.POSITIVE_INFINITY : maxShare / (1 - maxShare);
  }

  /** Amount that all callers hold. */
  get total(): number {
    return this.#total;
  }

  /** Returns the amount that one caller holds. */
  countHeld(caller: string): number {
    return this.#held.get(caller) ?? 0;
  }

  /** Tells if a caller may take `amount` more. */
  canTake(caller: string, amount = 1): boolean {
    return this.#total + amount <= this.limit && this.isWithinShare(caller, amount);
  }

  /**
   * Tells if `amount` more stays within the share of a caller. A caller that holds nothing may always take one amount.
   */
  isWithinShare(caller: string, amount = 1): boolean {
    if (this.#factor === Number.POSITIVE_INFINITY || caller === UNKNOWN_CALLER) return true;
    const most = (this.limit - this.#total - amount + 1) * this.#factor;
    const held = this.countHeld(caller);
    return held === 0 || held + amount <= most;
  }

  /** Takes `amount`. Returns `false` and takes nothing if it exceeds the limit or the share. */
  take(caller: string, amount = 1): boolean {
    if (!this.canTake(caller, amount)) return false;
    this.add(caller, amount);
    return true;
  }

  /** Counts `amount` without a check, for limits that make room afterwards. */
  add(caller: string, amount = 1): void {
    this.#total += amount;
    this.#held.set(caller, this.countHeld(caller) + amount);
  }

  /** Releases an amount that the caller has taken. */
  release(caller: string, amount = 1): void {
    const left = this.countHeld(caller) - amount;
    this.#total -= amount;
    if (left > 0) this.#held.set(caller, left);
    else this.#held.delete(caller);
  }

  /**
   * Returns the caller that must release something first: `caller` itself if it holds at least the average, otherwise
   * the caller that holds most.
   */
  findLargest(caller: string): string {
    if (this.countHeld(caller) * this.#held.size >= this.#total) return caller;
    let largest = caller;
    let most = 0;
    for (const [each, held] of this.#held) {
      if (held > most) [largest, most] = [each, held];
    }
    return largest;
  }
}
