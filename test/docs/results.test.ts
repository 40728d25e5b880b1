import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listQuotedCosts } from '../../bench/summary/plot.mjs';
import { blockOf, blocks, pageOf, readParts } from '../../bench/summary/summary.mjs';
import { root } from './pages.js';

/** What is told of speed is what was measured: `npm run bench -- report` writes it. */
describe('the results of the bench', () => {
  const parts = readParts();
  const read = (path: string) => readFileSync(join(root, path), 'utf8');

  it.each(Object.entries(blocks))('appear in %s as in the files', (path, write) => {
    expect(blockOf(read(path))).toBe(write(parts));
  });

  it('appear on their page as in the files', () => {
    expect(read('bench/results/README.md')).toBe(pageOf(parts));
  });

  it('are the same in the chart of the first page and in the README', () => {
    const readme = read('README.md');
    const costs = Object.fromEntries(listQuotedCosts(parts).map(({ name, ratio }) => [name, ratio.toPrecision(3)]));
    expect(readme).toContain(`costs ${costs.Tenon} × (`);
    expect(readme).toContain(`with the official SDK v2 it costs ${costs['official v2']} × (`);
    expect(read('docs/index.md')).toContain('<CostChart />');
  });

  it('state date and machine', () => {
    for (const part of Object.values(parts)) {
      expect(part?.when).toMatch(/^\d{4}-\d\d-\d\dT/);
      expect(part?.machine).toMatchObject({ node: expect.stringMatching(/^v/), cpus: expect.any(String) });
    }
  });
});
