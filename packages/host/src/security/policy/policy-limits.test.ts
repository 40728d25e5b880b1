import { describe, expect, it } from 'vitest';
import { createPolicy } from './policy.js';
import { MAX_RULES } from './rule-faults.js';
import { deny } from './rules.js';

describe('createPolicy', () => {
  it.each(['maybe', 'toString', ''])('refuses %j as the action without a matching rule', fallback => {
    expect(() => createPolicy([], { fallback: fallback as never })).toThrow('/fallback: invalid value');
  });

  it('accepts as many rules as the limit', () => {
    const rules = (count: number) => Array.from({ length: count }, () => deny());
    expect(createPolicy(rules(MAX_RULES)).rules).toHaveLength(MAX_RULES);
    expect(() => createPolicy(rules(MAX_RULES + 1))).toThrow('invalid value');
  });
});
