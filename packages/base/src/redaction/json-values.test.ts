import { keepIntegers, parseJsonText, stringifyJson } from '@tenon/base';
import { describe, expect, it } from 'vitest';
import { redactValue } from './json-values.js';

const nest = (depth: number): unknown => (depth === 0 ? { a: 1 } : { a: nest(depth - 1) });

describe('redactValue', () => {
  it('keeps all digits of long numbers', () => {
    keepIntegers();
    const text = '{"ids":[9007199254740993],"id":123456789012345678901,"token":9007199254740995}';
    const shown = stringifyJson(redactValue(parseJsonText(text)));
    expect(shown).toContain('"ids":[9007199254740993],"id":123456789012345678901,');
    expect(shown).not.toContain('9007199254740995');
  });

  it('hides all values below a member with a secret name', () => {
    const value = { password: { value: 'a', all: [{ at: 1 }], none: null }, user: { value: 'b' } };
    expect(redactValue(value)).toEqual({
      password: { value: '…', all: [{ at: '…' }], none: null },
      user: { value: 'b' },
    });
  });

  it('keeps 16 levels of nesting, and replaces what is deeper', () => {
    expect(JSON.stringify(redactValue(nest(15)))).toBe(JSON.stringify(nest(15)));
    expect(JSON.stringify(redactValue(nest(16)))).toBe(
      JSON.stringify(nest(16)).replace('{"a":1}', '"(nested too deeply)"'),
    );
  });
});
