import { type Check, numberIn, object, optional } from '../../model/check.js';
import { type OptionShape, requireShape } from '../../model/option-check.js';

/** A `Clock`, where tests give one. */
export const clock: Check = optional(object());
export const positive: Check = numberIn('a number above 0', Number.MIN_VALUE);

/** Throws `server/middleware-options` when the options of a middleware are unfit. `form` is how they are written. */
export function requireOptions(name: string, form: string, options: unknown, keys: OptionShape['keys']): void {
  requireShape(`the options of ${name}`, options, { code: 'server/middleware-options', form, keys });
}
