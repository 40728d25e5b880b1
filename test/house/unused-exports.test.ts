import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { findUnusedExports } from './export-rules.js';
import { parse, readSources } from './source.js';

/** One export a line, and after a colon the reason to keep it. */
const allowed = readFileSync(new URL('unused-exports.txt', import.meta.url), 'utf8')
  .trim()
  .split('\n');
const getName = (line: string) => line.split(':')[0] ?? '';

describe('the values that the library exports', () => {
  const ofPackages = ['host', 'testing'].flatMap(name =>
    findUnusedExports(
      readSources(name).filter(({ path }) => path.startsWith('index')),
      name,
    ),
  );
  const unused = [...findUnusedExports(readSources('tenon'), 'tenon'), ...ofPackages].sort();

  it('are used by another package, an example or a page, or have a reason', () => {
    expect(unused.filter(name => !allowed.some(line => getName(line) === name))).toEqual([]);
  });

  it('need every stated reason', () => {
    expect(allowed.filter(line => !unused.includes(getName(line)) || !/: \S/.test(line))).toEqual([]);
  });

  it('are found when they are unused', () => {
    const source = parse('host.ts', "export { nobodyCallsThis, type NobodyReadsThis } from './host/x.js';");
    expect(findUnusedExports([source], 'tenon')).toEqual(['nobodyCallsThis']);
  });
});
