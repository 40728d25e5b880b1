import { parseIpAddress } from '@tenon/base';
import { isScalarText, MAX_LISTED, OPERATORS, type PatternFault, type Scalar } from './argument-pattern.js';
import { createFolderMatcher } from './folder-matcher.js';
import { MAX_PATTERN } from './glob.js';

/** Returns the error of a pattern, or `undefined` if it is valid. */
export function findPatternFault(pattern: unknown): PatternFault | undefined {
  if (typeof pattern === 'string') return findGlobFault(pattern, []);
  if (isScalar(pattern)) return undefined;
  const form = 'a value, or one of { in }, { exact }, { min, max }, { under }, { host }';
  if (typeof pattern !== 'object' || pattern === null || Array.isArray(pattern)) return { at: [], expected: form };
  const names = Object.keys(pattern);
  const [name = '', second] = names;
  const isRange = names.length > 0 && names.every(each => each === 'min' || each === 'max');
  const operand: unknown = (pattern as { [name: string]: unknown })[name];
  if (isRange) return findRangeFault(pattern as { [name: string]: unknown });
  if (second !== undefined || !Object.hasOwn(OPERATORS, name))
    return { at: name === '' ? [] : [second ?? name], expected: form };
  if (name === 'in')
    return findListFault(operand, name, each => (isScalar(each) ? undefined : 'a text, number, boolean or null'));
  const list = typeof operand === 'string' ? [operand] : operand;
  const fault = findListFault(
    list,
    name,
    { exact: describeInvalidText, under: describeInvalidFolder }[name] ?? describeInvalidHost,
  );
  return fault && typeof operand === 'string' ? { ...fault, at: [name] } : fault;
}

/** Returns the error of a glob, or `undefined` if it is valid. */
export function findGlobFault(text: string, at: PatternFault['at']): PatternFault | undefined {
  return text.length > MAX_PATTERN ? { at, expected: `at most ${MAX_PATTERN} characters` } : undefined;
}

function findRangeFault(range: { readonly [name: string]: unknown }): PatternFault | undefined {
  const wrong = Object.keys(range).find(name => !Number.isFinite(range[name]));
  return wrong === undefined ? undefined : { at: [wrong], expected: 'a number' };
}

function findListFault(
  list: unknown,
  name: string,
  fault: (item: unknown) => string | undefined,
): PatternFault | undefined {
  if (!Array.isArray(list)) return { at: [name], expected: 'a list' };
  if (list.length > MAX_LISTED) return { at: [name], expected: `at most ${MAX_LISTED} items` };
  for (const [index, item] of list.entries()) {
    const expected = typeof item === 'string' && item.length > MAX_PATTERN ? 'a shorter text' : fault(item);
    if (expected) return { at: [name, index], expected };
  }
  return undefined;
}

function describeInvalidText(item: unknown): string | undefined {
  return typeof item === 'string' ? undefined : 'a text';
}

function describeInvalidFolder(item: unknown): string | undefined {
  if (typeof item === 'string' && createFolderMatcher(item)) return undefined;
  return 'a folder, as /work, C:\\work, docs or https://host/docs, without stars, dots that lead out of it, or %';
}

function describeInvalidHost(item: unknown): string | undefined {
  // An address matches in all its spellings, so it may be written in any of them.
  if (typeof item === 'string' && parseIpAddress(item) !== undefined) return undefined;
  if (typeof item === 'string' && /^(?:[a-z0-9_.*?-]+|\[[0-9a-f:.*]+\])$/i.test(item)) return undefined;
  return 'the name of a host without scheme, port or path, as *.example.com; others than ASCII in their xn-- form';
}

function isScalar(value: unknown): value is Scalar {
  return typeof value === 'string' || isScalarText(value);
}
