import { describe, expect, it } from 'vitest';
import { mapAcceptedNames } from './keys.js';

describe('accepted names', () => {
  const pattern = /^[a-z0-9_-]{1,62}$/i;

  it('are the same where they may be, and others wherever those stand', () => {
    const made = mapAcceptedNames(['a b'], pattern).get('a b') ?? '';
    expect(made).toMatch(/^a_b_h[a-z2-7]{10}$/);
    const names = mapAcceptedNames(['a b', made, 'c'], pattern);
    expect(names.get(made)).toBe(made);
    expect(names.get('c')).toBe('c');
    expect(new Set(names.values()).size).toBe(3);
    expect([...names.keys()]).toEqual(['a b', made, 'c']);
  });

  it('begin as they must', () => {
    expect(mapAcceptedNames(['1 a-b'], /^[a-z][a-z0-9_]*$/).get('1 a-b')).toMatch(/^t_1_a_b_h/);
  });
});
