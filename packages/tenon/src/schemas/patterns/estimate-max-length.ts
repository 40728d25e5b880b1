import { createDisjointTest, type DisjointTest } from './character-sets.js';
import type { MatchWork } from './match-work.js';
import { type Branch, isLoop, MAX_COPIES, type PatternItem, parsePattern } from './parse-pattern.js';

/** Maximum number of steps of one match. 10 million steps take about a tenth of a second. */
const MAX_STEPS_PER_MATCH = 1e7;
/**
 * Maximum number of steps of a pattern whose steps double with each character. It is lower because the estimate is less
 * exact.
 */
const MAX_EXPONENTIAL_STEPS = 1e5;
/** Steps of each path of a match that goes back to try another. */
const PATH_STEPS = 2;
/** The estimate of such a pattern may be too low by this factor. */
const EXPONENTIAL_MARGIN = 10;
/** Maximum length of a peer's pattern, in characters. Longer patterns are never run. */
export const MAX_PATTERN = 2_000;
/** Growth of the steps of a match with the length n of a string: factor × n^degree × base^n. */
interface Growth {
  readonly factor: number;
  readonly degree: number;
  readonly base: number;
}

const CONSTANT: Growth = { factor: 1, degree: 0, base: 1 };

/** Growth of the steps of a match, with the length up to which the pattern is run. */
export interface PatternGrowth extends Growth {
  /** Maximum length of a string, in UTF-16 units. */
  readonly maxLength: number;
  /** True if a match starts at the first character only. */
  readonly isAnchored: boolean;
}

/**
 * Estimates how the steps of a match grow with the length of a string, in spite of backtracking. The estimate looks at
 * nested repetitions, consecutive repetitions, and alternatives that begin alike. It prefers too many steps.
 * @param source A valid pattern.
 */
export function estimateGrowth(source: string): PatternGrowth {
  const pattern = parsePattern(source);
  if (pattern === undefined) return { ...CONSTANT, maxLength: 0, isAnchored: false };
  const { factor, degree, base } = estimateBranches(pattern, createDisjointTest(source), true);
  // A pattern without an anchor starts at each character.
  const isAnchored = pattern.every(branch => branch[0]?.atom.kind === 'start');
  const growth = { factor, degree: isAnchored || base > 1 ? degree : degree + 1, base, isAnchored };
  let maxLength = Number.POSITIVE_INFINITY;
  if (factor > MAX_STEPS_PER_MATCH) maxLength = 0;
  else if (base !== 1) {
    const steps = Math.log(MAX_EXPONENTIAL_STEPS / factor);
    maxLength = Math.max(0, Math.floor(steps / Math.log(base) / (growth.degree + 1)));
  } else if (growth.degree > 1) maxLength = Math.floor((MAX_STEPS_PER_MATCH / factor) ** (1 / growth.degree));
  return { ...growth, maxLength };
}

/** Counts the steps of a match with a string of `length` characters. Infinite for a string beyond the maximum length. */
export function countMatchSteps(growth: PatternGrowth, { start, character }: MatchWork, length: number): number {
  const { factor, degree, base, maxLength, isAnchored } = growth;
  if (length > maxLength) return Number.POSITIVE_INFINITY;
  const pathSteps = Math.max(PATH_STEPS, start / 2);
  if (base > 1) return EXPONENTIAL_MARGIN * pathSteps * factor * base ** (length * (degree + 1));
  if (degree > 1) return pathSteps * factor * length ** degree + character * length;
  const starts = isAnchored ? 1 : length + 1;
  return starts * (start + PATH_STEPS * (factor - 1)) + character * length;
}

function estimateBranches(branches: readonly Branch[], isDisjoint: DisjointTest, top: boolean): Growth {
  const each = branches.map(branch => estimateBranch(branch, isDisjoint, top));
  const factors = each.map(({ factor }) => factor);
  // Two or more alternatives can begin with the same character.
  const first = branches.flatMap(branch => getRequiredChars(branch[0]) ?? []);
  const isForked = branches.length >= 2 && (first.length < branches.length || !isDisjoint(first));
  return {
    factor: isForked ? factors.reduce((sum, factor) => sum + factor, 0) : Math.max(1, ...factors),
    degree: Math.max(0, ...each.map(({ degree }) => degree)),
    base: Math.max(1, ...each.map(({ base }) => base)),
  };
}

