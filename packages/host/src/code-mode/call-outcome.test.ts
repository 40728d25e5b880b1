import { keepIntegers, parseJsonText, toJsonObject } from '@tenon/base';
import { expect, it } from 'vitest';
import { toOutcome } from './call-outcome.js';

it('gives integers that JavaScript would round to a program as texts, and all other numbers as numbers', () => {
  keepIntegers();
  const structuredContent = '{"id":9007199254740993,"list":[12345678901234567890,7],"ratio":0.10000000000000000555}';
  const result = toJsonObject(parseJsonText(`{"content":[],"structuredContent":${structuredContent}}`));
  expect(toOutcome('find', result, 1000)).toEqual({
    ok: true,
    json: '{"id":"9007199254740993","list":["12345678901234567890",7],"ratio":0.1}',
  });
});
