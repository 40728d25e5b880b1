import { type Check, checkFunction, checkObject, checkOptional, checkRange, checkString } from '@tenon/base';

/** Checks a time in milliseconds. The time of a clock must stay a number, or its timers would never be due. */
export const checkMilliseconds: Check = checkRange('a finite number of at least 0', 0, Number.MAX_VALUE);
/** Checks of optional values that several functions have. */
export const optionalTime: Check = checkOptional(checkMilliseconds);
/** Checks a time limit in milliseconds. `Infinity` sets none. */
export const optionalTimeout: Check = checkOptional(checkRange('a number of at least 0', 0));
export const optionalFunction: Check = checkOptional(checkFunction);
export const optionalText: Check = checkOptional(checkString);
export const optionalClock: Check = checkOptional(checkObject({ now: checkFunction, after: checkFunction }));
export const optionalSeed: Check = checkOptional(checkRange('a finite number', -Number.MAX_VALUE, Number.MAX_VALUE));
