import { isObject } from '@tenon/base';
import type { RuleFault } from '../rule-faults.js';
import { findPatternFault } from './find-pattern-fault.js';

const MAX_CLAIMS = 100;
const MAX_SCOPES = 100;

/**
 * Returns the first error in the conditions about a user, or `undefined` if they are valid.
 *
 * @param checkGlobs Checks the patterns of groups.
 */
export function findUserFault(
  value: unknown,
  at: string,
  checkGlobs: (value: unknown, at: string) => RuleFault | undefined,
): RuleFault | undefined {
  if (!isObject(value)) return { at: [at], expected: 'an object with groups, scopes or claims', got: value };
  const other = Object.keys(value).find(name => !['groups', 'scopes', 'claims'].includes(name));
  if (other !== undefined) return { at: [at, other], expected: 'groups, scopes or claims' };
  const { groups, scopes, claims } = value;
  const fault = groups === undefined ? undefined : checkGlobs(groups, 'groups');
  if (fault) return { ...fault, at: [at, ...fault.at] };
  return findScopeFault(scopes, at) ?? findClaimFault(claims, at);
}

function findScopeFault(scopes: unknown, at: string): RuleFault | undefined {
  if (scopes === undefined) return undefined;
  const list: unknown[] = [scopes].flat();
  const isValid =
    list.length > 0 && list.length <= MAX_SCOPES && list.every(each => typeof each === 'string' && each !== '');
  return isValid ? undefined : { at: [at, 'scopes'], expected: `1 to ${MAX_SCOPES} scopes`, got: scopes };
}

function findClaimFault(claims: unknown, at: string): RuleFault | undefined {
  if (claims === undefined) return undefined;
  if (!isObject(claims)) return { at: [at, 'claims'], expected: 'an object of patterns by claim', got: claims };
  const entries = Object.entries(claims);
  if (entries.length > MAX_CLAIMS) return { at: [at, 'claims'], expected: `at most ${MAX_CLAIMS} claims` };
  for (const [name, pattern] of entries) {
    const fault = findPatternFault(pattern);
    if (fault) return { at: [at, 'claims', name, ...fault.at], expected: fault.expected, got: pattern };
  }
  return undefined;
}
