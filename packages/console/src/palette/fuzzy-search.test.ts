import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rateMatch, searchEntries, toSearchText } from './fuzzy-search.js';

const toEntries = (titles: readonly string[]) => titles.map(title => ({ title, text: toSearchText(title) }));
const find = (titles: readonly string[], query: string, max = 10) =>
  searchEntries(toEntries(titles), query, max).map(({ title }) => title);

describe('the search of the palette', () => {
  it.each<[query: string, best: string]>([
    ['add', 'notes add'],
    ['nad', 'notes add'],
    ['wire', 'Wire'],
    ['fi se', 'files search_text'],
    ['sext', 'files search_text'],
    ['LIST', 'files list_folder'],
  ])('finds the best entry for %s [con.keys]', (query, best) => {
    const titles = [
      'files search_text',
      'files list_folder',
      'notes add',
      'Wire',
      'Calls',
      'notes remove and add back',
    ];
    expect(find(titles, query)[0]).toBe(best);
  });

  it('prefers the beginning of a text and of a word, and short texts', () => {
    expect(find(['xecho', 'an echo', 'echo it', 'echo'], 'echo')).toEqual(['echo', 'echo it', 'an echo', 'xecho']);
  });

  it('keeps the order of the entries without a query', () => expect(find(['b', 'a', 'c'], ' ', 2)).toEqual(['b', 'a']));

  it('prefers no beginning of a word after which the rest of the query does not follow', () => {
    // The beginning of the second word is the last `b`, and no `c` follows it.
    expect(rateMatch(toSearchText('bc'), toSearchText('abdc b'))).toBeGreaterThan(0);
  });

  it('finds a text by each of its subsequences, and by nothing else', () =>
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z ]{1,20}$/), fc.infiniteStream(fc.boolean()), (text, choices) => {
        const query = [...text].filter(character => character !== ' ' && choices.next().value).join('');
        if (query === '') return;
        expect(rateMatch(toSearchText(query), toSearchText(text))).toBeGreaterThan(0);
        expect(rateMatch(toSearchText(`${query}0`), toSearchText(text))).toBe(0);
      }),
    ));

  it('returns no more entries than are shown, of 10,000', () => {
    const titles = Array.from({ length: 10_000 }, (_, index) => `server-${index % 7} tool_${index}`);
    expect(find(titles, 'tool_9999', 50)[0]).toBe('server-3 tool_9999');
    expect(find(titles, 'sertool', 50)).toHaveLength(50);
  });
});
