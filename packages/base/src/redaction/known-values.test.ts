import { describe, expect, it } from 'vitest';
import { redactKnownValues } from './known-values.js';

describe('redactKnownValues', () => {
  const value = 'Abc+x/f&g "1234"=é';
  it.each([
    ['as it is', value],
    ['in a URL', encodeURIComponent(value)],
    ['in a URL in lower case', encodeURIComponent(value).replace(/%../g, each => each.toLowerCase())],
    ['in a form', new URLSearchParams([['', value]]).toString().slice(1)],
    ['in JSON', JSON.stringify(value).slice(1, -1)],
    ['in JSON with escaped slashes', JSON.stringify(value).slice(1, -1).replaceAll('/', '\\/')],
    ['in JSON in ASCII', 'Abc\\u002Bx/f\\u0026g \\u00221234\\u0022=\\u00e9'],
  ])('removes a value that occurs %s', (_, text) => {
    expect(redactKnownValues(`a ${text} b ${text}`, [value])).toBe('a … b …');
  });

  it('takes values and the mark literally, and skips an empty value', () => {
    expect(redactKnownValues('a.c abc', ['', 'a.c'], '$&')).toBe('$& abc');
  });
});
