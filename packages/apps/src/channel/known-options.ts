import { isObject } from './messages.js';

/** Throws for an option that does not exist, because a mistyped option would have no effect. */
export function requireKnownOptions(subject: string, options: object, known: readonly string[]): void {
  requireArgument(`the options of ${subject}`, options, 'an object', isObject);
  for (const name of Object.keys(options))
    if (!known.includes(name))
      throw new TypeError(`${subject}: unknown option "${name}". Expected ${known.join(', ')}`);
}

/** Throws for an argument of another type. Callers without types pass anything. */
export function requireArgument(
  subject: string,
  value: unknown,
  expected: string,
  isExpected: (value: unknown) => boolean,
): void {
  if (isExpected(value)) return;
  const received = value === null ? 'null' : Array.isArray(value) ? 'an array' : typeof value;
  throw new TypeError(
    `${subject}: invalid argument. Expected ${expected}, got ${value === undefined ? 'nothing' : received}`,
  );
}

/** Throws for limits and times that are no numbers: `NaN` would limit nothing. */
export function requireAmounts(subject: string, options: object, names: readonly string[], max = Infinity): void {
  const isAmount = (value: unknown) => value === undefined || (typeof value === 'number' && value >= 0 && value <= max);
  for (const name of names)
    requireArgument(`\`${name}\` of ${subject}`, Reflect.get(options, name), `a number from 0 to ${max}`, isAmount);
}

export const isText = (value: unknown): boolean => typeof value === 'string';
