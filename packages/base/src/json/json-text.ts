/** Digits that may be an integer which a number cannot represent, also inside of a string. */
const LONG = /\d{16}|\de\+?\d{2}/i;
/** The same as a value of JSON. Texts with random IDs have such digits now and then, and to look for each number takes long. */
const LONG_NUMBER = /(?:^|[\s:,[])-?(?:\d{16}|\d[\d.]*e\+?\d{2})/i;

/**
 * Keeps the text of integers that a number cannot represent. `keepIntegers` sets it, so that programs that pass no
 * messages on do not include it in their bundle.
 */
export const integerKeeper: {
  /** Remembers the text of the integers in a parsed value. */
  mark?: (value: unknown, text: string) => void;
  /** Serializes a value with the remembered texts. */
  write?: (value: unknown, indent?: number | string) => string;
  /** Remembers the text of the integers in an object or array for its copy as well. */
  copy?: (from: object, to: object) => void;
} = {};

/** Returns the copy of an object or array. Its integers are serialized as those of the original. */
export function keepTextsIn<T extends object>(copy: T, original: object): T {
  integerKeeper.copy?.(original, copy);
  return copy;
}

/** Parses JSON. Throws a `SyntaxError`. */
export function parseJsonText(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (integerKeeper.mark && mayHaveLongInteger(text)) integerKeeper.mark(value, text);
  return value;
}

/** Serializes a value as JSON. Throws the errors of `JSON.stringify`. */
export function stringifyJson(value: unknown, indent?: number | string): string {
  const text = JSON.stringify(value, undefined, indent);
  return integerKeeper.write && mayHaveLongInteger(text) ? integerKeeper.write(value, indent) : text;
}

/** The first pattern rules out almost all texts, and takes half the time of the second. */
const mayHaveLongInteger = (text: string): boolean => LONG.test(text) && LONG_NUMBER.test(text);
