import { describe, expect, it } from 'vitest';
import { countTogether, type ValueOperation } from './value-statements.js';

const get = (key: string): ValueOperation => ({ kind: 'get', key });
const list = (first: string, end: string): ValueOperation => ({ kind: 'list', first, end, limit: 10 });
const put = (key: string, text = '{}'): ValueOperation => ({
  kind: 'write',
  key,
  text,
  version: undefined,
  ttl: undefined,
});

describe('countTogether', () => {
  it.each<[string, readonly ValueOperation[], number]>([
    ['writes of different keys', [put('a'), put('b'), put('c')], 3],
    ['reads after a write of their key', [put('a'), get('a'), list('a', 'b')], 3],
    ['a write after reads of other keys', [get('a'), list('c', 'd'), put('b')], 3],
    ['no two writes of one key', [put('a'), put('b'), put('a')], 2],
    ['no write after a read of its key', [get('a'), put('a')], 1],
    ['no write after a list with its key', [get('b'), list('a', 'b'), put('a')], 2],
    ['no more than 256', Array.from({ length: 300 }, (_, n) => put(`k${n}`)), 256],
    ['writes of 4 Mi characters together', [put('a', 'x'.repeat(2 ** 22)), put('b')], 1],
    ['one write that is larger', [put('a', 'x'.repeat(2 ** 22 + 1)), get('b'), put('b')], 2],
  ])('returns the number of %s', (_, operations, count) => {
    expect(countTogether(operations)).toBe(count);
  });
});
