import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitLine } from './split-line.js';

describe('splitLine', () => {
  it.each([
    ['', ['']],
    ['tenon', ['tenon']],
    ['tenon ', ['tenon', '']],
    ['tenon  call \'a b\'\t"c d" e\\ f', ['tenon', 'call', 'a b', 'c d', 'e f']],
    ["tenon ''  x", ['tenon', '', 'x']],
    ['tenon "open quote', ['tenon', 'open quote']],
    ['tenon a\\', ['tenon', 'a']],
    ['tenon $(rm x)', ['tenon', '$(rm', 'x)']],
    ["a='b c'd", ['a=b cd']],
  ])('splits %j', (line, words) => expect(splitLine(line)).toEqual(words));

  it('returns the words that were quoted', () =>
    fc.assert(
      fc.property(fc.array(fc.string(), { minLength: 1 }), words => {
        const line = words.map(word => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
        const expected = splitLine(line);
        // The last word is open until a space follows.
        expect(expected).toEqual(words);
      }),
    ));
});
