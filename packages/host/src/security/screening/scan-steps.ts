/** Counted work of screening. A step takes about 10 ns, and steps are the same on every machine. */

/**
 * Maximum number of steps to screen one value on the thread of the caller: about 0.2 s, or a million characters of
 * prose.
 */
const MAX_SCAN_STEPS = 20_000_000;
/** Maximum number of steps to screen one value on a thread of its own: about five seconds. */
export const MAX_SCAN_STEPS_ASIDE = 500_000_000;
/** Part of the steps that only invisible characters use, so that other work does not prevent their removal. */
const HIDDEN_PART = 0.35;

/** Steps of a character in each of the five searches for meaning: for markup, addresses, gaps, encoded text and phrases. */
export const SCAN_STEPS = 1;
/** Steps of a character in a search for invisible characters, of each that it finds, and of each character of that. */
export const SEARCH_STEPS = 1.7;
export const HIT_STEPS = 70;
export const HIDDEN_CHARACTER_STEPS = 16;
/** Steps to decide if an invisible character is part of normal writing. */
export const NEIGHBOR_STEPS = 170;
/** Steps of a character to find the direction of a text, which decides on invisible characters in it. */
export const CONTEXT_STEPS = 2;
/** Steps to decode the text that invisible characters carry. */
export const CARRIED_STEPS = 250;
/**
 * Steps to read a word of prose, to fold one with other characters than ASCII, and for each character before and after.
 * Folding makes up to 18 characters of one.
 */
export const WORD_STEPS = 35;
export const FOLDED_WORD_STEPS = 60;
export const FOLD_STEPS = 14;
/** Steps of a character to decode encoded text. */
export const DECODE_STEPS = 6;
/** Steps of a character in a search by properties of Unicode: for words of mixed alphabets and stacked marks. */
export const UNICODE_SEARCH_STEPS = 8;
/** Steps to spell out a word of mixed alphabets. */
export const MIXED_WORD_STEPS = 300;
/** Steps to parse an address, a tag and a bracket of Markdown. */
export const ADDRESS_STEPS = 1_200;
export const TAG_STEPS = 120;
export const BRACKET_STEPS = 60;
/** Steps to record a finding. */
export const FINDING_STEPS = 40;

/** Counts the steps of a scan. */
export interface StepCounter {
  steps: number;
  /**
   * Maximum number of steps.
   * @default no limit
   */
  readonly max?: number | undefined;
}

/** Counters of one value, of which each has a part of the steps. */
export interface ScanWork {
  readonly hidden: StepCounter;
  readonly meaning: StepCounter;
}

/** Ends a scan at its limit. `limitScan` catches it. */
export class ScanLimitReached extends Error {}

/** Creates the counters of one value. */
export const createScanWork = (max = MAX_SCAN_STEPS): ScanWork => ({
  hidden: { steps: 0, max: max * HIDDEN_PART },
  meaning: { steps: 0, max: max * (1 - HIDDEN_PART) },
});

/** Counts steps, and ends the scan at its limit. */
export function countScanSteps(counter: StepCounter, steps: number): void {
  counter.steps += steps;
  if (isExhausted(counter)) throw new ScanLimitReached();
}

/** Tells if a scan ended at its limit. */
export const isExhausted = ({ steps, max }: StepCounter): boolean => max !== undefined && steps > max;
