import { describe, expect, it } from 'vitest';
import { listPublicDeclarations } from './public-types.js';

describe('the public interface', () => {
  const declarations = listPublicDeclarations();

  it('contains more than 1,000 declarations', () => expect(declarations.length).toBeGreaterThan(1000));

  it('documents every export and every member', () => {
    const bare = declarations.filter(({ comment }) => comment === '');
    expect(bare.map(({ name, place }) => `${place} ${name}`)).toEqual([]);
  });
});
