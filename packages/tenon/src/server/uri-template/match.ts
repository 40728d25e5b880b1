import { MAX_URI_LENGTH } from './expand.js';
import { type Capture, type LiteralAtom, type MatchPlan, normalizeTriplets, type RunAtom } from './match-plan.js';
import { OPERATORS } from './operators.js';
import { decodePercent, toSymbols } from './percent.js';

/** Counts the symbols that a match visits. */
export interface SymbolCounter {
  steps: number;
}

/** For each position, 1 if the rest of the template matches the rest of the URI. */
type MatchTable = Uint8Array;

interface CapturedSpan {
  readonly capture: Capture;
  readonly start: number;
  readonly end: number;
}

/**
 * Matches a URI in two passes, each linear in the length of the URI. The first pass starts at the end and finds the
 * atoms that can begin at each position. The second pass starts at the beginning and makes each run as long as the rest
 * allows.
 *
 * There is no backtracking, so no input can exhaust the matcher. CVE-2026-0621 was such a case: a regular expression
 * with nested quantifiers.
 */
export function match(
  { atoms, leadingText }: MatchPlan,
  uri: string,
  allowUnsafe: boolean,
  counter: SymbolCounter = { steps: 0 },
): MatchedValues | undefined {
  if (uri.length > MAX_URI_LENGTH || !uri.startsWith(leadingText)) return undefined;
  const symbols = toSymbols(uri);
  counter.steps += uri.length;
  if (symbols === undefined || symbols.codes.length > MAX_URI_LENGTH) return undefined;
  const tables = computeReach(atoms, symbols.codes, counter);
  if (tables[0]![0] !== 1) return undefined;
  const values: MatchedValues = new Map();
  for (const { capture, start, end } of collectSpans(atoms, tables, symbols.codes, counter)) {
    counter.steps += end - start;
    if (!collectValues(capture, symbols.text(start, end), allowUnsafe, values)) return undefined;
  }
  return values;
}

function computeReach(atoms: MatchPlan['atoms'], codes: Uint16Array, counter: SymbolCounter): MatchTable[] {
  const end = new Uint8Array(codes.length + 1);
  end[codes.length] = 1;
  const tables: MatchTable[] = new Array(atoms.length + 1).fill(end);
  for (let index = atoms.length - 1; index >= 0; index--) {
    const atom = atoms[index]!;
    const next = tables[index + 1]!;
    tables[index] =
      atom.kind === 'literal'
        ? computeLiteralReach(atom, codes, next, counter)
        : computeRunReach(atom, codes, next, atom.skip < 0 ? undefined : tables[atom.skip], counter);
  }
  return tables;
}

function computeLiteralReach(
  { codes: wanted, fallback }: LiteralAtom,
  codes: Uint16Array,
  next: MatchTable,
  counter: SymbolCounter,
): MatchTable {
  const table = new Uint8Array(next.length);
  let matched = 0;
  for (let position = 0; position < codes.length; position++) {
    counter.steps++;
    while (matched > 0 && codes[position] !== wanted[matched]) {
      counter.steps++;
      matched = fallback[matched - 1]!;
    }
    if (codes[position] === wanted[matched]) matched++;
    if (matched < wanted.length) continue;
    if (next[position + 1] === 1) table[position + 1 - wanted.length] = 1;
    matched = fallback[matched - 1]!;
  }
  return table;
}

function computeRunReach(
  run: RunAtom,
  codes: Uint16Array,
  next: MatchTable,
  absent: MatchTable | undefined,
  counter: SymbolCounter,
): MatchTable {
  const { allow, least, prefix } = run;
  const table = new Uint8Array(next.length);
  // The two flags belong to the current position. One tells if a run of any length can begin, the other if a run of the
  // required length can.
  let any = 0;
  let enough = 0;
  for (let position = codes.length; position >= 0; position--) {
    counter.steps++;
    const code = codes[position];
    const behind = code === prefix ? enough : 0;
    const more = code !== undefined && allow[code] === 1 ? any : 0;
    any = next[position]! | more;
    enough = least === 1 ? more : any;
    table[position] = prefix < 0 ? enough : behind | (absent?.[position] ?? 0);
  }
  return table;
}

