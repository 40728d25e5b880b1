import { TenonError } from '../jsonrpc/error.js';
import { isObject } from '../jsonrpc/message.js';
import type { Check } from './check.js';
import { findNearestKey } from './nearest-key.js';

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
}

/**
 * Throws a `TenonError` when a value is not an object, has an unknown key, or has an invalid member. The error names
 * the subject.
 */
export function requireShape(subject: string, value: unknown, { code, form, keys, aliases = {} }: OptionShape): void {
  if (!isObject(value))
    throw new TenonError(code, `${subject} is not an object`, { expected: form, received: describeType(value) });
  for (const key of Object.keys(value)) {
    if (Object.hasOwn(keys, key)) continue;
    const meant = Object.hasOwn(aliases, key) ? aliases[key] : findNearestKey(key, Object.keys(keys));
    throw new TenonError(code, `${subject} has the unknown key "${key.slice(0, 80)}"`, {
      expected: form,
      hint: meant && `did you mean "${meant}"?`,
    });
  }
  for (const [key, check] of Object.entries(keys)) {
    const problem = check(value[key]);
    if (problem === undefined) continue;
    const [, place = '', expected, received] = /^at \/([^:]*): expected (.*), got (.*)$/s.exec(problem) ?? [];
    const path = [key, ...place.split('/').filter(Boolean)].join('/');
    throw new TenonError(code, `${subject}: invalid \`${path}\``, {
      expected,
      received,
      hint: `write ${form}`,
    });
  }
}

function describeType(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`;
}

/** Throws `serve/service` if a value is not a server, so that the error appears before the first client connects. */
export function requireRequestHandler(handler: unknown): void {
  if (typeof handler === 'object' && handler !== null && 'connect' in handler) return;
  throw new TenonError('serve/service', 'invalid server', {
    expected: 'the return value of `createServer`',
    received: handler === null ? 'null' : typeof handler === 'object' ? 'another object' : typeof handler,
    hint: typeof handler === 'function' ? 'call the function and pass the server that it returns' : undefined,
  });
}
