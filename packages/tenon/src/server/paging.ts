import { INVALID_PARAMS } from '../jsonrpc/codes.js';
import { rpcError } from '../jsonrpc/error.js';

declare function btoa(binary: string): string;
declare function atob(base64: string): string;

export interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | undefined;
}

/**
 * Cuts a list into pages. A list that fits one page keeps its order; a longer one is in the order of its keys, which are
 * unique: a cursor holds the last key that was given, so that entries which come or go meanwhile neither hide nor repeat
 * others. Throws -32602 when the cursor was not made here.
 */
export function page<T>(
  all: readonly T[],
  keyOf: (item: T) => string,
  cursor: string | undefined,
  size: number,
): Page<T> {
  if (cursor === undefined || cursor === '') {
    return all.length <= size ? { items: all, nextCursor: undefined } : cut(ordered(all, keyOf), keyOf, 0, size);
  }
  const last = decode(cursor);
  const inOrder = ordered(all, keyOf);
  return cut(inOrder, keyOf, firstAfter(inOrder, keyOf, last), size);
}

function cut<T>(all: readonly T[], keyOf: (item: T) => string, start: number, size: number): Page<T> {
  const items = all.slice(start, start + size);
  const last = items[items.length - 1];
  return { items, nextCursor: start + size < all.length && last !== undefined ? encode(keyOf(last)) : undefined };
}

const orders = new WeakMap<readonly unknown[], readonly unknown[]>();

/** Lists that are the same for all are kept from one request to the next, and so is their order. */
function ordered<T>(all: readonly T[], keyOf: (item: T) => string): readonly T[] {
  const known = orders.get(all) as readonly T[] | undefined;
  if (known?.length === all.length) return known;
  const inOrder = all.toSorted((a, b) => compare(keyOf(a), keyOf(b)));
  orders.set(all, inOrder);
  return inOrder;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/** By halves: how many entries have a key up to this one. */
function firstAfter<T>(all: readonly T[], keyOf: (item: T) => string, key: string): number {
  let from = 0;
  let to = all.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if (compare(keyOf(all[middle] as T), key) <= 0) from = middle + 1;
    else to = middle;
  }
  return from;
}

function encode(key: string): string {
  return btoa(encodeURIComponent(JSON.stringify([key])));
}

function decode(cursor: string): string {
  try {
    const [key] = JSON.parse(decodeURIComponent(atob(cursor)));
    if (typeof key === 'string') return key;
  } catch {
    // Not ours: said below.
  }
  throw rpcError(INVALID_PARAMS, 'Invalid params: the cursor was not given by this server');
}
