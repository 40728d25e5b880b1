import { describe, expect, it } from 'vitest';
import { doesRuleCover } from './rule-coverage.js';
import { allow, deny } from './rules.js';

describe('a rule with an exact name', () => {
  it('covers this name only, also if the name contains the characters of a wildcard', () => {
    const exact = deny({ tool: { exact: 'read*' } });
    expect(doesRuleCover(exact, deny({ tool: { exact: 'read*' } }))).toBe(true);
    expect(doesRuleCover(exact, deny({ tool: { exact: 'read_file' } }))).toBe(false);
    expect(doesRuleCover(exact, deny({ tool: 'read_file' }))).toBe(false);
    // Written as a pattern, `read*` matches more than the name.
    expect(doesRuleCover(exact, deny({ tool: 'read*' }))).toBe(false);
  });

  it('is case-sensitive', () => {
    const exact = allow({ tool: { exact: ['Read', 'write'] } });
    expect(doesRuleCover(exact, allow({ tool: { exact: 'Read' } }))).toBe(true);
    expect(doesRuleCover(exact, allow({ tool: { exact: 'read' } }))).toBe(false);
  });
});

describe('a rule for anonymous callers', () => {
  it('covers no rule for a principal, and a rule for a principal covers no anonymous callers', () => {
    const anonymous = deny({ tool: 'read', principal: null });
    const anybody = deny({ tool: 'read', principal: '*' });
    expect(doesRuleCover(anonymous, anonymous)).toBe(true);
    expect(doesRuleCover(anonymous, anybody)).toBe(false);
    expect(doesRuleCover(anybody, anonymous)).toBe(false);
    expect(doesRuleCover(deny({ tool: 'read' }), anonymous)).toBe(true);
  });
});

describe('a rule with a pattern', () => {
  it('covers narrower patterns and the names that match', () => {
    const pattern = deny({ tool: 'read*' });
    for (const tool of ['read_*', 'READ_file', { exact: 'read_file' }])
      expect(doesRuleCover(pattern, deny({ tool }))).toBe(true);
    expect(doesRuleCover(pattern, deny({ tool: 'r*' }))).toBe(false);
  });
});
