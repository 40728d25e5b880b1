import { type Branch, type PatternItem, parsePattern } from './parse-pattern.js';

/** Maximum number of steps of one match. 10 million steps take about a tenth of a second. */
const MAX_STEPS_PER_MATCH = 1e7;
/**
 * Maximum number of steps of a pattern whose steps double with each character. It is lower because the estimate is less
 * exact.
 */
const MAX_EXPONENTIAL_STEPS = 1e5;
/** Maximum length of a pattern, in characters. Longer patterns are never run. */
const MAX_PATTERN = 2_000;
/** A repetition with a maximum up to this limit counts as that many copies. A larger maximum counts as unbounded. */
const MAX_COPIES = 10;

/** Growth of the steps of a match with the length n of a string: factor × n^degree × base^n. */
interface Growth {
  readonly factor: number;
  readonly degree: number;
  readonly base: number;
}

const CONSTANT: Growth = { factor: 1, degree: 0, base: 1 };

/**
 * Estimates the maximum length of a string for which a pattern still ends soon in spite of backtracking. The estimate
 * looks at nested repetitions, consecutive repetitions, and alternatives that begin alike. It prefers a length that is
 * too short.
 * @param source A valid pattern.
 */
export function estimateMaxLength(source: string): number {
  if (source.length > MAX_PATTERN) return 0;
  const pattern = parsePattern(source);
  if (pattern === undefined) return 0;
  const { factor, degree, base } = estimateBranches(pattern, true);
  const anchored = pattern.every(branch => branch[0]?.atom.kind === 'start');
  if (factor > MAX_STEPS_PER_MATCH) return 0;
  if (base > 1)
    return Math.max(0, Math.floor(Math.log(MAX_EXPONENTIAL_STEPS / factor) / Math.log(base) / (degree + 1)));
  return Math.floor((MAX_STEPS_PER_MATCH / factor) ** (1 / Math.max(1, anchored ? degree : degree + 1)));
}

function estimateBranches(branches: readonly Branch[], top: boolean): Growth {
  const each = branches.map(branch => estimateBranch(branch, top));
  const factors = each.map(({ factor }) => factor);
  return {
    factor: isForked(branches) ? factors.reduce((sum, factor) => sum + factor, 0) : Math.max(1, ...factors),
    degree: Math.max(0, ...each.map(({ degree }) => degree)),
    base: Math.max(1, ...each.map(({ base }) => base)),
  };
}

/** Tells if two or more alternatives can begin with the same character. */
function isForked(branches: readonly Branch[]): boolean {
  if (branches.length < 2) return false;
  const first = branches.map(branch => getRequiredChars(branch[0]));
  return first.some((chars, i) => chars === undefined || first.slice(i + 1).some(other => !isDisjoint(chars, other)));
}

function estimateBranch(branch: Branch, top: boolean): Growth {
  let total = CONSTANT;
  let aside = 0;
  let scans = 0;
  for (const [i, item] of branch.entries()) {
    const growth = estimateItem(item, branch.slice(i + 1), top);
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

function estimateItem(item: PatternItem, rest: Branch, top: boolean): Growth {
  const { atom, min, max } = item;
  const loops = isLoop(item);
  if (atom.kind === 'chars') {
    if (loops) return { ...CONSTANT, degree: isDelimited(atom.chars, rest, top) ? 0 : 1 };
    return { ...CONSTANT, factor: max === min ? 1 : max - min + 1 };
  }
  if (atom.kind === 'echo') return { ...CONSTANT, degree: 1 };
  if (atom.kind !== 'group') return CONSTANT;
  const inner = estimateBranches(atom.branches, false);
  const times = max === min ? Math.min(max, MAX_COPIES * MAX_COPIES) : max;
  if (!loops && times <= MAX_COPIES) {
    const choices = inner.factor ** times * (max === min ? 1 : max - min + 1);
    return { factor: choices, degree: inner.degree * times, base: inner.base ** Math.max(1, times) };
  }
  return estimateLoop(atom.branches, inner, Math.min(min, 4));
}

function isLoop({ min, max }: PatternItem): boolean {
  return max > MAX_COPIES && max !== min;
}

/**
 * Estimates a group that repeats. It is harmless when the input alone determines the start and the path of each
 * repetition.
 */
function estimateLoop(branches: readonly Branch[], inner: Growth, min: number): Growth {
  const single = branches.length === 1 && branches[0] !== undefined && isSeparated(branches[0]);
  if (inner.base === 1 && (single || (inner.factor === 1 && inner.degree === 0))) {
    return { ...CONSTANT, degree: Math.max(1, inner.degree) };
  }
  return { ...CONSTANT, base: (Math.max(2, inner.factor * (inner.degree + 1)) * inner.base) ** Math.max(1, min) };
}

/** Tells if a character loop is followed by a character that it cannot match itself, or by the end of the pattern. */
function isDelimited(chars: string, rest: Branch, top: boolean): boolean {
  const next = rest.find(({ atom }) => atom.kind !== 'start' && atom.kind !== 'end' && atom.kind !== 'edge');
  if (next === undefined) return top;
  return isDisjoint(chars, getRequiredChars(next));
}

/** Tells if each repetition begins or ends with a character that no variable part of it can match. */
function isSeparated(branch: Branch): boolean {
  return [branch[0], branch.at(-1)].some(edge => {
    const mark = getRequiredChars(edge);
    if (mark === undefined || edge?.min !== 1 || edge.max !== 1) return false;
    return branch.every(
      item =>
        item === edge || (item.atom.kind === 'chars' && (item.min === item.max || isDisjoint(mark, item.atom.chars))),
    );
  });
}

function getRequiredChars(item: PatternItem | undefined): string | undefined {
  return item !== undefined && item.min > 0 && item.atom.kind === 'chars' ? item.atom.chars : undefined;
}

/** The characters that show if two character classes overlap. */
let sampleCharacters: readonly string[] | undefined;

function isDisjoint(one: string, other: string | undefined): boolean {
  if (other === undefined || one === other) return false;
  const [left, right] = [new RegExp(`^(?:${one})$`, 'u'), new RegExp(`^(?:${other})$`, 'u')];
  sampleCharacters ??= [...Array(0x180).keys(), 0x3b1, 0x4e2d, 0x2028, 0xfeff, 0x1f600].map(code =>
    String.fromCodePoint(code),
  );
  return !sampleCharacters.some(character => left.test(character) && right.test(character));
}
