/** Source of numbers from 0 to 1, without 1. */
export type Random = () => number;

const STEP = 0x6d2b79f5;
const RANGE = 2 ** 32;

/** Creates a source of random numbers. The same seed gives the same numbers. The algorithm is Mulberry32. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + STEP) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / RANGE;
  };
}
