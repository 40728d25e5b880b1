import { systemClock } from '@tenon/base';
import { fakeClock } from '@tenon/testing';
import { describe, expect, it } from 'vitest';
import type { Tool } from '../../../../tenon/src/protocol/content.js';
import { type CatalogEntry, createCatalogSearch } from './catalog-search.js';
import { createMeaningSearch } from './meaning-search.js';
import { type EmbedTexts, VectorCache } from './vector-cache.js';

const tool = (name: string, description: string): Tool => ({ name, description, inputSchema: { type: 'object' } });
const ENTRIES: readonly CatalogEntry[] = [
  { name: 'mail', server: 's', tool: tool('send_mail', 'Sends a letter.') },
  { name: 'dog', server: 's', tool: tool('walk_dog', 'Goes out with the animal.') },
  { name: 'cat', server: 's', tool: tool('feed_cat', 'Gives food.') },
];
/** Two dimensions: pets and mail. */
const embedByTopic: EmbedTexts = async texts =>
  texts.map(text => [/dog|cat|pet|kitten/.test(text) ? 1 : 0, /mail|letter|post/.test(text) ? 1 : 0]);
const createSearch = (embed: EmbedTexts, entries = ENTRIES) =>
  createMeaningSearch(entries, createCatalogSearch(entries), new VectorCache(embed, systemClock));
const findNames = async (embed: EmbedTexts, query: string, limit = 3) =>
  (await createSearch(embed).search(query, { limit })).map(({ name }) => name);

describe('the search by meaning', () => {
  it('finds tools without a common word, and those with common words too', async () => {
    expect(await findNames(embedByTopic, 'kitten', 2)).toEqual(['cat', 'dog']);
    expect(await findNames(embedByTopic, 'food for a kitten', 1)).toEqual(['cat']);
  });

  it('gives a tool first when the query is its name', async () => {
    expect((await findNames(embedByTopic, 'mail'))[0]).toBe('mail');
    expect((await findNames(async texts => texts.map(text => [text === 'dog' ? -1 : 1]), 'dog'))[0]).toBe('dog');
  });

  it('embeds the tools once, in batches of 100', async () => {
    const sizes: number[] = [];
    const embed: EmbedTexts = async texts => {
      sizes.push(texts.length);
      return embedByTopic(texts);
    };
    const many = Array.from({ length: 250 }, (_, i) => ({ name: `t${i}`, server: 's', tool: tool(`t${i}`, 'a pet') }));
    const search = createSearch(embed, many);
    await search.search('pet', { limit: 1 });
    await search.search('post', { limit: 1 });
    expect(sizes.sort((a, b) => a - b)).toEqual([1, 1, 50, 100, 100]);
  });

  it('rejects vectors that do not fit, and tries again at the next search', async () => {
    await expect(findNames(async () => [], 'pet')).rejects.toThrow('embed: returned 0 vectors. Expected');
    await expect(findNames(async texts => texts.map((_, i) => Array(texts.length + i).fill(1)), 'pet')).rejects.toThrow(
      'Expected one length for all',
    );
    let isDown = true;
    const search = createSearch(async texts => {
      if (isDown) throw new Error('model is down');
      return embedByTopic(texts);
    });
    await expect(search.search('pet', { limit: 1 })).rejects.toThrow('model is down');
    isDown = false;
    expect((await search.search('letter', { limit: 1 }))[0]?.name).toBe('mail');
  });

  it('embeds a text once for several lists, and again after a failure or a minute without a vector', async () => {
    const clock = fakeClock();
    const requests: string[][] = [];
    let answer: (texts: readonly string[]) => Promise<number[][]> = async texts => texts.map(() => [1]);
    const vectorCache = new VectorCache(
      texts => {
        requests.push([...texts]);
        return answer(texts);
      },
      clock,
      3,
    );
    await vectorCache.getVectors(['a', 'b']);
    await vectorCache.getVectors(['b', 'c']);
    expect(requests).toEqual([['a', 'b'], ['c']]);
    answer = () => new Promise(() => {});
    void vectorCache.getVectors(['d']);
    await Promise.resolve();
    answer = async texts => texts.map(() => [2]);
    void vectorCache.getVectors(['d']);
    await clock.advance(60_001);
    expect(await vectorCache.getVectors(['d'])).toEqual([[2]]);
    // Three texts are kept, and `a` was the first.
    await vectorCache.getVectors(['c', 'a']);
    expect(requests.slice(2)).toEqual([['d'], ['d'], ['a']]);
  });
});
