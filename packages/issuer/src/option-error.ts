import { TenonError } from 'tenon';

/** The code for wrong options of an issuer. */
export const OPTIONS_CODE = 'auth/issuer-options';

/**
 * Checks that a value is an object with known members only.
 * @throws TenonError `auth/issuer-options`
 */
export function checkMembers(option: string, value: unknown, known: readonly string[]): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw createOptionError(option, 'an object', value === null ? 'null' : typeof value);
  const unknown = Object.keys(value).find(name => !known.includes(name));
  if (unknown !== undefined)
    throw createOptionError(`${option}.${unknown}`, `one of ${known.join(', ')}`, 'an unknown option');
}

export function createOptionError(option: string, expected: string, got: string): TenonError {
  return new TenonError(OPTIONS_CODE, `\`${option}\` cannot be used by an issuer`, {
    expected,
    received: String(got).slice(0, 200),
  });
}
