import { describe, expect, it } from 'vitest';
import { listPublicDeclarations } from './public-types.js';

/** Deleted with the folders that leave the library. */
const LEAVING = /^host\/(projection|sampling)\//;

describe('the public interface', () => {
  const declarations = listPublicDeclarations();

  it('is found', () => expect(declarations.length).toBeGreaterThan(1000));

  it('has a doc comment on every export and every member', () => {
    const bare = declarations.filter(({ comment, place }) => comment === '' && !LEAVING.test(place));
    expect(bare.map(({ name, place }) => `${place} ${name}`)).toEqual([]);
  });
});
