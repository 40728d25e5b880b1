/** Digits that may be an integer which a number cannot represent. */
const LONG = /\d{16}|\de\+?\d{3}/i;

/**
 * Keeps the text of integers that a number cannot represent. `keepIntegers` sets it, so that programs that pass no
 * messages on do not include it in their bundle.
 */
export const integerKeeper: {
  /** Remembers the text of the integers in a parsed value. */
  mark?: (value: unknown, text: string) => void;
  /** Serializes a value with the remembered texts. */
  write?: (value: unknown, indent?: number | string) => string;
} = {};

/** Parses JSON. Throws a `SyntaxError`. */
export function parseJsonText(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (integerKeeper.mark && LONG.test(text)) integerKeeper.mark(value, text);
  return value;
}

/** Serializes a value as JSON. Throws the errors of `JSON.stringify`. */
export function stringifyJson(value: unknown, indent?: number | string): string {
  const text = JSON.stringify(value, undefined, indent);
  return integerKeeper.write && LONG.test(text) ? integerKeeper.write(value, indent) : text;
}
