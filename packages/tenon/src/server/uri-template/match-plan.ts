import { OPERATORS, type Operator } from './operators.js';
import type { Expression, TemplatePart, Variable } from './parse.js';
import { toSymbols } from './percent.js';

/** Matches exactly this text. */
export interface LiteralAtom {
  readonly kind: 'literal';
  readonly codes: Uint16Array;
  /**
   * Failure function of Knuth, Morris and Pratt: the length of the longest prefix of the literal that ends at each
   * symbol.
   */
  readonly fallback: Uint16Array;
}

/** Matches as many symbols of a set as possible, after an optional prefix. A run with a prefix may be absent. */
export interface RunAtom {
  readonly kind: 'run';
  /** The symbol before the run, or -1 if there is none. */
  readonly prefix: number;
  readonly least: 0 | 1;
  /** For each symbol, 1 if the run may contain it. */
  readonly allow: Uint8Array;
  /** Index of the next atom when the run is absent, or -1 if the run is required. */
  readonly skip: number;
  readonly capture: Capture;
}

export type TemplateAtom = LiteralAtom | RunAtom;

/** The variable of a matched run, or the whole expression if its values are named. */
export type Capture =
  | { readonly operator: Operator; readonly variable: Variable }
  | { readonly operator: Operator; readonly byName: ReadonlyMap<string, Variable> };

/** Plan of a match. Every match begins with `leadingText`. */
export interface MatchPlan {
  readonly atoms: readonly TemplateAtom[];
  readonly leadingText: string;
}

const SYMBOLS = 128 + 256;
const UNRESERVED = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~';
const RESERVED = ":/?#[]@!$&'()*+,;=";
/**
 * Characters that an expansion encodes, and that many clients leave as they are: those of RFC 3986 in a path segment, and
 * a space. A value takes them where no later part of the template can begin with them.
 */
const RAW = " !$&'()*+,;=:@";
/** The same for a named value, where `&`, `=` and `+` have other meanings. */
const RAW_IN_NAMED = " !$'()*,;:@";

/** Creates the plan for matching a template. Returns the reason if the template cannot be matched. */
export function createMatchPlan(parts: readonly TemplatePart[]): MatchPlan | string {
  const atoms: TemplateAtom[] = [];
  const names = new Set<string>();
  for (const [index, part] of parts.entries()) {
    if (typeof part === 'string') {
      atoms.push(createLiteral(part));
      continue;
    }
    for (const { name } of part.variables) {
      if (names.has(name)) return `the variable "${name}" stands in it twice`;
      names.add(name);
    }
    const following = getFollowing(parts, index);
    const reason = explainUnmatchable(part, following);
    if (reason) return reason;
    const raw = getRawCharacters(parts, index);
    atoms.push(...createRuns(part, getExcludedCharacters(parts, index, following), raw, atoms.length));
  }
  const [first] = parts;
  return { atoms, leadingText: typeof first === 'string' && !first.includes('%') ? first : '' };
}

/** Text that may follow an expression: prefixes of optional expressions, and the literal after them. */
interface FollowingText {
  readonly prefixes: string;
  readonly literal: string;
  /** True if an expression without a prefix follows. */
  readonly bare: boolean;
}

function getFollowing(parts: readonly TemplatePart[], index: number): FollowingText {
  let prefixes = '';
  for (const part of parts.slice(index + 1)) {
    if (typeof part === 'string') return { prefixes, literal: part.charAt(0), bare: false };
    const { first } = OPERATORS[part.operator];
    if (first === '') return { prefixes, literal: '', bare: true };
    prefixes += first;
  }
  return { prefixes, literal: '', bare: false };
}

function explainUnmatchable(
  { operator, variables }: Expression,
  { prefixes, literal, bare }: FollowingText,
): string | undefined {
  const { first, separator, named } = OPERATORS[operator];
  const shown = `{${operator}${variables.map(v => v.name + (v.explode ? '*' : '')).join(',')}}`;
  const cut = variables.find(v => v.prefix !== undefined);
  if (cut) return `"${cut.name}:${cut.prefix}" keeps only the beginning of a value`;
  if (bare) return `nothing stands between ${shown} and the variable after it`;
  if (named) {
    const inside = [...prefixes, literal].find(c => c !== '' && `${UNRESERVED}%=${first}${separator}`.includes(c));
    return inside && `"${inside}" right after ${shown} could as well be a part of it; put ${shown} at the end`;
  }
  const list = variables.findIndex(v => v.explode);
  if (list === -1) return undefined;
  if (list < variables.length - 1) return `the list "${variables[list]!.name}*" is not the last variable of ${shown}`;
  return prefixes.includes(separator)
    ? `"${separator}" separates the items of ${shown} and begins what follows`
    : undefined;
}

