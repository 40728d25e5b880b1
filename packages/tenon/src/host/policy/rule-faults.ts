import { isObject, type JsonObject } from '../../jsonrpc/message.js';
import { globFault, type PatternFault, patternFault } from './pattern.js';

/** How many rules a policy may have, and how many arguments one may look at. */
export const MAX_RULES = 1000;
const MAX_ARGUMENTS = 100;
const MAX_GLOBS = 1000;
const MAX_BECAUSE = 500;

/** What is wrong, where, and what came instead. */
export interface Fault extends PatternFault {
  readonly got?: unknown;
}

type Check = (value: unknown, name: string) => Fault | undefined;

const members: { readonly [name: string]: Check } = {
  action: (value, at) =>
    only(['allow', 'ask', 'deny'].includes(value as string), at, '"allow", "ask" or "deny"', value),
  because: (value, at) =>
    only(typeof value === 'string' && value.length <= MAX_BECAUSE, at, `a text of at most ${MAX_BECAUSE}`, value),
  server: globs,
  name: globs,
  tool: globs,
  prompt: globs,
  method: globs,
  resource: (value, at) =>
    isObject(value) && !('in' in value) && !('min' in value) && !('max' in value)
      ? within(at, patternFault(value), value)
      : globs(value, at),
  principal: (value, at) => (value === null ? undefined : globs(value, at)),
  readOnly: truth,
  destructive: truth,
  idempotent: truth,
  openWorld: truth,
  arguments: argumentFault,
  only: onlyFault,
};

/** The first thing that is wrong with a rule. */
export function ruleFault(rule: unknown): Fault | undefined {
  if (!isObject(rule)) return { at: [], expected: 'an object', got: rule };
  if (rule.action === undefined) return { at: [], expected: 'an action: "allow", "ask" or "deny"' };
  return matchFault(rule);
}

/** The first thing that is wrong with what a rule is about. */
export function matchFault(match: JsonObject): Fault | undefined {
  for (const [name, value] of Object.entries(match)) {
    const check = Object.hasOwn(members, name) ? members[name] : undefined;
    if (check === undefined) return { at: [name], expected: `one of ${Object.keys(members).join(', ')}` };
    const fault = value === undefined ? undefined : check(value, name);
    if (fault) return fault;
  }
  return undefined;
}

function globs(value: unknown, at: string): Fault | undefined {
  if (typeof value === 'string') return within(at, globFault(value, []), value);
  if (isObject(value) && 'exact' in value) return within(at, patternFault(value), value);
  if (!Array.isArray(value)) return { at: [at], expected: 'a text, a list of texts, or { exact }', got: value };
  if (value.length > MAX_GLOBS) return { at: [at], expected: `at most ${MAX_GLOBS} texts` };
  for (const [index, item] of value.entries()) {
    if (typeof item !== 'string') return { at: [at, index], expected: 'a text', got: item };
    const fault = globFault(item, [index]);
    if (fault) return within(at, fault, item);
  }
  return undefined;
}

function truth(value: unknown, at: string): Fault | undefined {
  return only(typeof value === 'boolean', at, 'true or false', value);
}

function argumentFault(value: unknown, at: string): Fault | undefined {
  if (!isObject(value)) return { at: [at], expected: 'an object of patterns by their paths', got: value };
  const entries = Object.entries(value);
  if (entries.length > MAX_ARGUMENTS) return { at: [at], expected: `at most ${MAX_ARGUMENTS} arguments` };
  for (const [path, pattern] of entries) {
    if (path === '' || path === '/') return { at: [at, path], expected: 'the path of an argument' };
    const fault = patternFault(pattern);
    if (fault) return { at: [at, path, ...fault.at], expected: fault.expected, got: inside(pattern, fault.at) };
  }
  return undefined;
}

function onlyFault(value: unknown, at: string): Fault | undefined {
  if (!Array.isArray(value)) return { at: [at], expected: 'a list of the paths of arguments', got: value };
  if (value.length > MAX_ARGUMENTS) return { at: [at], expected: `at most ${MAX_ARGUMENTS} arguments` };
  const place = value.findIndex(path => typeof path !== 'string' || path === '' || path === '/');
  return place < 0 ? undefined : { at: [at, place], expected: 'the path of an argument', got: value[place] };
}

function within(at: string, fault: PatternFault | undefined, value: unknown): Fault | undefined {
  return fault && { at: [at, ...fault.at], expected: fault.expected, got: inside(value, fault.at) };
}

function inside(value: unknown, at: Fault['at']): unknown {
  return at.reduce<unknown>((so, step) => (so as { [step: string]: unknown } | undefined)?.[step], value);
}

function only(fits: boolean, at: string, expected: string, got: unknown): Fault | undefined {
  return fits ? undefined : { at: [at], expected, got };
}