function estimateBranch(branch: Branch, isDisjoint: DisjointTest, top: boolean): Growth {
  let total = CONSTANT;
  let aside = 0;
  let scans = 0;
  for (const [i, item] of branch.entries()) {
    // At the end of the pattern, a loop never goes back: the match has succeeded.
    if (top && i === branch.length - 1 && item.atom.kind === 'chars' && isLoop(item)) continue;
    const growth = estimateItem(item, branch.slice(i + 1), isDisjoint, top);
    // A lookaround ends before the rest continues, so its steps are added to those of the rest.
    if (item.atom.kind === 'group' && item.atom.looks && growth.base === 1) aside = Math.max(aside, growth.degree);
    else {
      const { factor, degree, base } = total;
      total = { factor: factor * growth.factor, degree: degree + growth.degree, base: base * growth.base };
      // A loop with a clear end runs only once each time that the match reaches it.
      if (isLoop(item) && growth.degree === 0 && growth.base === 1) scans = 1;
    }
  }
  return { ...total, degree: Math.max(total.degree + scans, aside) };
}

function estimateItem(item: PatternItem, rest: Branch, isDisjoint: DisjointTest, top: boolean): Growth {
  const { atom, min, max } = item;
  const loops = isLoop(item);
  if (atom.kind === 'chars') {
    if (loops) return { ...CONSTANT, degree: isDelimited(atom.chars, rest, isDisjoint, top) ? 0 : 1 };
    return { ...CONSTANT, factor: max === min ? 1 : max - min + 1 };
  }
  if (atom.kind === 'echo') return { ...CONSTANT, degree: 1 };
  if (atom.kind !== 'group') return CONSTANT;
  const inner = estimateBranches(atom.branches, isDisjoint, false);
  const times = max === min ? Math.min(max, MAX_COPIES * MAX_COPIES) : max;
  if (!loops && times <= MAX_COPIES) {
    const choices = inner.factor ** times * (max === min ? 1 : max - min + 1);
    return { factor: choices, degree: inner.degree * times, base: inner.base ** Math.max(1, times) };
  }
  // A group that repeats is harmless when the input alone determines the start and the path of each repetition.
  const [branch] = atom.branches;
  const isSingle = atom.branches.length === 1 && branch !== undefined && isSeparated(branch, isDisjoint);
  if (inner.base === 1 && (isSingle || (inner.factor === 1 && inner.degree === 0))) {
    return { ...CONSTANT, degree: Math.max(1, inner.degree) };
  }
  const repetitions = Math.max(1, Math.min(min, 4));
  return { ...CONSTANT, base: (Math.max(2, inner.factor * (inner.degree + 1)) * inner.base) ** repetitions };
}

/** Tells if a character loop is followed by a character that it cannot match itself, or by the end of the pattern. */
function isDelimited(chars: string, rest: Branch, isDisjoint: DisjointTest, top: boolean): boolean {
  const next = rest.find(({ atom }) => atom.kind !== 'start' && atom.kind !== 'end' && atom.kind !== 'edge');
  if (next === undefined) return top;
  const following = getRequiredChars(next);
  return following !== undefined && isDisjoint([chars, following]);
}

/** Tells if each repetition begins or ends with a character that no variable part of it can match. */
function isSeparated(branch: Branch, isDisjoint: DisjointTest): boolean {
  return [branch[0], branch.at(-1)].some(edge => {
    const mark = getRequiredChars(edge);
    if (mark === undefined || edge?.min !== 1 || edge.max !== 1) return false;
    return branch.every(
      item =>
        item === edge || (item.atom.kind === 'chars' && (item.min === item.max || isDisjoint([mark, item.atom.chars]))),
    );
  });
}

function getRequiredChars(item: PatternItem | undefined): string | undefined {
  return item !== undefined && item.min > 0 && item.atom.kind === 'chars' ? item.atom.chars : undefined;
}
