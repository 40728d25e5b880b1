import { describe, expect, it } from 'vitest';
import { toJsonPointer } from '../json/pointer-token.js';
import { describeIssues } from './issues.js';

describe('describeIssues', () => {
  it('writes a line for each issue', () => {
    const issues = [
      { path: ['city'], message: 'expected string, got number' },
      { path: ['list', 0, 'a/b~c'], message: 'is required' },
      { path: [], message: 'expected object, got null' },
    ];
    expect(describeIssues(issues)).toBe(
      'at /city: expected string, got number\nat /list/0/a~1b~0c: is required\nat the root: expected object, got null',
    );
    expect(describeIssues([])).toBe('');
  });

  it('limits the number and length of lines', () => {
    const issues = Array.from({ length: 25 }, (_, i) => ({
      path: ['k'.repeat(1000), i],
      message: 'm '.repeat(500_000),
    }));
    const lines = describeIssues(issues).split('\n');
    expect(lines).toHaveLength(11);
    expect(lines.at(-1)).toBe('… and 15 more');
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(240);
    expect(describeIssues(issues, { maxLines: 1, maxLength: 50 }).split('\n')[0]).toHaveLength(50);
  });

  it('shows no secrets and no long values', () => {
    const secret = 'hunter2';
    const shown = describeIssues([
      { path: ['user', 'password'], message: `Expected number but received "${secret}"` },
      { path: ['apiKey'], message: `apiKey must be a number (was ${secret})` },
      { path: ['a'], message: 'received "sk-proj-abcdefghijk" or ghp_abcdefghijkl or eyJhbGciOiJIUzI1NiJ9.e30.abc' },
      { path: ['a'], message: 'received Bearer abc.def and 0123456789abcdef0123456789abcdef' },
      { path: ['a'], message: `received "${'long text '.repeat(20)}"` },
      { path: ['ghp_abcdefghijklmnop'], message: 'is not expected' },
    ]);
    for (const hidden of [secret, 'sk-proj', 'ghp_', 'eyJ', 'abc.def', '0123456789abcdef', 'long text '.repeat(10)]) {
      expect(shown).not.toContain(hidden);
    }
    expect(shown).toContain('at /user/password: Expected number but received');
  });

  it('writes one line each without control characters', () => {
    const line = describeIssues([{ path: ['a\nb'], message: 'x\n\u001b[31m\u202ey' }]);
    expect(line).toBe('at /a b: x [31m y');
  });

  it.each([0, 1])('cuts no surrogate pair in half, after %d characters', shift => {
    const long = `${'x'.repeat(shift)}${'😀'.repeat(200)}`;
    const shown = describeIssues([{ path: [long], message: `received "${long}" and ${long}` }]);
    expect(JSON.stringify(shown)).not.toContain('\\ud83d');
    expect(shown).toContain('😀…');
  });

  it('leaves ordinary names unchanged', () => {
    const path = ['configuration_of_the_whole_machine_2', 'authorization_code_challenge'];
    expect(describeIssues([{ path, message: 'is required' }])).toBe(`at ${toJsonPointer(path)}: is required`);
  });
});
