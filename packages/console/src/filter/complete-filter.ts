import { FILTER_KEYS, type FilterKey, isFilterKey } from './filter-keys.js';
import { quoteValue } from './parse-filter.js';

/** A text that can stand at the cursor. */
export interface Suggestion {
  /** The whole filter with the suggestion. */
  readonly filter: string;
  /** Position of the cursor after it. */
  readonly cursor: number;
  readonly label: string;
  readonly description: string;
}

const MAX_SUGGESTIONS = 12;

/** Values of the messages, for completion. */
export type FilterValues = { readonly [K in FilterKey]?: readonly string[] };

/** Suggests keys, or values of the key before the cursor. Empty at a text that is no beginning of either. */
export function completeFilter(filter: string, cursor: number, values: FilterValues): Suggestion[] {
  const before = filter.slice(0, cursor);
  const after = filter.slice(cursor);
  // A word that goes on after the cursor is being corrected.
  if (/^\S/.test(after)) return [];
  const [word = ''] = /\S*$/.exec(before) ?? [];
  // In an open quotation, spaces belong to the value.
  if ((before.match(/(?<!\\)"/g)?.length ?? 0) % 2 === 1) return [];
  const head = before.slice(0, before.length - word.length);
  const [, minus = '', plain = ''] = /^(-?)(.*)$/s.exec(word) ?? [];
  const [, name = '', given] = /^([A-Za-z]+):(.*)$/s.exec(plain) ?? [];
  const create = (inserted: string, label: string, description: string): Suggestion => ({
    filter: `${head}${minus}${inserted}${after}`,
    cursor: head.length + minus.length + inserted.length,
    label,
    description,
  });
  if (given === undefined)
    return Object.entries(FILTER_KEYS)
      .filter(([key]) => key.startsWith(plain.toLowerCase()))
      .map(([key, { description }]) => create(`${key}:`, `${key}:`, description))
      .slice(0, MAX_SUGGESTIONS);
  const key = name.toLowerCase();
  if (!isFilterKey(key)) return [];
  const [, list = '', last = ''] = /^(.*,)?([^,]*)$/s.exec(given) ?? [];
  const known = [...new Set([...(values[key] ?? []), ...FILTER_KEYS[key].examples])];
  return known
    .filter(value => value !== last && value.toLowerCase().includes(last.toLowerCase()))
    .slice(0, MAX_SUGGESTIONS)
    .map(value => create(`${key}:${list}${/^[<>]/.test(value) ? value : quoteValue(value)} `, value, ''));
}
