import { isObject, keepIntegers, parseJsonText, stringifyJson } from '@tenon/base';
import { describe, expect, it } from 'vitest';
import { selectForwardedMeta } from './passed-meta.js';

describe('the `_meta` of a forwarded request', () => {
  it('has no progress token, and all digits of long numbers', () => {
    keepIntegers();
    const meta = parseJsonText('{"progressToken":1,"example.com/id":9007199254740993}');
    const forwarded = isObject(meta) ? selectForwardedMeta(meta) : undefined;
    expect(stringifyJson(forwarded)).toBe('{"example.com/id":9007199254740993}');
  });
});
