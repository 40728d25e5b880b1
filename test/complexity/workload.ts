import { isFull } from '../support/extent.js';

/** Work that is repeated beside a number of other things, its size. */
export interface Workload {
  readonly sizes: readonly number[];
  prepare(size: number): Promise<PreparedWorkload>;
}

export interface PreparedWorkload {
  run(): Promise<unknown>;
  close(): Promise<void> | void;
}

export type Workloads = { readonly [what: string]: Workload };

/** Ratio of one size to the next: ten in a full run, less otherwise, because large sizes take most of the time. */
const GROWTH = isFull ? 10 : 4;
export const SIZES = [10, 10 * GROWTH, 10 * GROWTH ** 2];

/** Returns the position that a search from either end finds last. */
export const pickMiddle = (size: number): number => size >> 1;

/** Returns a name whose length does not depend on the number. */
export const formatName = (what: string, index: number): string => `${what}${String(index).padStart(5, '0')}`;

/** Returns a number of entries by their names. */
export function createMany<T>(size: number, what: string, make: (name: string) => T): { [name: string]: T } {
  return Object.fromEntries(
    Array.from({ length: size }, (_, index) => [formatName(what, index), make(formatName(what, index))]),
  );
}
