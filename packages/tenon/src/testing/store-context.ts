import { TenonError } from '../jsonrpc/error.js';
import type { Stores } from '../stores/stores.js';
import { check } from './test-peer.js';

/** The stores under test, as a case uses them. */
export interface StoreContext extends Stores {
  readonly maxValueSize: number;
  openSecond(): Promise<Stores>;
  advance(ms: number): Promise<void>;
  /** Waits until it holds, and fails when it does not for long. */
  waitUntil(condition: () => boolean, message: string): Promise<void>;
}

export type StoreCase = readonly [name: string, use: (context: StoreContext) => Promise<void>];

/** Checks that it is refused with that code. */
export async function expectRejection(code: string, run: () => Promise<unknown>): Promise<void> {
  const error = await run().then(
    () => undefined,
    (reason: unknown) => reason,
  );
  check(TenonError.is(error) && error.code === code, `expected the error ${code}, got ${String(error)}`);
}

export function listNumbers(count: number): number[] {
  return Array.from({ length: count }, (_, n) => n);
}
