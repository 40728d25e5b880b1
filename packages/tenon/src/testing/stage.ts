import { TenonError } from '../jsonrpc/error.js';
import type { Stores } from '../stores/stores.js';
import { check } from './ear.js';

/** The stores under test, as a case uses them. */
export interface Stage extends Stores {
  readonly maxValueSize: number;
  another(): Promise<Stores>;
  pass(ms: number): Promise<void>;
  /** Waits until it holds, and fails when it does not for long. */
  until(holds: () => boolean, otherwise: string): Promise<void>;
}

export type StoreCase = readonly [name: string, use: (stage: Stage) => Promise<void>];

/** Checks that it is refused with that code. */
export async function refuses(code: string, run: () => Promise<unknown>): Promise<void> {
  const error = await run().then(
    () => undefined,
    (reason: unknown) => reason,
  );
  check(TenonError.is(error) && error.code === code, `expected the error ${code}, got ${String(error)}`);
}

export function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, n) => n);
}
