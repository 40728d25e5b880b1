import { CALL_STATES, FILTER_KEYS, type FilterKey, isFilterKey, isNumberKey, MESSAGE_STATES } from './filter-keys.js';

/** Limits of a number. Both are inclusive, unless `isOpen` is set. */
export interface NumberRange {
  readonly min: number;
  readonly max: number;
  /** True if the limits themselves do not match. */
  readonly isOpen: boolean;
}

/** One condition of a filter. It matches if one of its values matches. */
export interface FilterTerm {
  readonly key: FilterKey;
  readonly isNegated: boolean;
  readonly values: readonly string[];
  /** The values as ranges, for a key with numbers. */
  readonly ranges: readonly NumberRange[];
}

/** A part of a filter that is not understood. */
export interface FilterIssue {
  /** Index of the first character. */
  readonly start: number;
  readonly end: number;
  readonly message: string;
}

/** A parsed filter. All terms must match. Parts with issues are not in the terms. */
export interface ParsedFilter {
  readonly terms: readonly FilterTerm[];
  readonly issues: readonly FilterIssue[];
}

/** Maximum length of a filter that is read, in characters. */
const MAX_FILTER = 2000;
const STATES: readonly string[] = [...new Set<string>([...MESSAGE_STATES, ...CALL_STATES])];
const NAMED_TERM = /^([A-Za-z]+):/;
const NUMBER = /^(\d+(?:\.\d+)?)([a-zA-Z]*)$/;
/** Factors of the units of each kind of number. */
const UNITS: Readonly<Record<string, ReadonlyMap<string, number>>> = {
  duration: new Map([
    ['', 1],
    ['ms', 1],
    ['s', 1000],
    ['min', 60_000],
  ]),
  size: new Map([
    ['', 1],
    ['k', 1000],
    ['M', 1_000_000],
  ]),
  number: new Map([['', 1]]),
};
const EXPECTED: Readonly<Record<string, string>> = {
  duration: '>500ms, <2s or 100ms..2s',
  size: '>10k, <1M or 1k..10k',
  number: '3, >3 or 3..5',
};

/** Parses a filter such as `method:tools/call -is:error took:>500ms "a text"`. Never throws. */
export function parseFilter(text: string): ParsedFilter {
  const terms: FilterTerm[] = [];
  const issues: FilterIssue[] = [];
  const read = text.slice(0, MAX_FILTER);
  if (read.length < text.length)
    issues.push({
      start: MAX_FILTER,
      end: text.length,
      message: `the filter is longer than ${MAX_FILTER} characters`,
    });
  let at = 0;
  for (;;) {
    while (/\s/.test(read.charAt(at))) at += 1;
    if (at >= read.length) return { terms, issues };
    const start = at;
    const isNegated = /^-\S/.test(read.slice(at, at + 2));
    if (isNegated) at += 1;
    const [prefix = '', name = ''] = NAMED_TERM.exec(read.slice(at)) ?? [];
    at += prefix.length;
    const key = prefix === '' ? 'text' : name.toLowerCase();
    const values: string[] = [];
    let issue = '';
    do {
      if (values.length > 0) at += 1;
      const value = readValue(read, at, prefix !== '');
      at = value.end;
      values.push(value.text);
      issue ||= value.issue;
    } while (prefix !== '' && read.charAt(at) === ',');
    const ranges = isFilterKey(key) && isNumberKey(key) ? values.map(each => parseRange(each, key)) : [];
    issue ||= isFilterKey(key) ? checkValues(key, values, ranges) : describeUnknownKey(name, read.slice(start, at));
    if (issue !== '') issues.push({ start, end: at, message: issue });
    else if (isFilterKey(key))
      terms.push({ key, isNegated, values, ranges: ranges.filter(range => range !== undefined) });
  }
}

/** Reads a word, or a text in quotation marks, in which a backslash stands before `"` and `\`. */
function readValue(
  text: string,
  start: number,
  isInList: boolean,
): { readonly text: string; readonly end: number; readonly issue: string } {
  if (text.charAt(start) !== '"') {
    const [word = ''] = (isInList ? /^[^\s,]*/ : /^\S*/).exec(text.slice(start)) ?? [];
    return { text: word, end: start + word.length, issue: '' };
  }
  let value = '';
  let at = start + 1;
  while (at < text.length && text.charAt(at) !== '"') {
    if (text.charAt(at) === '\\') at += 1;
    value += text.charAt(at);
    at += 1;
  }
  if (at >= text.length) return { text: value, end: text.length, issue: 'the closing quotation mark is missing' };
  const [rest = ''] = (isInList ? /^[^\s,]*/ : /^\S*/).exec(text.slice(at + 1)) ?? [];
  const issue = rest === '' ? '' : `expected a space after the quotation mark, got ${rest}`;
  return { text: value, end: at + 1 + rest.length, issue };
}

function checkValues(key: FilterKey, values: readonly string[], ranges: readonly (NumberRange | undefined)[]): string {
  const { kind, examples } = FILTER_KEYS[key];
  if (values.includes('')) return `${key}: a value is missing`;
  const wrong = values[ranges.indexOf(undefined)];
  if (wrong !== undefined) return `${key}: expected ${EXPECTED[kind] ?? 'a number'}, got ${wrong}`;
  const allowed = key === 'is' ? STATES : key === 'from' ? examples : undefined;
  const unknown = allowed && values.find(value => !allowed.includes(value.toLowerCase()));
  return unknown === undefined ? '' : `${key}: expected ${allowed?.join(', ')}, got ${unknown}`;
}

const describeUnknownKey = (name: string, term: string): string =>
  `${name}: unknown key. Use ${Object.keys(FILTER_KEYS).join(', ')}, or put the text in quotation marks: "${term}"`;

function parseRange(text: string, key: FilterKey): NumberRange | undefined {
  const { kind } = FILTER_KEYS[key];
  const [, comparison = '', rest = ''] = /^(>=|<=|>|<)?(.*)$/s.exec(text) ?? [];
  if (comparison !== '') {
    const value = parseNumber(rest, kind);
    if (value === undefined) return undefined;
    const isOpen = comparison.length === 1;
    return comparison.startsWith('>')
      ? { min: value, max: Number.POSITIVE_INFINITY, isOpen }
      : { min: Number.NEGATIVE_INFINITY, max: value, isOpen };
  }
  const [from = '', to] = rest.split('..');
  const min = parseNumber(from, kind);
  const max = to === undefined ? min : parseNumber(to, kind);
  // No two durations are equal.
  if (min === undefined || max === undefined || (to === undefined && kind !== 'number')) return undefined;
  return { min, max, isOpen: false };
}

function parseNumber(text: string, kind: string): number | undefined {
  const [, digits, unit = ''] = NUMBER.exec(text) ?? [];
  const factor = UNITS[kind]?.get(unit);
  return digits === undefined || factor === undefined ? undefined : Number(digits) * factor;
}

/** Writes a filter from terms. `parseFilter` gives the same terms again. */
export const formatFilter = (terms: readonly Pick<FilterTerm, 'key' | 'isNegated' | 'values'>[]): string =>
  terms
    .map(({ key, isNegated, values }) => {
      const isPlain = key === 'text' && values.length === 1;
      return `${isNegated ? '-' : ''}${isPlain ? '' : `${key}:`}${values.map(quoteValue).join(',')}`;
    })
    .join(' ');

/** Puts a value in quotation marks, unless it is one word without them. */
export const quoteValue = (value: string): string =>
  /^[^\s",:-][^\s",:]*$/.test(value) ? value : `"${value.replace(/["\\]/g, '\\$&')}"`;
