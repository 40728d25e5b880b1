/**
 * Maximum number of steps of one evaluation of a policy, about one for each compared character. Steps are the same on
 * every machine. A request that needs more is denied. So one evaluation keeps the process busy for about 0.1 s at most.
 */
export const MAX_MATCH_STEPS = 9_000_000;

/** Number of steps of each derived value, in addition to those of its characters. */
const STEPS_OF_TEXT = 10;
/** Number of steps of each character of a search by a regular expression, or of a fold to lower case. */
export const STEPS_OF_SCAN = 0.2;
/** Number of steps to normalize a character outside of ASCII. */
export const STEPS_OF_NORMALIZING = 8;
/** Text in which folding and decoding change single characters only. */
const ASCII = /^[\0-~]*$/;

interface MatchWork {
  remaining: number;
  /** Values by the function that derives them, and by text. Many rules read the same text. */
  readonly derived: Map<unknown, Map<string, unknown>>;
}

class MatchLimitReached extends Error {}

/** Work of the current evaluation. Matching is synchronous, so only one evaluation runs at a time. */
let current: MatchWork | undefined;

/** Runs an evaluation with limited work. Returns the result of `atLimit` if it needs more steps. */
export function limitMatchWork<Result>(evaluate: () => Result, atLimit: () => Result, max = MAX_MATCH_STEPS): Result {
  const outer = current;
  current = { remaining: max, derived: new Map() };
  try {
    return evaluate();
  } catch (error) {
    if (error instanceof MatchLimitReached) return atLimit();
    throw error;
  } finally {
    current = outer;
  }
}

/** Counts steps of the current evaluation, and ends it at its limit. */
export function countMatchSteps(steps: number): void {
  if (current === undefined) return;
  current.remaining -= steps;
  if (current.remaining < 0) throw new MatchLimitReached();
}

/**
 * Derives a value of a text once in each evaluation.
 *
 * @param steps Number of steps for each character, of any text. `derive` counts what it needs in addition.
 */
export function deriveOnce<Value>(steps: number, derive: (text: string) => Value): (text: string) => Value {
  return text => {
    if (current === undefined) return derive(text);
    const values = (current.derived.get(derive) as Map<string, Value> | undefined) ?? new Map<string, Value>();
    current.derived.set(derive, values);
    countMatchSteps(STEPS_OF_TEXT);
    const known = values.get(text);
    if (known !== undefined) return known;
    countMatchSteps(steps * text.length);
    const value = derive(text);
    values.set(text, value);
    return value;
  };
}

/** Tells if a text has only ASCII characters. */
export const isAscii = deriveOnce(0, text => ASCII.test(text));