/**
 * Returns the characters that no value of an expression may contain, so that a URI matches in only one way. These are
 * the prefix of the following text, the separator of several values, and a `?` or `#` that the template has later.
 */
function getExcludedCharacters(parts: readonly TemplatePart[], index: number, { prefixes }: FollowingText): string {
  const has = (mark: string) => (part: TemplatePart) =>
    typeof part === 'string' ? part.includes(mark) : OPERATORS[part.operator].first === mark;
  const later = ['?', '#'].filter(mark => parts.slice(index + 1).some(has(mark)));
  return prefixes + later.join('') + getSeparator(parts[index] as Expression);
}

/** Returns the character that separates values of an expression. Empty if it has a single value without a name. */
function getSeparator({ operator, variables }: Expression): string {
  const { separator, named } = OPERATORS[operator];
  return named || variables.length > 1 || variables[0]?.explode ? separator : '';
}

/**
 * Returns the characters that a value may contain although an expansion encodes them: those that stand in no later
 * literal, and that neither separate nor begin values of this template.
 */
function getRawCharacters(parts: readonly TemplatePart[], index: number): string {
  const own = parts[index] as Expression;
  const later = parts
    .slice(index + 1)
    .map(part => (typeof part === 'string' ? part : OPERATORS[part.operator].first + getSeparator(part)));
  const taken = later.join('') + getSeparator(own);
  return [...(OPERATORS[own.operator].named ? RAW_IN_NAMED : RAW)].filter(each => !taken.includes(each)).join('');
}

function createRuns({ operator, variables }: Expression, without: string, raw: string, index: number): TemplateAtom[] {
  const { first, separator, named, reserved } = OPERATORS[operator];
  if (named) {
    const byName = new Map(variables.map(v => [normalizeTriplets(v.name), v]));
    const allow = createCharset(`${UNRESERVED}=${separator}${raw}`, '');
    const capture = { operator, byName };
    return [{ kind: 'run', prefix: first.charCodeAt(0), least: 1, allow, skip: index + 1, capture }];
  }
  const needed = first === '';
  const single = createCharset(reserved ? `${UNRESERVED}${RESERVED} ` : UNRESERVED + raw, without);
  return variables.flatMap((variable, place): TemplateAtom[] => {
    const allow = variable.explode ? single.slice() : single;
    if (variable.explode) allow[separator.charCodeAt(0)] = 1;
    const lead = place === 0 ? first : separator;
    const prefix = needed ? -1 : lead.charCodeAt(0);
    const skip = needed ? -1 : index + variables.length;
    const run: RunAtom = { kind: 'run', prefix, least: needed ? 1 : 0, allow, skip, capture: { operator, variable } };
    return needed && place > 0 ? [createLiteral(separator), run] : [run];
  });
}

function createCharset(characters: string, without: string): Uint8Array {
  const allow = new Uint8Array(SYMBOLS).fill(1, 128);
  for (const character of characters) if (!without.includes(character)) allow[character.charCodeAt(0)] = 1;
  return allow;
}

function createLiteral(text: string): LiteralAtom {
  // The parser accepts only complete triplets in a literal.
  const { codes } = toSymbols(text)!;
  const fallback = new Uint16Array(codes.length);
  for (let index = 1, length = 0; index < codes.length; index++) {
    while (length > 0 && codes[index] !== codes[length]) length = fallback[length - 1]!;
    if (codes[index] === codes[length]) length++;
    fallback[index] = length;
  }
  return { kind: 'literal', codes, fallback };
}

/** Normalizes percent-encoded triplets of a name: `%c3` and `%C3` are equal. */
export function normalizeTriplets(name: string): string {
  return name.includes('%') ? name.replace(/%[0-9a-f]{2}/gi, triplet => triplet.toUpperCase()) : name;
}
