import { evaluate } from '@humanwhocodes/momoa';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { getMemberName, getOffset, parseTree } from './json-tree.js';

const bounds = { maxDepth: 100 };

const readBack = (text: string): unknown => {
  const tree = parseTree(text, bounds);
  return 'fault' in tree ? tree : evaluate(tree);
};

describe('the tree of a text', () => {
  it('is that of JSON, whatever stands in comments', () => {
    const gap = fc.constantFrom('', ' ', '\r\n', '// "\r', '/* [{" */', '/**/', '//\n', '/***/');
    fc.assert(
      fc.property(fc.jsonValue(), fc.array(gap, { minLength: 1, maxLength: 20 }), (value, gaps) => {
        let at = 0;
        // Of a list of its tokens, with something between them.
        const tokens = JSON.stringify(value).match(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^{}[\],:"]+/g) ?? [];
        const line = (each: string) => (each.startsWith('//') ? `${each}\n` : each);
        const text = tokens.map(token => line(gaps[at++ % gaps.length] ?? '') + token).join('');
        expect(readBack(text)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('has each member in its place, also those that share a name', () => {
    const text = '{ // "x": 0,\r\n "a": [1,\n/* two */ 2, ], "a": "\\u0062", "__proto__": 1e400, }';
    const tree = parseTree(text, bounds);
    if (!('type' in tree) || tree.type !== 'Object') throw new Error('no object');
    expect(tree.members.map(member => [getMemberName(member), getOffset(member), getOffset(member.value)])).toEqual([
      ['a', text.indexOf('"a"'), text.indexOf('[')],
      ['a', text.lastIndexOf('"a"'), text.indexOf('"\\u')],
      ['__proto__', text.indexOf('"__'), text.indexOf('1e')],
    ]);
    const [first, second, third] = tree.members.map(({ value }) => value);
    expect(first?.type === 'Array' && first.elements.map(({ value }) => getOffset(value))).toEqual([
      text.indexOf('1,'),
      text.indexOf('2, ]'),
    ]);
    expect(second).toMatchObject({ type: 'String', value: 'b' });
    expect(third).toMatchObject({ type: 'Number', value: Number.POSITIVE_INFINITY });
  });

  it('needs no stack for what is not deep, and is none of what is', () => {
    expect(readBack(`${'//\n'.repeat(100_000)}1${'/**/'.repeat(100_000)}`)).toBe(1);
    expect(parseTree('['.repeat(100_000) + ']'.repeat(100_000), bounds)).toEqual({ fault: 'TooDeep', offset: 100 });
    expect(parseTree('{"a":'.repeat(1000) + '1'.padEnd(1001, '}'), { maxDepth: 1000 })).toMatchObject({
      type: 'Object',
    });
  });

  it('is none of a text with line breaks or other signs in its strings', () => {
    expect(parseTree('["a\r\nb"]', bounds)).toEqual({ fault: 'UnexpectedEndOfString', offset: 1 });
    expect(parseTree('["a\tb"]', bounds)).toEqual({ fault: 'InvalidCharacter', offset: 1 });
  });
});
