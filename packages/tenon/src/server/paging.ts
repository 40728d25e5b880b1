import { INVALID_PARAMS } from '../jsonrpc/codes.js';
import { rpcError } from '../jsonrpc/error.js';

declare function btoa(binary: string): string;
declare function atob(base64: string): string;

export interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | undefined;
}

/**
 * Cuts a list into pages. A cursor holds the position and the key of the entry before, so that entries which come or
 * go meanwhile neither hide nor repeat others. Throws -32602 when it was not made here.
 */
export function page<T>(all: readonly T[], keyOf: (item: T) => string, cursor: string | undefined, size: number): Page<T> {
  const start = cursor === undefined || cursor === '' ? 0 : startAfter(all, keyOf, cursor);
  const items = start === 0 && all.length <= size ? all : all.slice(start, start + size);
  const end = start + items.length;
  const last = items[items.length - 1];
  return { items, nextCursor: end < all.length && last !== undefined ? encode(end, keyOf(last)) : undefined };
}

function startAfter<T>(all: readonly T[], keyOf: (item: T) => string, cursor: string): number {
  const { at, key } = decode(cursor);
  const before = all[at - 1];
  if (before !== undefined && keyOf(before) === key) return at;
  const moved = all.findIndex(item => keyOf(item) === key);
  return moved < 0 ? Math.min(at, all.length) : moved + 1;
}

function encode(at: number, key: string): string {
  return btoa(encodeURIComponent(JSON.stringify([at, key])));
}

function decode(cursor: string): { at: number; key: string } {
  try {
    const [at, key] = JSON.parse(decodeURIComponent(atob(cursor)));
    if (Number.isSafeInteger(at) && at > 0 && typeof key === 'string') return { at, key };
  } catch {
    // Not ours: said below.
  }
  throw rpcError(INVALID_PARAMS, 'Invalid params: the cursor was not given by this server');
}
