import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { blockOf, blocks, pageOf, readParts } from '../../bench/summary/summary.mjs';
import { root } from './pages.js';

/** What is told of speed is what was measured: `npm run bench -- report` writes it. */
describe('the results of the bench', () => {
  const parts = readParts();
  const read = (path: string) => readFileSync(join(root, path), 'utf8');

  it.each(Object.entries(blocks))('are in %s as they are in the files', (path, write) => {
    expect(blockOf(read(path))).toBe(write(parts));
  });

  it('are on their page as they are in the files', () => {
    expect(read('bench/results/README.md')).toBe(pageOf(parts));
  });

  it('say when and where they were found', () => {
    for (const part of Object.values(parts)) {
      expect(part?.when).toMatch(/^\d{4}-\d\d-\d\dT/);
      expect(part?.machine).toMatchObject({ node: expect.stringMatching(/^v/), cpus: expect.any(String) });
    }
  });
});
