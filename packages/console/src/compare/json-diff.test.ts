import { keepIntegers, parseJsonText } from '@tenon/base';
import { describe, expect, it } from 'vitest';
import { diffJson } from './json-diff.js';

keepIntegers();

const diff = (before: string, after: string) => diffJson(parseJsonText(before), parseJsonText(after));

describe('the difference of two JSON values [con.diff]', () => {
  it('ignores the order of members', () => {
    expect(diff('{"a":1,"b":{"c":[1,2]}}', '{"b":{"c":[1,2]},"a":1}')).toMatchObject({
      differences: 0,
      diff: { kind: 'same' },
    });
  });

  it('lists changed, removed and added members by name, and counts the equal ones', () => {
    expect(diff('{"z":1,"same":true,"a":{"x":1}}', '{"a":{"x":2,"y":null},"same":true}')).toEqual({
      differences: 3,
      isShortened: false,
      diff: {
        kind: 'nested',
        key: '',
        isList: false,
        equal: 1,
        members: [
          {
            kind: 'nested',
            key: 'a',
            isList: false,
            equal: 0,
            members: [
              { kind: 'changed', key: 'x', before: '1', after: '2' },
              { kind: 'added', key: 'y', after: 'null' },
            ],
          },
          { kind: 'removed', key: 'z', before: '1' },
        ],
      },
    });
  });

  it('finds the item that was inserted into a list', () => {
    expect(diff('[{"n":1},{"n":2}]', '[{"n":1},{"n":9},{"n":2}]')).toMatchObject({
      differences: 1,
      diff: { members: [{ kind: 'added', key: '1', after: '{"n":9}' }], equal: 2 },
    });
  });

  it('compares all digits of long numbers, in objects and in lists', () => {
    const [one, other] = ['12345678901234567890', '12345678901234567891'];
    expect(diff(`{"id":${one}}`, `{"id":${other}}`).diff).toMatchObject({
      members: [{ kind: 'changed', before: one, after: other }],
    });
    expect(diff(`[${one}]`, `[${other}]`).differences).toBe(1);
    expect(diff(`[{"id":${one}}]`, `[{"id":${other}}]`).differences).toBe(1);
    expect(diff(`[${one}]`, `[${one}]`).differences).toBe(0);
  });

  it('compares members named __proto__, and values of other kinds', () => {
    expect(diff('{"__proto__":{"a":1}}', '{"__proto__":{"a":2}}').differences).toBe(1);
    expect(diff('{"a":[]}', '{"a":{}}').differences).toBe(1);
    expect(diff('null', '[]').differences).toBe(1);
  });

  it('compares values as a whole beyond its limit of work', () => {
    const many = (last: number) =>
      `{"few":1,"many":${JSON.stringify([...Array.from({ length: 30_000 }, () => 0), last])}}`;
    expect(diff(many(1), many(2))).toMatchObject({ differences: 1, isShortened: true });
    expect(diff(many(1), many(1))).toMatchObject({ differences: 0 });
  });
});
