/** One thing that a pattern matches. */
export type Atom =
  /** One character: the source of a literal, an escape or a class. */
  | { readonly kind: 'chars'; readonly chars: string }
  | { readonly kind: 'group'; readonly branches: readonly Branch[]; readonly looks: boolean }
  /** `^`, `$`, and `\b` or `\B`: they take no character. */
  | { readonly kind: 'start' | 'end' | 'edge' }
  /** What an earlier group matched, again. */
  | { readonly kind: 'echo' };

/** An atom and how often it may repeat. */
export interface Item {
  readonly atom: Atom;
  readonly min: number;
  readonly max: number;
}

export type Branch = readonly Item[];

/** Deeper groups are not read. */
const MAX_GROUPS = 50;

/** An escape, by its second character: `\u{1F600}`, `\p{L}`, `\k<name>`, `\x41`, `\12`, `\d`. */
const ESCAPE =
  /\\(?:u\{[^}]*\}|u[\da-f]{4}(?:\\ud[c-f][\da-f]{2})?|[pP]\{[^}]*\}|k<[^>]*>|x[\da-f]{2}|c[a-z]|[1-9]\d*|.)/isuy;
const CLASS = /\[(?:\\.|[^\]\\])*\]/suy;
const GROUP = /\((?:\?(?:<?[=!]|<[^>]*>|[a-z-]*:))?/uy;
const QUANTIFIER = /(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/uy;

/** Reads a valid pattern. `undefined` when its groups are too deep. https://tc39.es/ecma262/#sec-patterns */
export function parsePattern(source: string): readonly Branch[] | undefined {
  let at = 0;
  const take = (token: RegExp): RegExpExecArray | null => {
    token.lastIndex = at;
    const match = token.exec(source);
    if (match !== null) at = token.lastIndex;
    return match;
  };

  const readBranches = (depth: number): Branch[] | undefined => {
    const branches: Item[][] = [[]];
    if (depth > MAX_GROUPS) return undefined;
    while (at < source.length && source[at] !== ')') {
      if (source[at] === '|') {
        at++;
        branches.push([]);
        continue;
      }
      const atom = readAtom(depth);
      if (atom === undefined) return undefined;
      branches.at(-1)?.push({ atom, ...readQuantifier() });
    }
    return branches;
  };

  const readAtom = (depth: number): Atom | undefined => {
    const opening = take(GROUP)?.[0];
    if (opening !== undefined) {
      const branches = readBranches(depth + 1);
      at++;
      return branches && { kind: 'group', branches, looks: /[=!]$/.test(opening) };
    }
    const chars = (take(CLASS) ?? take(ESCAPE))?.[0] ?? String.fromCodePoint(source.codePointAt(at) ?? 0);
    if (chars[0] !== '[' && chars[0] !== '\\') at += chars.length;
    if (chars === '^' || chars === '$') return { kind: chars === '^' ? 'start' : 'end' };
    if (chars === '\\b' || chars === '\\B') return { kind: 'edge' };
    return /^\\(?:[1-9]|k<)/.test(chars) ? { kind: 'echo' } : { kind: 'chars', chars };
  };

  const readQuantifier = (): { min: number; max: number } => {
    const match = take(QUANTIFIER);
    if (match === null) return { min: 1, max: 1 };
    const [, sign, least, comma, most] = match;
    if (sign !== undefined) return { min: sign === '+' ? 1 : 0, max: sign === '?' ? 1 : Number.POSITIVE_INFINITY };
    const min = Number(least);
    return { min, max: comma === '' ? min : most === '' ? Number.POSITIVE_INFINITY : Number(most) };
  };

  return readBranches(0);
}
