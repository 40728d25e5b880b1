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
export const REMEMBER_STEPS = 36;

/**
 * Steps to list a name of an object, by the number of its names. V8 stores an object with more than 100 names as a hash
 * table, whose names it sorts each time that it lists them.
 */
const NAME_STEPS: readonly { readonly maxNames: number; readonly steps: number }[] = [
  { maxNames: 100, steps: 2 },
  { maxNames: 1_000, steps: 20 },
  { maxNames: Number.POSITIVE_INFINITY, steps: 90 },
];
/** Further steps to list or look up a name that begins with a digit: V8 stores numbers apart, and converts the name. */
const DIGIT_NAME_STEPS = 60;
/** Further steps to list the names of an object that has such names. */
const DIGIT_OBJECT_STEPS = 40;

/** Number of characters that the engine compares in one step. */
const COMPARED_CHARACTERS = 32;
/** Up to this length, texts are compared within the steps of the keyword. */
const SHORT_TEXT = 128;

/** Counts the work that a part of a check is about to do. Throws `schema/work-limit` when no steps are left. */
export function countSteps(run: CheckRun, steps: number): void {
  run.steps -= steps;
  if (run.steps < 0) throw createWorkLimitError();
}

/** Lists the names of an object. They can be counted only after they were listed. The steps include a look-up of each. */
export function listNames(object: object, run: CheckRun): string[] {
  const names = Object.keys(object);
  const { steps = 0 } = NAME_STEPS.find(({ maxNames }) => names.length <= maxNames) ?? {};
  const digitNames = countDigitNames(names);
  const digitSteps = digitNames > 0 ? DIGIT_OBJECT_STEPS + digitNames * DIGIT_NAME_STEPS : 0;
  countSteps(run, names.length * steps + digitSteps);
  return names;
}

/** Returns the steps to look up each of the names in one object. */
export function getLookupSteps(names: readonly string[]): number {
  return names.length * LOOKUP_STEPS + countDigitNames(names) * DIGIT_NAME_STEPS;
}

function countDigitNames(names: readonly string[]): number {
  let count = 0;
  for (const name of names) {
    const first = name.charCodeAt(0);
    if (first >= 0x30 && first <= 0x39) count++;
  }
  return count;
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
