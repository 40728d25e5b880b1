import { type Branch, isLoop, type PatternItem, parsePattern } from './parse-pattern.js';

/** Steps of one match, without the further paths that backtracking tries. */
export interface MatchWork {
  /** Steps at each character at which the match starts. */
  readonly start: number;
  /** Steps of the repetitions for each character of the text. */
  readonly character: number;
}

/** Work of a pattern on a text of 8-bit characters, and on one of 16-bit characters. */
export interface PatternWork {
  readonly narrow: MatchWork;
  readonly wide: MatchWork;
}

/** Steps to compare one character, and to enter a group or an assertion. */
const CHARACTER_STEPS = 0.6;
/** Steps for a class with characters that it does not name, in a text of 16-bit characters. Pairs are one character. */
const OPEN_CLASS_STEPS = 3;
/** Steps for a class with hundreds of ranges, in such a text. */
const PROPERTY_STEPS = 10;

const PROPERTY = /\\p/i;
/** A negation, any character, or a range. */
const OPEN_CLASS = /\\[WDS]|^\[\^|^\.$|^\[.*-/s;

/**
 * Estimates the steps of a match from the parts of a pattern. Each start may try all of them.
 * @param source A valid pattern.
 */
export function estimateWork(source: string): PatternWork {
  const branches = parsePattern(source);
  // A pattern that was not parsed is never run.
  if (branches === undefined) return { narrow: NO_WORK, wide: NO_WORK };
  return {
    narrow: addBranches(branches, () => CHARACTER_STEPS),
    wide: addBranches(branches, chars => {
      if (PROPERTY.test(chars)) return PROPERTY_STEPS;
      return OPEN_CLASS.test(chars) ? OPEN_CLASS_STEPS : CHARACTER_STEPS;
    }),
  };
}

const NO_WORK: MatchWork = { start: 0, character: 0 };

function addBranches(branches: readonly Branch[], getSteps: (chars: string) => number): MatchWork {
  let start = 0;
  let character = 0;
  for (const item of branches.flat()) {
    const work = addItem(item, getSteps);
    start += work.start;
    character += work.character;
  }
  return { start, character };
}

function addItem(item: PatternItem, getSteps: (chars: string) => number): MatchWork {
  const { atom, min, max } = item;
  const once =
    atom.kind === 'group'
      ? addBranches(atom.branches, getSteps)
      : { start: atom.kind === 'chars' ? getSteps(atom.chars) : CHARACTER_STEPS, character: 0 };
  // A back-reference compares as many characters as its group has matched.
  const repeated = atom.kind === 'echo' ? CHARACTER_STEPS : once.character;
  const start = once.start + (atom.kind === 'group' ? CHARACTER_STEPS : 0);
  if (isLoop(item)) return { start: start * Math.max(1, min), character: repeated + start };
  return { start: start * max, character: repeated * max };
}
