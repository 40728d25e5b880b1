import { type Check, checkObject, checkOptional, checkRange, type OptionShape, requireShape } from '@tenon/base';

/** Checks an optional `Clock`. */
export const checkClock: Check = checkOptional(checkObject());
export const checkPositive: Check = checkRange('a number above 0', Number.MIN_VALUE);

/**
 * Throws `server/middleware-options` when the options of a middleware are invalid. `form` is their shape for the
 * message.
 */
export function requireMiddlewareOptions(
  name: string,
  form: string,
  options: unknown,
  keys: OptionShape['keys'],
): void {
  requireShape(`the options of ${name}`, options, { code: 'server/middleware-options', form, keys });
}
