import { expect, test } from 'vitest';
import { processTerm } from '../../docs/.vitepress/search-terms.js';

test.each([
  ['Servers', 'server'],
  ['access', 'access'],
  ['sse', 'sse'],
  ['io', 'io'],
  ['oauth2', 'oauth2'],
  ['the', null],
  ['2026', null],
  ['x', null],
])('indexes the word %s of a page as %s', (word, term) => {
  expect(processTerm(word)).toBe(term);
});

test('uses nothing outside its own text, because the page evaluates it', () => {
  const evaluated: unknown = new Function(`return ${processTerm}`)();
  if (typeof evaluated !== 'function') throw new Error('Not a function.');
  expect(['Servers', 'the'].map(word => evaluated(word))).toEqual(['server', null]);
});
