import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listQuotedCosts } from '../../bench/summary/plot.mjs';
import { blockOf, blocks, pageOf, readParts } from '../../bench/summary/summary.mjs';
import { root } from './pages.js';

interface CodeModeCosts {
  readonly tools: number;
  readonly mode: string;
  readonly listedTokens: number;
  readonly tasks: readonly { readonly roundTrips: number; readonly final: number }[];
  readonly conversation: { readonly roundTrips: number; readonly final: number };
}

const write = (figure: number | undefined): string => figure?.toLocaleString('en-US') ?? 'not measured';

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

  it('appear on the page of code mode as in the files', () => {
    const page = read('docs/hosts/code-mode.md');
    const results: CodeModeCosts[] = JSON.parse(read('bench/results/code-mode.json')).results;
    const [few, many] = [14, 2594].map(tools => results.filter(each => each.tools === tools));
    const find = (of: CodeModeCosts[] | undefined, mode: string) => of?.find(each => each.mode === mode);
    const [direct, code] = [find(few, 'direct'), find(few, 'code')];
    const figures = [...(direct?.tasks ?? []), direct?.conversation].map((cost, at) => {
      const other = [...(code?.tasks ?? []), code?.conversation][at];
      return [cost?.roundTrips, other?.roundTrips, cost?.final, other?.final].map(write).join(' | ');
    });
    expect(page.match(/(?<=^\| [^|]+ \| )[\d,]+ \| [\d,]+ \| [\d,]+ \| [\d,]+(?= \|$)/gm)).toEqual(figures);
    const listed = [find(many, 'direct'), find(many, 'code')].map(each => write(each?.listedTokens));
    expect(page).toMatch(new RegExp(`definitions alone take ${listed[0]} tokens, and ${listed[1]} in\\s+code mode`));
    expect(page).toContain(`then lists three, with ${listed[1]} tokens`);
  });

  it('state date and machine', () => {
    for (const part of Object.values(parts)) {
      expect(part?.when).toMatch(/^\d{4}-\d\d-\d\dT/);
      expect(part?.machine).toMatchObject({ node: expect.stringMatching(/^v/), cpus: expect.any(String) });
    }
  });
});
