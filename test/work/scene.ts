/** Something that is done again and again, with so and so much around it. */
export interface Scene {
  readonly sizes: readonly number[];
  prepare(size: number): Promise<Prepared>;
}

export interface Prepared {
  once(): Promise<unknown>;
  close(): Promise<void> | void;
}

export type Scenes = { readonly [what: string]: Scene };

/** With ten times as much around it, and with a hundred times. */
export const SIZES = [10, 100, 1000];

/** Which of so many is taken: not one that whoever looks from either end finds soon. */
export const amid = (size: number): number => size >> 1;

/** Names of the same length, whatever the number. */
export const named = (what: string, at: number): string => `${what}${String(at).padStart(5, '0')}`;

/** So many entries, by their names. */
export function many<T>(size: number, what: string, make: (name: string) => T): { [name: string]: T } {
  return Object.fromEntries(Array.from({ length: size }, (_, at) => [named(what, at), make(named(what, at))]));
}
