/** One element of a pattern. */
export type PatternAtom =
  /** One character: a literal, an escape or a class, as source text. */
  | { readonly kind: 'chars'; readonly chars: string }
  | { readonly kind: 'group'; readonly branches: readonly Branch[]; readonly looks: boolean }
  /** `^`, `$`, `\b` or `\B`. They consume no character. */
  | { readonly kind: 'start' | 'end' | 'edge' }
  /** A back-reference to an earlier group. */
  | { readonly kind: 'echo' };

/** An atom and the number of its repetitions. */
export interface PatternItem {
  readonly atom: PatternAtom;
  readonly min: number;
  readonly max: number;
}

export type Branch = readonly PatternItem[];

/** A repetition with a maximum up to this limit counts as that many copies. A larger maximum counts as unbounded. */
export const MAX_COPIES = 10;

/** Tells if the text decides how often an item repeats. */
export function isLoop({ min, max }: PatternItem): boolean {
  return max > MAX_COPIES && max !== min;
}

/** Maximum depth of nested groups that are read. */
const MAX_GROUPS = 50;

/** An escape sequence, by its second character: `\u{1F600}`, `\p{L}`, `\k<name>`, `\x41`, `\12`, `\d`. */
const ESCAPE =
  /\\(?:u\{[^}]*\}|u[\da-f]{4}(?:\\ud[c-f][\da-f]{2})?|[pP]\{[^}]*\}|k<[^>]*>|x[\da-f]{2}|c[a-z]|[1-9]\d*|.)/isuy;
const CLASS = /\[(?:\\.|[^\]\\])*\]/suy;
const GROUP = /\((?:\?(?:<?[=!]|<[^>]*>|[a-z-]*:))?/uy;
const QUANTIFIER = /(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/uy;

/**
 * Parses a valid pattern. Returns `undefined` when its groups are nested too deeply.
 * @see https://tc39.es/ecma262/#sec-patterns
 */
export function parsePattern(source: string): readonly Branch[] | undefined {
  let index = 0;
  const take = (token: RegExp): RegExpExecArray | null => {
    token.lastIndex = index;
    const match = token.exec(source);
    if (match !== null) index = token.lastIndex;
    return match;
  };

  const readBranches = (depth: number): Branch[] | undefined => {
    const branches: PatternItem[][] = [[]];
    if (depth > MAX_GROUPS) return undefined;
    while (index < source.length && source[index] !== ')') {
      if (source[index] === '|') {
        index++;
        branches.push([]);
        continue;
      }
      const atom = readAtom(depth);
      if (atom === undefined) return undefined;
      branches.at(-1)?.push({ atom, ...readQuantifier() });
    }
    return branches;
  };

  const readAtom = (depth: number): PatternAtom | undefined => {
    const opening = take(GROUP)?.[0];
    if (opening !== undefined) {
      const branches = readBranches(depth + 1);
      index++;
      return branches && { kind: 'group', branches, looks: /[=!]$/.test(opening) };
    }
    const chars = (take(CLASS) ?? take(ESCAPE))?.[0] ?? String.fromCodePoint(source.codePointAt(index) ?? 0);
    if (chars[0] !== '[' && chars[0] !== '\\') index += chars.length;
    if (chars === '^' || chars === '$') return { kind: chars === '^' ? 'start' : 'end' };
    if (chars === '\\b' || chars === '\\B') return { kind: 'edge' };
    return /^\\(?:[1-9]|k<)/.test(chars) ? { kind: 'echo' } : { kind: 'chars', chars };
  };

  const readQuantifier = (): { min: number; max: number } => {
    const match = take(QUANTIFIER);
    if (match === null) return { min: 1, max: 1 };
    const [, sign, minText, comma, maxText] = match;
    if (sign !== undefined) return { min: sign === '+' ? 1 : 0, max: sign === '?' ? 1 : Number.POSITIVE_INFINITY };
    const min = Number(minText);
    return { min, max: comma === '' ? min : maxText === '' ? Number.POSITIVE_INFINITY : Number(maxText) };
  };

  return readBranches(0);
}
