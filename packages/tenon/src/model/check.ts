import { isObject } from '../jsonrpc/message.js';

/** Says what is wrong with a value, `/path: expected …`, or nothing. Allocates only when something is wrong. */
export type Check = (value: unknown, path?: string) => string | undefined;

type Fields = { readonly [name: string]: Check };

export const anything: Check = () => undefined;

export const text: Check = (value, path = '') =>
  typeof value === 'string' ? undefined : wrong(path, 'a string', value);

export const truth: Check = (value, path = '') =>
  typeof value === 'boolean' ? undefined : wrong(path, 'true or false', value);

export const number: Check = (value, path = '') =>
  typeof value === 'number' ? undefined : wrong(path, 'a number', value);

export const integer: Check = (value, path = '') =>
  Number.isInteger(value) ? undefined : wrong(path, 'an integer', value);

/** What may be a request id or a progress token. */
export const token: Check = (value, path = '') =>
  typeof value === 'string' || Number.isSafeInteger(value) ? undefined : wrong(path, 'a string or an integer', value);

export function oneOf(...values: readonly string[]): Check {
  return (value, path = '') =>
    values.includes(value as string) ? undefined : wrong(path, `one of ${values.join(', ')}`, value);
}

/** An object with these members. `name?` marks one that may be absent; members that are not listed are kept and ignored. */
export function object(fields: Fields = {}): Check {
  const listed = Object.entries(fields).map(([key, check]) => {
    const optional = key.endsWith('?');
    return { name: optional ? key.slice(0, -1) : key, optional, check };
  });
  return (value, path = '') => {
    if (!isObject(value)) return wrong(path, 'an object', value);
    for (const { name, optional, check } of listed) {
      const member = value[name];
      if (member === undefined && optional) continue;
      const problem =
        member === undefined ? wrong(`${path}/${name}`, 'to be there', member) : check(member, `${path}/${name}`);
      if (problem) return problem;
    }
    return undefined;
  };
}

export function list(check: Check): Check {
  return (value, path = '') => {
    if (!Array.isArray(value)) return wrong(path, 'an array', value);
    for (let i = 0; i < value.length; i++) {
      const problem = check(value[i], `${path}/${i}`);
      if (problem) return problem;
    }
    return undefined;
  };
}

export function record(check: Check): Check {
  return (value, path = '') => {
    if (!isObject(value)) return wrong(path, 'an object', value);
    for (const key of Object.keys(value)) {
      const problem = check(value[key], `${path}/${key.slice(0, 64)}`);
      if (problem) return problem;
    }
    return undefined;
  };
}

export function either(...checks: readonly Check[]): Check {
  return (value, path = '') => {
    let problem: string | undefined;
    for (const check of checks) {
      problem = check(value, path);
      if (problem === undefined) return undefined;
    }
    return problem;
  };
}

export function orNull(check: Check): Check {
  return (value, path) => (value === null ? undefined : check(value, path));
}

function wrong(path: string, expected: string, value: unknown): string {
  return `at ${path || '/'}: expected ${expected}, got ${name(value)}`;
}

/** The kind of a value, never the value: what comes from a peer is not repeated. */
function name(value: unknown): string {
  if (value === null) return 'null';
  if (value === undefined) return 'nothing';
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`.replace('a object', 'an object');
}
