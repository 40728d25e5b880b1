import { isObject, type JsonObject } from '@tenon/base';
import type { PatternFault } from './matching/argument-pattern.js';
import { findGlobFault, findPatternFault } from './matching/find-pattern-fault.js';
import { findUserFault } from './matching/user-faults.js';

/** Maximum number of rules of a policy. */
export const MAX_RULES = 1000;
const MAX_ARGUMENTS = 100;
const MAX_GLOBS = 1000;
const MAX_BECAUSE = 500;

/** Error in a rule: its position, and the expected and received value. */
export interface RuleFault extends PatternFault {
  /**
   * Name of the error.
   * @default `invalid value`
   */
  readonly summary?: string;
  readonly got?: unknown;
}

type MemberCheck = (value: unknown, name: string) => RuleFault | undefined;

const MEMBER_CHECKS: { readonly [name: string]: MemberCheck } = {
  action: (value, at) =>
    checkValue(['allow', 'ask', 'deny'].includes(value as string), at, '"allow", "ask" or "deny"', value),
  because: (value, at) =>
    checkValue(typeof value === 'string' && value.length <= MAX_BECAUSE, at, `a text of at most ${MAX_BECAUSE}`, value),
  server: checkGlobs,
  name: checkGlobs,
  tool: checkGlobs,
  prompt: checkGlobs,
  method: checkGlobs,
  resource: (value, at) =>
    isObject(value) && !('in' in value) && !('min' in value) && !('max' in value)
      ? prefixFault(at, findPatternFault(value), value)
      : checkGlobs(value, at),
  principal: (value, at) => (value === null ? undefined : checkGlobs(value, at)),
  user: (value, at) => findUserFault(value, at, checkGlobs),
  readOnly: checkBoolean,
  destructive: checkBoolean,
  idempotent: checkBoolean,
  openWorld: checkBoolean,
  arguments: findArgumentFault,
  only: findOnlyFault,
};

/** Returns the first error of a rule, or `undefined` if it is valid. */
export function findRuleFault(rule: unknown): RuleFault | undefined {
  if (!isObject(rule)) return { at: [], expected: 'an object', got: rule };
  if (rule.action === undefined) return { at: [], expected: 'an action: "allow", "ask" or "deny"' };
  return findMatchFault(rule);
}

/** Returns the first error in the conditions of a rule, or `undefined` if they are valid. */
export function findMatchFault(match: JsonObject): RuleFault | undefined {
  for (const [name, value] of Object.entries(match)) {
    const check = Object.hasOwn(MEMBER_CHECKS, name) ? MEMBER_CHECKS[name] : undefined;
    if (check === undefined)
      return { at: [name], summary: 'unknown key', expected: `one of ${Object.keys(MEMBER_CHECKS).join(', ')}` };
    const fault = value === undefined ? undefined : check(value, name);
    if (fault) return fault;
  }
  return undefined;
}

function checkGlobs(value: unknown, at: string): RuleFault | undefined {
  if (typeof value === 'string') return prefixFault(at, findGlobFault(value, []), value);
  if (isObject(value) && 'exact' in value) return prefixFault(at, findPatternFault(value), value);
  if (!Array.isArray(value)) return { at: [at], expected: 'a text, a list of texts, or { exact }', got: value };
  if (value.length > MAX_GLOBS) return { at: [at], expected: `at most ${MAX_GLOBS} texts` };
  for (const [index, item] of value.entries()) {
    if (typeof item !== 'string') return { at: [at, index], expected: 'a text', got: item };
    const fault = findGlobFault(item, [index]);
    if (fault) return prefixFault(at, fault, item);
  }
  return undefined;
}

function checkBoolean(value: unknown, at: string): RuleFault | undefined {
  return checkValue(typeof value === 'boolean', at, 'true or false', value);
}

function findArgumentFault(value: unknown, at: string): RuleFault | undefined {
  if (!isObject(value)) return { at: [at], expected: 'an object of patterns by their paths', got: value };
  const entries = Object.entries(value);
  if (entries.length > MAX_ARGUMENTS) return { at: [at], expected: `at most ${MAX_ARGUMENTS} arguments` };
  for (const [path, pattern] of entries) {
    if (path === '' || path === '/') return { at: [at, path], expected: 'the path of an argument' };
    const fault = findPatternFault(pattern);
    if (fault) return { at: [at, path, ...fault.at], expected: fault.expected, got: getAtPath(pattern, fault.at) };
  }
  return undefined;
}

function findOnlyFault(value: unknown, at: string): RuleFault | undefined {
  if (!Array.isArray(value)) return { at: [at], expected: 'a list of the paths of arguments', got: value };
  if (value.length > MAX_ARGUMENTS) return { at: [at], expected: `at most ${MAX_ARGUMENTS} arguments` };
  const place = value.findIndex(path => typeof path !== 'string' || path === '' || path === '/');
  return place < 0 ? undefined : { at: [at, place], expected: 'the path of an argument', got: value[place] };
}

function prefixFault(at: string, fault: PatternFault | undefined, value: unknown): RuleFault | undefined {
  return fault && { at: [at, ...fault.at], expected: fault.expected, got: getAtPath(value, fault.at) };
}

function getAtPath(value: unknown, at: RuleFault['at']): unknown {
  return at.reduce<unknown>((so, step) => (so as { [step: string]: unknown } | undefined)?.[step], value);
}

function checkValue(fits: boolean, at: string, expected: string, got: unknown): RuleFault | undefined {
  return fits ? undefined : { at: [at], expected, got };
}
