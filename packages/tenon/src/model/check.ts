import { isObject } from '../jsonrpc/message.js';

/** Says what is wrong with a value, `at /path: expected …`, or nothing. Allocates only when something is wrong. */
export type Check = (value: unknown) => string | undefined;

type Fields = { readonly [name: string]: Check };

export const anything: Check = () => undefined;

export const text: Check = value => (typeof value === 'string' ? undefined : wrong('a string', value));

export const truth: Check = value => (typeof value === 'boolean' ? undefined : wrong('true or false', value));

export const number: Check = value => (typeof value === 'number' ? undefined : wrong('a number', value));

export const integer: Check = value => (Number.isInteger(value) ? undefined : wrong('an integer', value));

/** What may be a request id or a progress token. */
export const token: Check = value =>
  typeof value === 'string' || Number.isSafeInteger(value) ? undefined : wrong('a string or an integer', value);

export function oneOf(...values: readonly string[]): Check {
  return value => (values.includes(value as string) ? undefined : wrong(`one of ${values.join(', ')}`, value));
}

/** An object with these members. `name?` marks one that may be absent; members that are not listed are kept and ignored. */
export function object(fields: Fields = {}): Check {
  const listed = Object.entries(fields).map(([key, check]) => {
    const optional = key.endsWith('?');
    return { name: optional ? key.slice(0, -1) : key, optional, check };
  });
  return value => {
    if (!isObject(value)) return wrong('an object', value);
    for (const { name, optional, check } of listed) {
      const member = value[name];
      if (member === undefined && optional) continue;
      const problem = member === undefined ? wrong('to be there', member) : check(member);
      if (problem !== undefined) return within(`/${name}`, problem);
    }
    return undefined;
  };
}

export function list(check: Check): Check {
  return value => {
    if (!Array.isArray(value)) return wrong('an array', value);
    for (let i = 0; i < value.length; i++) {
      const problem = check(value[i]);
      if (problem !== undefined) return within(`/${i}`, problem);
    }
    return undefined;
  };
}

export function record(check: Check): Check {
  return value => {
    if (!isObject(value)) return wrong('an object', value);
    for (const key of Object.keys(value)) {
      const problem = check(value[key]);
      if (problem !== undefined) return within(`/${key.slice(0, 64)}`, problem);
    }
    return undefined;
  };
}

export function either(...checks: readonly Check[]): Check {
  return value => {
    let problem: string | undefined;
    for (const check of checks) {
      problem = check(value);
      if (problem === undefined) return undefined;
    }
    return problem;
  };
}

export function optional(check: Check): Check {
  return value => (value === undefined ? undefined : check(value));
}

export const callable: Check = value => (typeof value === 'function' ? undefined : wrong('a function', value));

/** A number in a range. `what` names it in messages: `a port, 0 to 65535`. */
export function numberIn(what: string, least: number, most = Number.POSITIVE_INFINITY): Check {
  return value => (typeof value === 'number' && value >= least && value <= most ? undefined : wrong(what, value));
}

export function orNull(check: Check): Check {
  return value => (value === null ? undefined : check(value));
}

const ROOT = 'at /: ';

/** The problem of a value, as one of what the value stands in. */
export function within(path: string, problem: string): string {
  return problem.startsWith(ROOT)
    ? `at ${path}: ${problem.slice(ROOT.length)}`
    : `at ${path}${problem.slice('at '.length)}`;
}

function wrong(expected: string, value: unknown): string {
  return `${ROOT}expected ${expected}, got ${name(value)}`;
}

/** The kind of a value, never the value: what comes from a peer is not repeated. */
function name(value: unknown): string {
  if (value === null) return 'null';
  if (value === undefined) return 'nothing';
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`.replace('a object', 'an object');
}

/** Takes `false` alone: an option that can only be turned off beside its settings. */
export const falsehood: Check = value => (value === false ? undefined : 'at /: expected false, got another value');
