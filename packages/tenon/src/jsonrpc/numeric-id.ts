import type { Id } from './message.js';

const CANONICAL = /^(?:0|-?[1-9]\d{0,15})$/;

/** Returns the number of an ID that is the canonical decimal text of one, because some peers echo numeric IDs as strings. */
export function readNumericId(id: unknown): number | undefined {
  if (typeof id !== 'string' || !CANONICAL.test(id)) return undefined;
  const number = Number(id);
  return Number.isSafeInteger(number) ? number : undefined;
}

/** Tells if a response with an ID answers a request with another one: the same ID, or the text of a numeric one. */
export function answersId(received: unknown, requestId: Id | undefined): boolean {
  if (requestId === undefined) return false;
  return received === requestId || (typeof requestId === 'number' && readNumericId(received) === requestId);
}