function collectSpans(
  atoms: MatchPlan['atoms'],
  tables: readonly MatchTable[],
  codes: Uint16Array,
  counter: SymbolCounter,
): CapturedSpan[] {
  const spans: CapturedSpan[] = [];
  let position = 0;
  for (let index = 0; index < atoms.length; ) {
    const atom = atoms[index]!;
    if (atom.kind === 'literal') {
      position += atom.codes.length;
      index++;
      continue;
    }
    const start = atom.prefix < 0 ? position : position + 1;
    const end =
      atom.prefix < 0 || codes[position] === atom.prefix
        ? findLongestRun(atom, codes, start, tables[index + 1]!, counter)
        : -1;
    if (end < 0) {
      index = atom.skip;
      continue;
    }
    spans.push({ capture: atom.capture, start, end });
    position = end;
    index++;
  }
  return spans;
}

/** Returns the end of the longest run from `start` after which the rest still matches, or -1 if there is none. */
function findLongestRun(
  { allow, least }: RunAtom,
  codes: Uint16Array,
  start: number,
  next: MatchTable,
  counter: SymbolCounter,
): number {
  let end = -1;
  for (let position = start; position < next.length; position++) {
    counter.steps++;
    if (next[position] === 1 && position - start >= least) end = position;
    const code = codes[position];
    if (code === undefined || allow[code] !== 1) break;
  }
  return end;
}

/** The values found so far, by name of the variable. */
type MatchedValues = Map<string, string | string[]>;

/** A segment that leaves its folder. */
const TRAVERSAL = /(?:^|[/\\])\.\.(?:$|[/\\])/;

/** Reads the values from one part of a URI. Returns false if the template cannot have produced that part. */
function collectValues(capture: Capture, text: string, allowUnsafe: boolean, values: MatchedValues): boolean {
  const { operator } = capture;
  const readValue = (raw: string) => {
    const value = decodePercent(raw);
    if (value === undefined || allowUnsafe) return value;
    // A value must be free of path traversal. NUL is never safe, because it ends a path early in C.
    if (value.includes('\0')) return undefined;
    // Reserved values, fragments and queries may contain slashes, so no segment of them may be `..`.
    if (OPERATORS[operator].reserved || operator === '?' || operator === '&')
      return TRAVERSAL.test(value) ? undefined : value;
    // A value of one segment must stay one segment.
    const isSegment = value !== '.' && value !== '..' && !value.includes('/') && !value.includes('\\');
    return isSegment ? value : undefined;
  };
  if ('byName' in capture)
    return collectNamed(capture.byName, text.split(OPERATORS[operator].separator), readValue, values);
  const { name, explode } = capture.variable;
  if (!explode) {
    const value = readValue(text);
    if (value !== undefined) values.set(name, value);
    return value !== undefined;
  }
  const items = text.split(OPERATORS[operator].separator).map(readValue);
  if (items.includes(undefined)) return false;
  // When the segments are joined again, an empty segment before others makes the path absolute.
  if (operator === '/' && !allowUnsafe && items.indexOf('') !== -1 && items.indexOf('') < items.length - 1)
    return false;
  values.set(name, items as string[]);
  return true;
}

/**
 * Reads `name=value` pairs in any order. A name alone has the empty value, and only a list may occur more than once.
 */
function collectNamed(
  byName: ReadonlyMap<string, { readonly name: string; readonly explode: boolean }>,
  pairs: readonly string[],
  readValue: (raw: string) => string | undefined,
  values: MatchedValues,
): boolean {
  for (const pair of pairs) {
    const equals = pair.indexOf('=');
    const variable = byName.get(normalizeTriplets(equals < 0 ? pair : pair.slice(0, equals)));
    const raw = equals < 0 ? '' : pair.slice(equals + 1);
    const value = raw.includes('=') ? undefined : readValue(raw);
    if (variable === undefined || value === undefined) return false;
    const previous = values.get(variable.name);
    if (!variable.explode && previous !== undefined) return false;
    if (Array.isArray(previous)) previous.push(value);
    else values.set(variable.name, variable.explode ? [value] : value);
  }
  return true;
}
