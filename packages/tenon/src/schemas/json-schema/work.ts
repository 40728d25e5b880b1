import { createWorkLimitError } from './broken-schema.js';
import type { CheckRun } from './check-run.js';

/**
 * Maximum number of steps of one check. A step takes about 5 ns, so a check at the limit takes less than 200 ms. An
 * array of a million small objects stays below it.
 */
export const MAX_STEPS = 38_000_000;

/** Steps of one keyword, of one alternative, of one look-up of a member, and of one member noted as evaluated. */
export const KEYWORD_STEPS = 3;
export const BRANCH_STEPS = 5;
export const LOOKUP_STEPS = 4;
export const REMEMBER_STEPS = 30;

/** V8 stores larger objects as hash tables, whose names it sorts each time that it lists them. */
const MAX_FAST_MEMBERS = 256;
const HASHED_NAME_STEPS = 70;

/** Number of characters that the engine compares in one step. */
const COMPARED_CHARACTERS = 32;
/** Up to this length, texts are compared within the steps of the keyword. */
const SHORT_TEXT = 128;

/** Counts the work that a part of a check is about to do. Throws `schema/work-limit` when no steps are left. */
export function countSteps(run: CheckRun, steps: number): void {
  run.steps -= steps;
  if (run.steps < 0) throw createWorkLimitError();
}

/** Lists the names of an object. They can be counted only after they were listed. */
export function listNames(object: object, run: CheckRun): string[] {
  const names = Object.keys(object);
  countSteps(run, names.length * (names.length > MAX_FAST_MEMBERS ? HASHED_NAME_STEPS : 2));
  return names;
}

/** Counts the comparisons of a text with `count` texts of the same length. */
export function countComparisons(text: string, count: number, run: CheckRun): void {
  if (text.length > SHORT_TEXT) countSteps(run, Math.ceil(text.length / COMPARED_CHARACTERS) * count);
}

/** Counts a pass over each part of a value, at `steps` for each part. */
export function countParts(value: unknown, steps: number, run: CheckRun): void {
  if (typeof value === 'string') countSteps(run, steps + value.length);
  else if (typeof value !== 'object' || value === null) countSteps(run, steps);
  else if (Array.isArray(value)) {
    countSteps(run, steps);
    for (const item of value) countParts(item, steps, run);
  } else {
    for (const name of listNames(value, run)) {
      countSteps(run, steps + name.length);
      countParts((value as { readonly [name: string]: unknown })[name], steps, run);
    }
  }
}
