import { createExcerpt, isObject, isSecretName, type JsonObject } from '@tenon/base';
import type { RequestTest } from '../action-request.js';
import { maskText } from '../mask-arguments.js';
import type { UserMatch } from '../rules.js';
import { type ArgumentPattern, compilePattern } from './argument-pattern.js';
import { compileNames, listPatterns } from './name-patterns.js';

/** Claim with the groups of a user. */
const GROUPS = 'groups';

/**
 * Compiles the conditions about the access token of the caller. Anonymous callers never match.
 *
 * @param certain True to compare case-sensitively, as required for `allow`.
 */
export function compileUserMatch({ groups, scopes, claims = {} }: UserMatch, certain: boolean): RequestTest {
  const tests: RequestTest[] = [
    ({ principal }) => (principal === undefined ? () => 'the caller is anonymous' : undefined),
    ...(groups === undefined ? [] : [createGroupTest(groups, certain)]),
    ...(scopes === undefined ? [] : [createScopeTest([scopes].flat())]),
    ...Object.entries(claims).map(([name, pattern]) => createClaimTest(name, pattern, certain)),
  ];
  return request => {
    for (const test of tests) {
      const mismatch = test(request);
      if (mismatch !== undefined) return mismatch;
    }
    return undefined;
  };
}

function createGroupTest(groups: NonNullable<UserMatch['groups']>, certain: boolean): RequestTest {
  const fits = compileNames(groups, certain);
  const wanted = createExcerpt(JSON.stringify(listPatterns(groups).patterns), 200);
  return ({ claims }) => {
    const own = listTexts(claims?.[GROUPS]);
    if (own.some(fits)) return undefined;
    return () => `groups are ${createExcerpt(JSON.stringify(own), 120)}, none of them in ${wanted}`;
  };
}

function createScopeTest(wanted: readonly string[]): RequestTest {
  return ({ scopes = [] }) => {
    const missing = wanted.find(scope => !scopes.includes(scope));
    return missing === undefined ? undefined : () => `the token does not have the scope ${createExcerpt(missing, 120)}`;
  };
}

function createClaimTest(name: string, pattern: ArgumentPattern, certain: boolean): RequestTest {
  const test = compilePattern(pattern);
  const shown = createExcerpt(name, 80);
  return ({ claims }) => {
    const value = findClaim(claims, name);
    if (value === undefined) return () => `the token does not have the claim ${shown}`;
    // A claim with several values, such as `aud` or `roles`, matches with one of them.
    if ((Array.isArray(value) ? value : [value]).some(each => test(each, certain))) return undefined;
    return () => {
      const received = isSecretName(name) ? '…' : createExcerpt(maskText(JSON.stringify(value)), 80);
      return `claim ${shown} is ${received}, not ${createExcerpt(JSON.stringify(pattern), 200)}`;
    };
  };
}

/** Finds a claim by its name, or by a dotted path such as `realm_access.roles`. */
function findClaim(claims: JsonObject | undefined, name: string): unknown {
  if (claims === undefined) return undefined;
  if (Object.hasOwn(claims, name)) return claims[name];
  let value: unknown = claims;
  for (const step of name.split('.')) {
    if (!isObject(value) || !Object.hasOwn(value, step)) return undefined;
    value = value[step];
  }
  return value;
}

function listTexts(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value.filter(each => typeof each === 'string') : [];
}
