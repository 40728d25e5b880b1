import { describe, expect, it } from 'vitest';
import { parseSkillEntry } from './skill-entry.js';

const uri = 'skill://a/b/SKILL.md';
const file = (path: string, more: object = {}) => ({
  uri: `skill://a/b/${path}`,
  digest: `sha256:${'0'.repeat(64)}`,
  size: 1,
  ...more,
});
const entry = (resources: unknown, more: object = {}) => ({
  uri,
  frontmatter: { name: 'b', description: 'd' },
  resources,
  ...more,
});

describe('parseSkillEntry', () => {
  it('accepts listed and generated skills, and the largest one [ext-skills.limit-supported]', () => {
    expect(parseSkillEntry(entry([file('SKILL.md'), file('x/y.md')])).files).toHaveLength(2);
    expect(parseSkillEntry(entry('dynamic')).files).toBeUndefined();
    const size = (16 * 1024 ** 2) / 512;
    const most = [...Array(512).keys()].map(index => file(index === 0 ? 'SKILL.md' : `${index}.md`, { size }));
    expect(parseSkillEntry(entry(most)).files).toHaveLength(512);
  });

  it('accepts a file without a size, because its digest verifies it', () => {
    const { files } = parseSkillEntry(entry([file('SKILL.md', { size: undefined })]));
    expect(files).toEqual([{ uri, digest: file('').digest }]);
  });

  it('accepts any scheme, because the scheme does not make a skill [ext-skills.scheme-not-inferred]', () => {
    const other = 'repo://x/b/SKILL.md';
    expect(parseSkillEntry(entry('dynamic', { uri: other })).uri).toBe(other);
  });

  it.each<[string, unknown]>([
    ['nothing', null],
    ['another URI than its name', entry('dynamic', { uri: 'skill://a/c/SKILL.md' })],
    ['an invalid name', entry('dynamic', { uri: 'skill://B-/SKILL.md', frontmatter: { name: 'B-', description: '' } })],
    ['no resources', entry(undefined)],
    ['no SKILL.md', entry([file('x.md')])],
    ['a file twice', entry([file('SKILL.md'), file('SKILL.md')])],
    ['a file outside', entry([file('SKILL.md'), file('../c/x.md')])],
    ['an encoded path outside', entry([file('SKILL.md'), file('%2e%2e%2fc/x.md')])],
    ['a file of another skill', entry([file('SKILL.md'), { ...file(''), uri: 'skill://c/x.md' }])],
    ['an invalid digest', entry([file('SKILL.md', { digest: 'md5:0' })])],
    ['an invalid size', entry([file('SKILL.md', { size: -1 })])],
    ['too many files', entry([...Array(513).keys()].map(index => file(index === 0 ? 'SKILL.md' : `${index}.md`)))],
    ['too many bytes', entry([file('SKILL.md', { size: 17 * 1024 ** 2 })])],
  ])('refuses %s', (_, value) =>
    expect(() => parseSkillEntry(value)).toThrow(expect.objectContaining({ code: 'skill/invalid' })),
  );
});
