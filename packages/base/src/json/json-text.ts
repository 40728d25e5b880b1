/** Digits that may be a number which JSON would change, also inside of a string. */
const LONG = /\d[\d.]{15}|\de[-+]?\d{2}|-0(?!\d)/i;
/** The same as a value of JSON. Texts with random IDs have such digits now and then, and to look for each number takes long. */
const LONG_NUMBER = /(?:^|[\s:,[])(?:-?(?:\d[\d.]{15}|\d[\d.]*e[-+]?\d{2})|-0(?!\d|\.\d*[1-9]))/i;

/**
 * Keeps the text of numbers that JSON would change. `keepIntegers` sets it, so that programs that pass no
 * messages on do not include it in their bundle.
 */
export const integerKeeper: {
  /** True once a text was remembered in this process. Most processes never read such a number. */
  hasTexts?: boolean;
  /** Finds a text that may contain a number whose JSON does not look long, such as the `null` of an infinite one. */
  short?: RegExp;
  /** Remembers the text of these numbers in a parsed value. */
  mark?: (value: unknown, text: string) => void;
  /** Serializes a value with the remembered texts. */
  write?: (value: unknown, indent?: number | string) => string;
  /** Gives a copy the remembered texts of the original, or only that of one member. */
  copy?: (copy: object, original: object, key?: string, originalKey?: string) => void;
} = {};

/**
 * Member with the texts of the numbers in an object or an array that JSON would change, by their keys. JSON ignores it,
 * and the spread of an object copies it.
 */
export const NUMBER_TEXTS = Symbol('texts of numbers');

/**
 * Returns the copy of an object or array. Its integers are serialized as those of the original. With keys, only the
 * member `key` is, which is `originalKey` in the original.
 */
export function keepTextsIn<T extends object>(copy: T, original: object, key?: string, originalKey?: string): T {
  if (integerKeeper.hasTexts) integerKeeper.copy?.(copy, original, key, originalKey);
  return copy;
}

/** Parses JSON. Throws a `SyntaxError`. */
export function parseJsonText(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (integerKeeper.mark && mayHaveLongNumber(text)) integerKeeper.mark(value, text);
  return value;
}

/** Serializes a member of an object or array as JSON, such as a choice of an `enum`. Returns `null` for an absent one. */
export function stringifyMember(container: object, key: string | number): string {
  const value: unknown = Reflect.get(container, key);
  if (value === undefined) return 'null';
  const own = keepTextsIn({ [key]: value }, container);
  return stringifyJson(own).slice(JSON.stringify(`${key}`).length + 2, -1);
}

/** Serializes a value as JSON. Throws the errors of `JSON.stringify`. */
export function stringifyJson(value: unknown, indent?: number | string): string {
  const text = JSON.stringify(value, undefined, indent);
  const { hasTexts, write, short } = integerKeeper;
  return hasTexts && write && (mayHaveLongNumber(text) || short?.test(text)) ? write(value, indent) : text;
}

/** The first pattern rules out almost all texts, and takes half the time of the second. */
export const mayHaveLongNumber = (text: string): boolean => LONG.test(text) && LONG_NUMBER.test(text);
