import { describe, expect, it } from 'vitest';
import { redactValue } from './redaction.js';

const nest = (depth: number): unknown => (depth === 0 ? { a: 1 } : { a: nest(depth - 1) });

describe('redactValue', () => {
  it('keeps 16 levels of nesting, and replaces what is deeper', () => {
    expect(JSON.stringify(redactValue(nest(15)))).toBe(JSON.stringify(nest(15)));
    expect(JSON.stringify(redactValue(nest(16)))).toBe(
      JSON.stringify(nest(16)).replace('{"a":1}', '"(nested too deeply)"'),
    );
  });
});
