import { TenonError } from '../errors/error.js';
import { isObject } from '../json/json-object.js';
import { type Check, checkAnything, describeMismatch, describeReceived, isPlain, prependPath } from './check.js';
import { findNearestKey } from './nearest-key.js';

/** The check of each option. A new option without a check is an error of the compiler. */
export type OptionChecks<T> = { readonly [K in keyof Required<T>]: Check };

/** The expected shape of an object that users of the library write: a definition, or options. */
export interface OptionShape {
  /** The error code for a wrong shape, for example `server/definition`. */
  readonly code: string;
  /** The shape for error messages: `{ name, version, tools?, … }`. */
  readonly form: string;
  /** The known keys, each with the check of its value. */
  readonly keys: { readonly [key: string]: Check };
  /** Keys of other libraries, each with the matching key of this library. */
  readonly aliases?: { readonly [key: string]: string };
  /** Returns the next step for a key of another argument: "pass it in the target". */
  readonly describePlace?: (key: string) => string | undefined;
}

/**
 * Throws a `TenonError` when a value is not an object, has an unknown key, or has an invalid member. The error names
 * the subject.
 */
export function requireShape(subject: string, value: unknown, shape: OptionShape): void {
  const { code, form, keys, aliases = {}, describePlace } = shape;
  if (!isPlain(value))
    throw new TenonError(code, `${subject} is not an object`, {
      expected: 'an object',
      received: describeReceived(value),
      hint: `write ${form}`,
    });
  for (const key of Object.keys(value)) {
    if (Object.hasOwn(keys, key)) continue;
    const meant = Object.hasOwn(aliases, key) ? aliases[key] : findNearestKey(key, Object.keys(keys));
    throw new TenonError(code, `${subject} has the unknown key "${key.slice(0, 80)}"`, {
      expected: form,
      hint: describePlace?.(key) ?? (meant ? `did you mean "${meant}"?` : 'remove this key'),
    });
  }
  for (const [key, check] of Object.entries(keys)) {
    const issue = check(value[key]);
    if (issue === undefined) continue;
    const [, place = '', expected, received] = parseIssue(issue);
    throw new TenonError(code, `${subject}: invalid \`${key}${place && '/'}${place}\``, {
      expected,
      received,
      hint: `write ${form}`,
    });
  }
}

/** Number of options that an error names. */
const NAMED_OPTIONS = 5;

/**
 * Throws a `TenonError` when the options of a public function are not an object, have an unknown name, or have an invalid
 * value.
 */
export function requireOptions<T>(subject: string, options: unknown, checks: OptionChecks<T>, code: string): void {
  const keys: OptionShape['keys'] = checks;
  const names = Object.keys(keys);
  const listed = names.slice(0, NAMED_OPTIONS).map(name => (keys[name]?.(undefined) === undefined ? `${name}?` : name));
  const form = `{ ${listed.join(', ')}${names.length > NAMED_OPTIONS ? ', …' : ''} }`;
  requireShape(`the object with the options of ${subject}`, options, { code, form, keys });
}

/** The code for options of a function whose errors about options have no code of their own. */
const INVALID_OPTIONS_CODE = 'options/invalid';

/**
 * Throws a `TenonError` when the options of a public function are not an object, or have an unknown name. The function
 * checks the values itself. The compiler requires all names of the options here.
 *
 * @param code The code for errors about the options of this function, if it has one of its own.
 */
export function requireKnownOptions<T extends object>(
  subject: string,
  options: T,
  names: { readonly [K in keyof Required<T>]: true },
  code = INVALID_OPTIONS_CODE,
): void {
  if (isPlain(options) && Object.keys(options).every(name => Object.hasOwn(names ?? {}, name))) return;
  const checks = Object.fromEntries(Object.keys(names ?? {}).map(name => [name, checkAnything]));
  requireOptions(subject, options, checks, code);
}

/**
 * Throws like `requireOptions`. It checks only the members that are present, so that the valid options of each call cost
 * little. No option may be required.
 */
export function requirePresentOptions<T>(subject: string, options: unknown, checks: OptionChecks<T>): void {
  const keys: OptionShape['keys'] = checks;
  const isValid = (name: string): boolean =>
    Object.hasOwn(keys, name) && isObject(options) && keys[name]?.(options[name]) === undefined;
  if (isPlain(options) && Object.keys(options).every(isValid)) return;
  requireOptions(subject, options, checks, INVALID_OPTIONS_CODE);
}

/** Returns the path, the expected and the received value of an issue. */
const parseIssue = (issue: string): readonly string[] => /^at \/(.*?): expected (.*), got (.*)$/s.exec(issue) ?? [];

/** Throws a `TenonError` when an argument of a public function, or one of its options, has a wrong type. */
export function requireArgument(
  subject: string,
  value: unknown,
  check: Check,
  code = INVALID_OPTIONS_CODE,
  verb: 'pass' | 'return' = 'pass',
): void {
  const issue = check(value);
  if (issue === undefined) return;
  const [, path, expected, received] = parseIssue(issue);
  throw new TenonError(code, `${subject} is invalid${path ? ` at ${path}` : ''}`, {
    expected,
    received,
    hint: `${verb} ${expected}`,
  });
}

/** Throws a `TenonError` when the result of a function that a user passed has a wrong type. */
export function requireResult(subject: string, value: unknown, check: Check, code: string): void {
  requireArgument(subject, value, check, code, 'return');
}

/** Creates a check for an object of options inside of others, which refuses unknown names. */
export function checkOptions<T>(checks: OptionChecks<T>): Check {
  const keys: { readonly [name: string]: Check } = checks;
  return value => {
    if (!isPlain(value)) return describeMismatch('an object', value);
    for (const name of Object.keys(value)) {
      const check = Object.hasOwn(keys, name) ? keys[name] : undefined;
      const nearest = findNearestKey(name, Object.keys(keys)) ?? Object.keys(keys).join(', ');
      const issue = check ? check(value[name]) : describeMismatch(nearest, undefined, 'an unknown option');
      if (issue !== undefined) return prependPath(`/${name.slice(0, 80)}`, issue);
    }
    return undefined;
  };
}
