import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findSyntaxFault, type SyntaxFaultKind } from './json-syntax.js';

const strict = { maxDepth: 100 };
const lenient = { maxDepth: 100, lenient: true };

describe('syntax errors of JSON', () => {
  it.each<[string, SyntaxFaultKind, number]>([
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
  ])('is, of %j, %s at %d', (text, fault, offset) => {
    expect(findSyntaxFault(text, strict)).toEqual({ fault, offset });
  });

  it('is less where comments are allowed, and commas at the end', () => {
    expect(findSyntaxFault('// a\n[1, /* ] */ {"a": 2,},\r\n] //', lenient)).toBeUndefined();
    expect(findSyntaxFault('[,]', lenient)).toEqual({ fault: 'ValueExpected', offset: 1 });
    expect(findSyntaxFault('[1,,]', lenient)).toEqual({ fault: 'ValueExpected', offset: 3 });
    expect(findSyntaxFault('{"a":1,,}', lenient)).toEqual({ fault: 'PropertyNameExpected', offset: 7 });
    expect(findSyntaxFault('1 /*/', lenient)).toEqual({ fault: 'UnexpectedEndOfComment', offset: 2 });
  });

  it('is also that it is too deep, or too much', () => {
    expect(findSyntaxFault('[[1]]', { maxDepth: 2 })).toBeUndefined();
    expect(findSyntaxFault('[[[', { maxDepth: 2 })).toEqual({ fault: 'TooDeep', offset: 2 });
    expect(findSyntaxFault('['.repeat(1e6), { maxDepth: 1e7 })?.fault).toBe('CloseBracketExpected');
    const four = '{"a": [1, "b"], "c": {}}';
    expect(findSyntaxFault(four, { maxDepth: 9, maxValues: 5 })).toBeUndefined();
    expect(findSyntaxFault(four, { maxDepth: 9, maxValues: 4 })).toEqual({ fault: 'TooMany', offset: 21 });
  });

  it('is found wherever JSON.parse finds something', () => {
    const marks = ['{', '}', '[', ']', ',', ':', '"', '"a"', '\\', '\\u00e9', '\\u0', '-', '0', '12', '.', 'e', '+'];
    const others = ['true', 'null', 'fals', '//', '/*', '*/', ' ', '\n', '\r', '\u0001', '\u2028', '\u00a0', '\uFEFF'];
    const wild = fc.array(fc.constantFrom(...marks, ...others), { maxLength: 9 }).map(parts => parts.join(''));
    const spoiled = fc
      .tuple(fc.json(), fc.nat(), fc.nat(1), fc.constantFrom('', ...marks, ...others))
      .map(([json, at, cut, put]) => {
        const place = at % (json.length + 1);
        return json.slice(0, place) + put + json.slice(place + cut);
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
      { numRuns: 3000 },
    );
  });

  it('comes after what is told on the way', () => {
    const told: unknown[] = [];
    findSyntaxFault('{"a": {"\\u0061": 1} /* c */, "b" 2}', lenient, {
      onComment: (start, end) => told.push([start, end]),
      onObjectStart: () => told.push('{'),
      onObjectEnd: () => told.push('}'),
      onName: (written, offset) => told.push([written, offset]),
    });
    expect(told).toEqual(['{', ['"a"', 1], '{', ['"\\u0061"', 7], '}', [20, 27], ['"b"', 29]]);
  });
});
