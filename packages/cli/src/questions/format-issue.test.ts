import { expect, it } from 'vitest';
import { formatIssue } from './format-issue.js';

it('shows names of fields instead of JSON Pointers, and no name where the user sees the field', () => {
  expect(formatIssue('at /name: is required\nat /tags/1: expected string')).toBe(
    'name: is required\ntags.1: expected string',
  );
  expect(formatIssue('at /a~1b: is required')).toBe('a/b: is required');
  expect(formatIssue('at /name: is required', true)).toBe('is required');
  expect(formatIssue('at /tags/1: expected string', true)).toBe('1: expected string');
  expect(formatIssue('at the root: expected object')).toBe('at the root: expected object');
});
