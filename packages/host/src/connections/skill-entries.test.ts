import type { TenonError } from '@tenon/base';
import { describe, expect, it } from 'vitest';
import { readSkillPages } from './skill-entries.js';

describe('readSkillPages', () => {
  it.each([
    [10_000, 10_000, []],
    [10_001, 10_000, ['host/too-many']],
    [3, 3, []],
  ])('reads %i skills as %i, and reports those that it ignores', async (count, read, reported) => {
    const errors: TenonError[] = [];
    const connection = { server: 'notes', reportError: (error: TenonError) => void errors.push(error) };
    const skills = Array.from({ length: count }, (_, index) => ({ uri: `skill://${index}/SKILL.md` }));
    const pages = async ({ cursor = '0' }: { readonly cursor?: unknown }) => {
      const end = Number(cursor) + 2500;
      return { skills: skills.slice(Number(cursor), end), ...(end < count ? { nextCursor: String(end) } : {}) };
    };
    expect(await readSkillPages(connection, pages)).toHaveLength(read);
    expect(errors.map(({ code }) => code)).toEqual(reported);
  });
});
