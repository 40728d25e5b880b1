import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { takeRuns } from '../../../../../test/support/extent.js';
import { parseJsonTree, type SyntaxLimits, toValue } from './parse-json.js';

const bounds = { maxDepth: 100, lenient: true };

const readBack = (text: string): unknown => {
  const tree = parseJsonTree(text, bounds);
  return 'fault' in tree ? tree : toValue(tree);
};

describe('parseJsonTree', () => {
  it('returns the tree of JSON, whatever the comments contain', () => {
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

  it('locates each member, also those with equal names', () => {
    const text = '{ // "x": 0,\r\n "a": [1,\n/* two */ 2, ], "a": "\\u0062", "__proto__": 1e400, }';
    const tree = parseJsonTree(text, bounds);
    if ('fault' in tree || tree.kind !== 'object') throw new Error('no object');
    expect(tree.members.map(member => [member.name, member.offset, member.value.offset])).toEqual([
      ['a', text.indexOf('"a"'), text.indexOf('[')],
      ['a', text.lastIndexOf('"a"'), text.indexOf('"\\u')],
      ['__proto__', text.indexOf('"__'), text.indexOf('1e')],
    ]);
    const [first, second, third] = tree.members.map(({ value }) => value);
    expect(first?.kind === 'array' && first.items.map(({ offset }) => offset)).toEqual([
      text.indexOf('1,'),
      text.indexOf('2, ]'),
    ]);
    expect(second).toMatchObject({ kind: 'scalar', value: 'b' });
    expect(third).toMatchObject({ kind: 'scalar', value: Number.POSITIVE_INFINITY });
  });

  it('parses without recursion, and refuses text that is too deep', () => {
    expect(readBack(`${'//\n'.repeat(100_000)}1${'/**/'.repeat(100_000)}`)).toBe(1);
    expect(parseJsonTree('['.repeat(100_000) + ']'.repeat(100_000), bounds)).toMatchObject({
      fault: 'TooDeep',
      offset: 100,
    });
    expect(parseJsonTree('{"a":'.repeat(1000) + '1'.padEnd(1001, '}'), { maxDepth: 1000 })).toMatchObject({
      kind: 'object',
    });
  });

  it('refuses line breaks and control characters in strings', () => {
    expect(parseJsonTree('["a\r\nb"]', bounds)).toMatchObject({ fault: 'UnexpectedEndOfString', offset: 1 });
    expect(parseJsonTree('["a\tb"]', bounds)).toMatchObject({ fault: 'InvalidCharacter', offset: 1 });
  });
});

/** The fault of a text and its place, if there is one. */
function findSyntaxFault(text: string, limits: SyntaxLimits) {
  const tree = parseJsonTree(text, limits);
  return 'fault' in tree ? { fault: tree.fault, offset: tree.offset } : undefined;
}

const strict = { maxDepth: 100 };
const lenient = { maxDepth: 100, lenient: true };

describe('findSyntaxFault', () => {
  it.each<[string, string, number]>([
    ['', 'ValueExpected', 0],
    [' \n', 'ValueExpected', 2],
    ['\uFEFF{}', 'InvalidSymbol', 0],
    ['{', 'CloseBraceExpected', 1],
    ['{"a":\n', 'ValueExpected', 6],
    ['{"a":1\n\n', 'CloseBraceExpected', 8],
    ['[1\n', 'CloseBracketExpected', 3],
    ['[1,\n', 'ValueExpected', 4],
    ['[1}', 'CommaExpected', 2],
    ['[}', 'ValueExpected', 1],
    ['{"a" 1}', 'ColonExpected', 5],
    ['{"a":1 "b":2}', 'CommaExpected', 7],
    ['{a:1}', 'InvalidSymbol', 1],
    ['{1:1}', 'PropertyNameExpected', 1],
    ['{,}', 'ValueExpected', 1],
    ['{"a":1,}', 'PropertyNameExpected', 7],
    ['[1,]', 'ValueExpected', 3],
    ['1 2', 'EndOfFileExpected', 2],
    ['01', 'EndOfFileExpected', 1],
    ['[1.]', 'UnexpectedEndOfNumber', 1],
    ['[1e+]', 'UnexpectedEndOfNumber', 1],
    ['[-]', 'InvalidSymbol', 1],
    ['[truefalse]', 'InvalidSymbol', 1],
    ['["a\nb"]', 'UnexpectedEndOfString', 1],
    ['["a\rb"]', 'UnexpectedEndOfString', 1],
    ['["a', 'UnexpectedEndOfString', 1],
    ['["a\\', 'UnexpectedEndOfString', 1],
    ['["\u001f"]', 'InvalidCharacter', 1],
    ['["\u0001"]', 'InvalidCharacter', 1],
    ['["\\x"]', 'InvalidEscapeCharacter', 1],
    ['["\\u12g4"]', 'InvalidUnicode', 1],
    ['["\\u123"]', 'InvalidUnicode', 1],
    ['{} // so', 'InvalidCommentToken', 3],
    ['/* so', 'InvalidCommentToken', 0],
    ['1/2', 'InvalidSymbol', 1],
  ])('finds in %j %s at %d', (text, fault, offset) => {
    expect(findSyntaxFault(text, strict)).toEqual({ fault, offset });
  });

  it('allows comments and trailing commas with the options', () => {
    expect(findSyntaxFault('// a\n[1, /* ] */ {"a": 2,},\r\n] //', lenient)).toBeUndefined();
    expect(findSyntaxFault('[,]', lenient)).toEqual({ fault: 'ValueExpected', offset: 1 });
    expect(findSyntaxFault('[1,,]', lenient)).toEqual({ fault: 'ValueExpected', offset: 3 });
    expect(findSyntaxFault('{"a":1,,}', lenient)).toEqual({ fault: 'PropertyNameExpected', offset: 7 });
    expect(findSyntaxFault('1 /*/', lenient)).toEqual({ fault: 'UnexpectedEndOfComment', offset: 2 });
  });

  it('reports text that is too deep or has too many values', () => {
    expect(findSyntaxFault('[[1]]', { maxDepth: 2 })).toBeUndefined();
    expect(findSyntaxFault('[[[', { maxDepth: 2 })).toEqual({ fault: 'TooDeep', offset: 2 });
    expect(findSyntaxFault('['.repeat(1e6), { maxDepth: 1000 })).toEqual({ fault: 'TooDeep', offset: 1000 });
    const four = '{"a": [1, "b"], "c": {}}';
    expect(findSyntaxFault(four, { maxDepth: 9, maxValues: 5 })).toBeUndefined();
    expect(findSyntaxFault(four, { maxDepth: 9, maxValues: 4 })).toEqual({ fault: 'TooMany', offset: 21 });
  });

  it('finds a fault exactly where JSON.parse does', () => {
    const marks = ['{', '}', '[', ']', ',', ':', '"', '"a"', '\\', '\\u00e9', '\\u0', '-', '0', '12', '.', 'e', '+'];
    const others = ['true', 'null', 'fals', '//', '/*', '*/', ' ', '\n', '\r', '\u0001', '\u2028', '\u00a0', '\uFEFF'];
    const wild = fc.array(fc.constantFrom(...marks, ...others), { maxLength: 9 }).map(parts => parts.join(''));
    const spoiled = fc
      .tuple(fc.json(), fc.nat(), fc.nat(1), fc.constantFrom('', ...marks, ...others))
      .map(([json, at, position, put]) => {
        const place = at % (json.length + 1);
        return json.slice(0, place) + put + json.slice(place + position);
      });
    const parses = (text: string) => {
      try {
        JSON.parse(text);
        return true;
      } catch {
        return false;
      }
    };
    fc.assert(
      fc.property(fc.oneof(wild, spoiled, fc.json(), fc.string({ unit: 'binary' })), text => {
        expect(findSyntaxFault(text, strict) === undefined).toBe(parses(text));
      }),
      { numRuns: takeRuns(3000) },
    );
  });
});
