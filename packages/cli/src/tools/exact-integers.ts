import { describeInexactInteger, findInexactInteger } from '@tenon/base';
import { createUsageError } from '../usage-error.js';

/** Refuses JSON with an integer that a number cannot represent, because the server would get another one. */
export function requireExactIntegers(subject: string, json: string): void {
  const integer = findInexactInteger(json);
  if (integer === undefined) return;
  throw createUsageError(
    `${subject}: the integer ${describeInexactInteger(integer)}`,
    'pass an integer from -9007199254740991 to 9007199254740991, or a text in quotes if the tool accepts one',
  );
}
