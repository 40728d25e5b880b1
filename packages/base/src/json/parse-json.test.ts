import { expect, it } from 'vitest';
import { parseJsonObject, tryParseJson } from './parse-json.js';

it('returns undefined for a text that is not JSON', () => {
  expect(tryParseJson('[1]')).toEqual([1]);
  for (const text of ['', '{', 'undefined', '{a:1}']) expect(tryParseJson(text)).toBeUndefined();
});

it('returns only objects where an object is expected', () => {
  expect(parseJsonObject('{"a":1}')).toEqual({ a: 1 });
  for (const text of ['[1]', 'null', '"a"', '{']) expect(parseJsonObject(text)).toBeUndefined();
});
