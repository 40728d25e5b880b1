import { findLostClass } from '../json/json-loss.js';
import { describeType, isObject, type JsonObject } from '../json/json-object.js';
import { isUrlText, parseUrl } from '../uris/parse-url.js';

/**
 * Returns the issue of a value as `at /path: expected …`, or `undefined` for a valid value. Allocates memory only for
 * an issue.
 */
export type Check = (value: unknown) => string | undefined;

/** Tells if a value is an object, and no promise. A promise has no members, so that all options would be ignored. */
export const isPlain = (value: unknown): value is JsonObject => describeType(value) === 'an object';

type FieldChecks = { readonly [name: string]: Check };

export const checkAnything: Check = () => undefined;

export const checkString: Check = value =>
  typeof value === 'string' ? undefined : describeMismatch('a string', value);

export const checkBoolean: Check = value =>
  typeof value === 'boolean' ? undefined : describeMismatch('true or false', value);

export const checkNumber: Check = value =>
  typeof value === 'number' ? undefined : describeMismatch('a number', value);

export const checkInteger: Check = value =>
  Number.isInteger(value) ? undefined : describeMismatch('an integer', value, describeNumber(value));

/** Checks a request ID or a progress token. */
export const checkToken: Check = value =>
  typeof value === 'string' || Number.isSafeInteger(value)
    ? undefined
    : describeMismatch('a string or an integer', value);

/** Creates a check for some texts, which may be in lists. Bundlers keep a spread, and with it checks that are not used. */
export function checkOneOf(...given: readonly (string | readonly string[])[]): Check {
  const values = given.flat();
  return value =>
    values.includes(value as string) ? undefined : describeMismatch(`one of ${values.join(', ')}`, value);
}

/** Creates a check for an object with these members. `name?` marks an optional member. Unknown members are ignored. */
export function checkObject(fields: FieldChecks = {}): Check {
  const listed = Object.entries(fields).map(([key, check]) => {
    const optional = key.endsWith('?');
    return { name: optional ? key.slice(0, -1) : key, optional, check };
  });
  return value => {
    if (!isObject(value)) return describeMismatch('an object', value);
    for (const { name, optional, check } of listed) {
      const member = value[name];
      if (member === undefined && optional) continue;
      const issue = member === undefined ? describeMismatch('a value', member) : check(member);
      if (issue !== undefined) return prependPath(`/${name}`, issue);
    }
    return undefined;
  };
}

export function checkArray(check: Check): Check {
  return value => {
    if (!Array.isArray(value)) return describeMismatch('an array', value);
    for (let i = 0; i < value.length; i++) {
      const issue = check(value[i]);
      if (issue !== undefined) return prependPath(`/${i}`, issue);
    }
    return undefined;
  };
}

/** Checks an object that is no promise. */
export const checkPlain: Check = value => (isPlain(value) ? undefined : describeMismatch('an object', value));

/**
 * Creates a check for an object with names as keys. Refuses a promise, a `Map` and other objects without keys of their
 * own, which would count as empty.
 */
export function checkRecord(check: Check): Check {
  return value => {
    if (!isPlain(value)) return checkPlain(value);
    if (findLostClass(value)) return describeMismatch('an object', value, `a ${findLostClass(value)}`);
    for (const key of Object.keys(value)) {
      const issue = check(value[key]);
      if (issue !== undefined) return prependPath(`/${key.slice(0, 64)}`, issue);
    }
    return undefined;
  };
}

/**
 * Creates a check for a value that passes one of several checks. The issue names all of them, or the invalid member of a
 * value of the right type.
 */
export function checkEither(...checks: readonly Check[]): Check {
  return value => {
    for (const check of checks) if (check(value) === undefined) return undefined;
    const issues = checks.map(check => String(check(value)));
    const member = issues.findLast(issue => !issue.startsWith(ROOT));
    if (member) return member;
    const parts = issues.map(issue => issue.slice(`${ROOT}expected `.length).split(', got '));
    const type = describeReceived(value);
    // A check that says more of the value than its type expects this type.
    const received = parts.find(([, text]) => text !== type)?.[1];
    return describeMismatch(parts.map(([expected]) => expected).join(' or '), value, received);
  };
}

export function checkOptional(check: Check): Check {
  return value => (value === undefined ? undefined : check(value));
}

