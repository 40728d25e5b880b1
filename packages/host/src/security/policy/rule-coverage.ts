import { toCanonicalJson } from '@tenon/base';
import { coversGlob, type Globs, matchGlob } from './matching/glob.js';
import { foldCase, listPatterns, type NamePatterns } from './matching/name-patterns.js';
import type { Match, Rule } from './rules.js';

export const HINTS = ['readOnly', 'destructive', 'idempotent', 'openWorld'] as const;
const NAMES = ['server', 'tool', 'prompt'] as const;

/**
 * Tells if `earlier` matches every request that `later` matches. `false` means that this is unknown.
 *
 * @param asWritten True to compare the names of `later` case-sensitively, although a `deny` or `ask` rule also matches
 * other cases.
 */
export function doesRuleCover(
  earlier: Rule,
  later: Rule,
  { asWritten = false }: { asWritten?: boolean } = {},
): boolean {
  // A call that matches in one interpretation need not match in all of them.
  const asStrict = earlier.action !== 'allow' || later.action === 'allow';
  const compare = compareGlobs(earlier, later, asWritten);
  return (
    NAMES.every(name => compare(earlier[name], later[name])) &&
    doesNameCover(earlier, later, asStrict || asWritten, compare) &&
    doesPrincipalCover(earlier.principal, later.principal, compare) &&
    doesUserCover(earlier.user, later.user) &&
    HINTS.every(hint => earlier[hint] === undefined || earlier[hint] === getHint(later, hint)) &&
    (earlier.resource === undefined || (asStrict && doesResourceCover(earlier.resource, later.resource))) &&
    (earlier.arguments === undefined || (asStrict && doArgumentsCover(earlier.arguments, later.arguments))) &&
    (earlier.only === undefined || (asStrict && doesOnlyCover(earlier.only, later.only)))
  );
}

type CompareGlobs = (wide: Globs | undefined, narrow: Globs | undefined) => boolean;

function compareGlobs(earlier: Rule, later: Rule, asWritten: boolean): CompareGlobs {
  const earlierFolds = earlier.action !== 'allow';
  const laterFolds = later.action !== 'allow' && !asWritten;
  return (wide, narrow) => {
    if (wide === undefined) return true;
    if (narrow === undefined) return false;
    const [outer, inner] = [listPatterns(wide), listPatterns(narrow)];
    const fold = earlierFolds && !outer.exact ? foldCase : (text: string) => text;
    // A case-insensitive rule matches more than a case-sensitive pattern with letters.
    const caseless = { ...outer, patterns: outer.patterns.filter(isCaseless) };
    const needsAllCases = laterFolds && !inner.exact && fold !== foldCase;
    return inner.patterns.every(text => {
      const patterns = needsAllCases && !isCaseless(text) ? caseless : outer;
      return doesTextCover(patterns, fold, text, inner.exact);
    });
  };
}

function doesTextCover(
  { patterns, exact }: NamePatterns,
  fold: (text: string) => string,
  text: string,
  isLiteral: boolean,
): boolean {
  if (exact) return patterns.includes(text) && (isLiteral || !/[*?]/.test(text));
  return patterns.some(each => (isLiteral ? matchGlob(fold(each), fold(text)) : coversGlob(fold(each), fold(text))));
}

/** Tells if a pattern has no letters with upper and lower case. */
function isCaseless(pattern: string): boolean {
  return foldCase(pattern) === pattern && pattern.toUpperCase() === pattern;
}

/**
 * Tells if the name condition of `earlier` covers that of `later`. A rule with `name` matches tools, prompts and
 * resources.
 */
function doesNameCover(earlier: Rule, later: Rule, asStrict: boolean, compare: CompareGlobs): boolean {
  const { name } = earlier;
  if (name === undefined) return true;
  if (later.tool !== undefined) return compare(name, later.tool);
  if (later.prompt !== undefined) return compare(name, later.prompt);
  // A `deny` or `ask` rule matches URIs in any spelling.
  if (later.resource !== undefined) return asStrict && doesResourceCover(name, later.resource);
  return asStrict && compare(name, later.name);
}

function doesResourceCover(wide: Match['resource'], narrow: Match['resource']): boolean {
  return narrow !== undefined && (toCanonicalJson(wide) === toCanonicalJson(narrow) || wide === '*');
}

function doArgumentsCover(wide: NonNullable<Match['arguments']>, narrow: Match['arguments'] = {}): boolean {
  return Object.entries(wide).every(
    ([path, pattern]) => Object.hasOwn(narrow, path) && toCanonicalJson(pattern) === toCanonicalJson(narrow[path]),
  );
}

function doesOnlyCover(wide: NonNullable<Match['only']>, narrow: Match['only']): boolean {
  return narrow?.every(path => wide.includes(path)) ?? false;
}

/** Returns a hint of a rule. A read-only tool is idempotent and not destructive. Hints exist for tools only. */
function getHint(rule: Rule, hint: (typeof HINTS)[number]): boolean | undefined {
  if (rule[hint] !== undefined || rule.readOnly !== true) return rule[hint];
  return hint === 'idempotent' ? true : hint === 'destructive' ? false : undefined;
}

function doesPrincipalCover(wide: Match['principal'], narrow: Match['principal'], compare: CompareGlobs): boolean {
  if (wide === null || narrow === null) return wide === undefined || wide === narrow;
  return compare(wide, narrow);
}

function doesUserCover(wide: Match['user'], narrow: Match['user']): boolean {
  if (wide === undefined) return true;
  return narrow !== undefined && toCanonicalJson(wide) === toCanonicalJson(narrow);
}
