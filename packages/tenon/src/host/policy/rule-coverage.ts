import { canonical } from '../../conversation/asking/canonical.js';
import { coversGlob, matchesGlob } from './glob.js';
import type { Globs, Match, Rule } from './rules.js';
import { foldCase, listPatterns, type NamePatterns } from './texts.js';

export const HINTS = ['readOnly', 'destructive', 'idempotent', 'openWorld'] as const;
const NAMES = ['server', 'tool', 'prompt'] as const;

/**
 * Whether all that fits `later` fits `earlier`. `false` says nothing. `asWritten` looks at the names that `later` has as they
 * stand, and not at those in another case, which it fits as well when it denies or asks.
 */
export function covers(earlier: Rule, later: Rule, { asWritten = false }: { asWritten?: boolean } = {}): boolean {
  // A call that fits in some way need not fit in all ways.
  const asStrict = earlier.action !== 'allow' || later.action === 'allow';
  const compare = compareGlobs(earlier, later, asWritten);
  return (
    NAMES.every(name => compare(earlier[name], later[name])) &&
    coversName(earlier, later, asStrict || asWritten, compare) &&
    coversPrincipal(earlier.principal, later.principal, compare) &&
    HINTS.every(hint => earlier[hint] === undefined || earlier[hint] === hintOf(later, hint)) &&
    (earlier.resource === undefined || (asStrict && coversResource(earlier.resource, later.resource))) &&
    (earlier.arguments === undefined || (asStrict && coversArguments(earlier.arguments, later.arguments))) &&
    (earlier.only === undefined || (asStrict && coversOnly(earlier.only, later.only)))
  );
}

type Compare = (wide: Globs | undefined, narrow: Globs | undefined) => boolean;

function compareGlobs(earlier: Rule, later: Rule, asWritten: boolean): Compare {
  const earlierFolds = earlier.action !== 'allow';
  const laterFolds = later.action !== 'allow' && !asWritten;
  return (wide, narrow) => {
    if (wide === undefined) return true;
    if (narrow === undefined) return false;
    const [outer, inner] = [listPatterns(wide), listPatterns(narrow)];
    const fold = earlierFolds && !outer.exact ? foldCase : (text: string) => text;
    // What folds fits other cases as well, which a pattern with letters does not.
    const caseless = { ...outer, patterns: outer.patterns.filter(isCaseless) };
    const needsAllCases = laterFolds && !inner.exact && fold !== foldCase;
    return inner.patterns.every(text => {
      const patterns = needsAllCases && !isCaseless(text) ? caseless : outer;
      return coversText(patterns, fold, text, inner.exact);
    });
  };
}

function coversText(
  { patterns, exact }: NamePatterns,
  fold: (text: string) => string,
  text: string,
  isLiteral: boolean,
): boolean {
  if (exact) return patterns.includes(text) && (isLiteral || !/[*?]/.test(text));
  return patterns.some(each => (isLiteral ? matchesGlob(fold(each), fold(text)) : coversGlob(fold(each), fold(text))));
}

/** Tells whether a pattern has no letters that have two cases. */
function isCaseless(pattern: string): boolean {
  return foldCase(pattern) === pattern && pattern.toUpperCase() === pattern;
}

/** A rule with `name` fits tools, prompts and resources of that name. */
function coversName(earlier: Rule, later: Rule, asStrict: boolean, compare: Compare): boolean {
  const { name } = earlier;
  if (name === undefined) return true;
  if (later.tool !== undefined) return compare(name, later.tool);
  if (later.prompt !== undefined) return compare(name, later.prompt);
  // URIs fit in any spelling where a rule denies or asks.
  if (later.resource !== undefined) return asStrict && coversResource(name, later.resource);
  return asStrict && compare(name, later.name);
}

function coversResource(wide: Match['resource'], narrow: Match['resource']): boolean {
  return narrow !== undefined && (canonical(wide) === canonical(narrow) || wide === '*');
}

function coversArguments(wide: NonNullable<Match['arguments']>, narrow: Match['arguments'] = {}): boolean {
  return Object.entries(wide).every(
    ([path, pattern]) => Object.hasOwn(narrow, path) && canonical(pattern) === canonical(narrow[path]),
  );
}

function coversOnly(wide: NonNullable<Match['only']>, narrow: Match['only']): boolean {
  return narrow?.every(path => wide.includes(path)) ?? false;
}

/** What only reads is known to be idempotent and not destructive. But a rule for hints is one for tools. */
function hintOf(rule: Rule, hint: (typeof HINTS)[number]): boolean | undefined {
  if (rule[hint] !== undefined || rule.readOnly !== true) return rule[hint];
  return hint === 'idempotent' ? true : hint === 'destructive' ? false : undefined;
}

function coversPrincipal(wide: Match['principal'], narrow: Match['principal'], compare: Compare): boolean {
  if (wide === null || narrow === null) return wide === undefined || wide === narrow;
  return compare(wide, narrow);
}
