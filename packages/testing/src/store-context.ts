import { type Stores, TenonError } from '@tenon/base';
import { check } from './test-peer.js';

/** The stores under test, with functions for the cases. */
export interface StoreContext extends Stores {
  readonly maxValueSize: number;
  openSecond(): Promise<Stores>;
  advance(ms: number): Promise<void>;
  /** Waits until the condition is true. Fails after a timeout. */
  waitUntil(condition: () => boolean, message: string): Promise<void>;
}

export type StoreCase = readonly [name: string, use: (context: StoreContext) => Promise<void>];

/** Checks that `run` rejects with this code. */
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
