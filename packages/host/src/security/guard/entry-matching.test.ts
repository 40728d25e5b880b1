import { describe, expect, it } from 'vitest';
import { compileToolFilter, matchesTemplate } from './entry-matching.js';

describe('the tool filter of a server', () => {
  it('allows all tools by default', () => {
    expect(compileToolFilter()('add')).toBe(true);
    expect(compileToolFilter({})('add')).toBe(true);
  });

  it('allows tools that are included, with their exact case', () => {
    const allows = compileToolFilter({ include: ['read_*'] });
    expect(['read_a', 'READ_A', 'write'].map(allows)).toEqual([true, false, false]);
  });

  it('forbids tools that are excluded, in any case, also when they are included', () => {
    const allows = compileToolFilter({ include: ['read_*', 'READ_*'], exclude: ['read_secret'] });
    expect(['read_a', 'read_secret', 'READ_SECRET'].map(allows)).toEqual([true, false, false]);
  });
});

describe('matchesTemplate', () => {
  it('accepts a URI that equals the template, or matches it', () => {
    expect(matchesTemplate('note://a', 'note://{id}')).toBe(true);
    expect(matchesTemplate('note://{id', 'note://{id')).toBe(true);
    expect(matchesTemplate('note://..', 'note://{id}')).toBe(true);
  });

  it('rejects any other URI, and an invalid template', () => {
    expect(matchesTemplate('memo://a', 'note://{id}')).toBe(false);
    expect(matchesTemplate('note://a', 'note://{id')).toBe(false);
  });
});