export const checkFunction: Check = value =>
  typeof value === 'function' ? undefined : describeMismatch('a function', value);

/** Creates a check for a number in a range. `what` names the number in messages: `a port, 0 to 65535`. */
export function checkRange(what: string, min: number, max = Number.POSITIVE_INFINITY): Check {
  return value =>
    typeof value === 'number' && value >= min && value <= max
      ? undefined
      : describeMismatch(what, value, describeNumber(value));
}

/** Creates a check for an integer in a range. `what` names it in messages: `a whole number of milliseconds`. */
export function checkWhole(what: string, min: number, max = Number.MAX_SAFE_INTEGER): Check {
  const check = checkRange(what, min, max);
  return value => (Number.isInteger(value) ? check(value) : describeMismatch(what, value, describeNumber(value)));
}

export function checkNullable(check: Check): Check {
  return value => (value === null ? undefined : check(value));
}

/** Returns the text of a number that has the right type and a wrong value. */
const describeNumber = (value: unknown): string | undefined => (typeof value === 'number' ? `${value}` : undefined);

const ROOT = 'at /: ';

/** Adds a path segment to the path in an issue. */
export function prependPath(path: string, issue: string): string {
  return `at ${path}${issue.slice(issue.startsWith(ROOT) ? 'at /'.length : 'at '.length)}`;
}

/** Returns the issue of a value of a wrong type. `received` describes a value of which more than the type is wrong. */
export function describeMismatch(expected: string, value: unknown, received = describeReceived(value)): string {
  return `${ROOT}expected ${expected}, got ${received}`;
}

/**
 * Returns the type of a value for an error message. The message never repeats the value, because it comes from a peer.
 */
export const describeReceived = (value: unknown): string => (value === undefined ? 'nothing' : describeType(value));

/** Creates a check for a text with a property. `what` names the text in messages: `the path of a file`. */
export function checkText(what: string, isValid: (text: string) => boolean): Check {
  return value => {
    if (typeof value !== 'string') return describeMismatch(what, value);
    return isValid(value)
      ? undefined
      : describeMismatch(what, value, value === '' ? 'an empty string' : 'another text');
  };
}

/** Checks a text that may not be empty. */
export const checkCharacters: Check = checkText('a string with characters', text => text !== '');

const checkUrlText = checkText('an absolute URL', text => parseUrl(text) !== undefined);

/** Checks an absolute URL: a text, or a `URL`. */
export const checkAbsoluteUrl: Check = value => checkUrlText(value instanceof URL ? value.href : value);

/** Checks the path of a file. A URL would become a new file with that name. */
export const checkFilePath: Check = checkText(
  'the path of a file',
  path => path !== '' && !isUrlText(path) && !/^(?:file|sqlite):/i.test(path),
);

/** Checks an origin: a scheme, a host, and a port if it is not the default one. A URL with a path is none. */
export const checkOrigin: Check = checkText(
  'an origin, such as https://api.example.com',
  text => parseUrl(text)?.origin === text,
);

/** Checks a source of time. */
export const checkClock: Check = checkObject({ now: checkFunction, elapsed: checkFunction, after: checkFunction });

/** Accepts only `false`, for an option that takes settings or `false`. */
export const checkFalse: Check = value =>
  value === false ? undefined : describeMismatch('false', value, value === true ? 'true' : undefined);

/**
 * Checks the identity of a caller that code of a user gives. A text as `scopes` would grant each scope that it contains,
 * and callers without a principal would be one caller.
 */
export const checkAuthInfo: Check = checkObject({
  principal: checkCharacters,
  'scopes?': checkArray(checkString),
});

// A name or a value outside of these is refused by each runtime in another way, some only when the response is sent.
// https://www.rfc-editor.org/rfc/rfc9110#section-5.5
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Checks the header fields of a request or a response: an object with a string for each name. */
export const checkHeaderFields: Check = value => {
  // The entries of `Headers` are no members, so they would be lost.
  if (!isObject(value) || typeof value.get === 'function') return describeMismatch('a plain object', value);
  for (const [name, text] of Object.entries(value)) {
    if (!HEADER_NAME.test(name)) return describeMismatch('valid names of headers', name, 'another name');
    if (typeof text !== 'string' || !HEADER_VALUE.test(text))
      return prependPath(`/${name}`, describeMismatch('one line of Latin-1 characters', text));
  }
  return undefined;
};
