import { OPERATORS, type Operator } from './operators.js';
import type { Expression, TemplatePart, Variable } from './parse.js';
import { toSymbols } from './percent.js';

/** Exactly this text. */
export interface LiteralAtom {
  readonly kind: 'literal';
  readonly codes: Uint16Array;
  /**
   * For each symbol, how long a beginning of the literal ends there: the failure function of Knuth, Morris and Pratt.
   */
  readonly fallback: Uint16Array;
}

/** As many symbols of a set as there may be, after a prefix when there is one. With a prefix it may be absent. */
export interface RunAtom {
  readonly kind: 'run';
  /** The symbol before the run; -1 when there is none. */
  readonly prefix: number;
  readonly least: 0 | 1;
  /** By symbol, 1 for those that the run takes. */
  readonly allow: Uint8Array;
  /** The index of the atom to go on with when the run is absent; -1 when it may not be. */
  readonly skip: number;
  readonly capture: Capture;
}

export type TemplateAtom = LiteralAtom | RunAtom;

/** Owner of a run of text: one variable, or a whole expression if values are named. */
export type Capture =
  | { readonly operator: Operator; readonly variable: Variable }
  | { readonly operator: Operator; readonly byName: ReadonlyMap<string, Variable> };

/** Plan of a match. `lead` is the plain text that every match begins with. */
export interface MatchPlan {
  readonly atoms: readonly TemplateAtom[];
  readonly leadingText: string;
}

const SYMBOLS = 128 + 256;
const UNRESERVED = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~';
const RESERVED = ":/?#[]@!$&'()*+,;=";

/** Plans the matching of a template, or returns the reason why it cannot be matched. */
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
    atoms.push(...createRuns(part, getExcludedCharacters(parts, index, following), atoms.length));
  }
  const [first] = parts;
  return { atoms, leadingText: typeof first === 'string' && !first.includes('%') ? first : '' };
}

/** Text that may follow an expression: prefixes of optional expressions, and the text that ends their row. */
interface FollowingText {
  readonly prefixes: string;
  readonly literal: string;
  /** An expression that begins with a value at once. */
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
 * Returns the characters that no value of an expression contains, so that there is one way to match: the prefix of the
 * following text; the separator, where there are several values; and, as in any URI, the "?" and the "#" that the
 * template itself has later.
 */
function getExcludedCharacters(parts: readonly TemplatePart[], index: number, { prefixes }: FollowingText): string {
  const { operator, variables } = parts[index] as Expression;
  const has = (mark: string) => (part: TemplatePart) =>
    typeof part === 'string' ? part.includes(mark) : OPERATORS[part.operator].first === mark;
  const later = ['?', '#'].filter(mark => parts.slice(index + 1).some(has(mark)));
  const several = variables.length > 1 || variables[0]!.explode;
  return prefixes + later.join('') + (several ? OPERATORS[operator].separator : '');
}

function createRuns({ operator, variables }: Expression, without: string, index: number): TemplateAtom[] {
  const { first, separator, named, reserved } = OPERATORS[operator];
  if (named) {
    const byName = new Map(variables.map(v => [normalizeTriplets(v.name), v]));
    const allow = createCharset(`${UNRESERVED}=${separator}`, '');
    const capture = { operator, byName };
    return [{ kind: 'run', prefix: first.charCodeAt(0), least: 1, allow, skip: index + 1, capture }];
  }
  const needed = first === '';
  const single = createCharset(reserved ? UNRESERVED + RESERVED : UNRESERVED, without);
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
  // The parser lets only whole triplets into a literal.
  const { codes } = toSymbols(text)!;
  const fallback = new Uint16Array(codes.length);
  for (let index = 1, length = 0; index < codes.length; index++) {
    while (length > 0 && codes[index] !== codes[length]) length = fallback[length - 1]!;
    if (codes[index] === codes[length]) length++;
    fallback[index] = length;
  }
  return { kind: 'literal', codes, fallback };
}

/** The one way to write a name: `%c3` and `%C3` are the same. */
export function normalizeTriplets(name: string): string {
  return name.includes('%') ? name.replace(/%[0-9a-f]{2}/gi, triplet => triplet.toUpperCase()) : name;
}
