import type { CallView, WireRow } from '../api.js';
import { type ExactKey, FILTER_KEYS, isNumberKey, type NumberKey, type TextKey } from './filter-keys.js';
import type { FilterTerm } from './parse-filter.js';

/** Reads the members of an item that a filter compares. */
interface FilterReader<T> {
  readText(item: T, key: TextKey | ExactKey): string | undefined;
  readNumber(item: T, key: NumberKey): number | undefined;
  isInState(item: T, state: string): boolean;
  /** Tells if a text, in lower case, is in a message of the item. */
  hasText(item: T, text: string): boolean;
}

type Predicate<T> = (item: T) => boolean;

/** Messages that a filter needs besides the row itself. */
export interface RowSources {
  findResponse(request: number): WireRow | undefined;
  /** Tells if the body of a message has a text. */
  hasText(seq: number, text: string): boolean;
}

/** Creates the predicate of a filter for messages. */
export function createRowFilter(terms: readonly FilterTerm[], sources: RowSources): Predicate<WireRow> {
  return createPredicate<WireRow>(terms, {
    readText: (row, key) => (key === 'id' ? (row.id === undefined ? undefined : String(row.id)) : row[key]),
    readNumber: (row, key) => (key === 'took' ? (row.took ?? sources.findResponse(row.seq)?.took) : row[key]),
    isInState: (row, state) => {
      if (state === 'error') return row.kind === 'error' || row.isError === true;
      if (state === 'app') return row.hop === 'app';
      if (state === 'open') return row.kind === 'request' && sources.findResponse(row.seq) === undefined;
      return row.kind === state;
    },
    hasText: ({ seq }, text) => sources.hasText(seq, text),
  });
}

/** Creates the predicate of a filter for calls. A text is searched in the messages of the call. */
export function createCallFilter(
  terms: readonly FilterTerm[],
  hasText: (call: number, text: string) => boolean,
): Predicate<CallView> {
  return createPredicate<CallView>(terms, {
    readText(call, key) {
      if (key === 'version') return call.protocolVersion;
      return key === 'id' || key === 'from' ? undefined : call[key];
    },
    readNumber(call, key) {
      if (key === 'call') return call.id;
      return key === 'took' ? (call.took ?? undefined) : undefined;
    },
    isInState: (call, state) => (state === 'error' ? call.isError || call.state === 'failed' : call.state === state),
    hasText: ({ id, name }, text) => name.toLowerCase().includes(text) || hasText(id, text),
  });
}

/** Tells if later messages can change the result for an earlier one, because a response changes its request. */
export const dependsOnResponses = (terms: readonly FilterTerm[]): boolean =>
  terms.some(({ key, values }) => key === 'took' || (key === 'is' && values.some(each => /^open$/i.test(each))));

/** Lists the texts, in lower case, that are searched in the bodies of messages. */
export const listTexts = (terms: readonly FilterTerm[]): string[] => [
  ...new Set(terms.flatMap(({ key, values }) => (key === 'text' ? values.map(each => each.toLowerCase()) : []))),
];

function createPredicate<T>(terms: readonly FilterTerm[], reader: FilterReader<T>): Predicate<T> {
  const conditions = terms.map(term => createCondition(term, reader));
  return item => conditions.every(condition => condition(item));
}

function createCondition<T>({ key, isNegated, values, ranges }: FilterTerm, reader: FilterReader<T>): Predicate<T> {
  const wanted = values.map(value => value.toLowerCase());
  const matches = (item: T): boolean => {
    if (isNumberKey(key)) {
      const number = reader.readNumber(item, key);
      if (number === undefined) return false;
      return ranges.some(({ min, max, isOpen }) =>
        isOpen ? number > min && number < max : number >= min && number <= max,
      );
    }
    if (key === 'text') return wanted.some(value => reader.hasText(item, value));
    if (key === 'is') return wanted.some(value => reader.isInState(item, value));
    const text = reader.readText(item, key)?.toLowerCase();
    if (text === undefined) return false;
    const isExact = FILTER_KEYS[key].kind === 'exact';
    return wanted.some(value => (isExact ? text === value : text.includes(value)));
  };
  return isNegated ? item => !matches(item) : matches;
}
