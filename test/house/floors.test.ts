import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { cycles, leavesPortability, pastEntries, wrongWay } from './floors.js';
import {
  agedNames,
  dates,
  differentNames,
  longestOfMost,
  longFile,
  longFunctions,
  looseExports,
  ninetiethLength,
  vagueName,
} from './manners.js';
import { readSources } from './source.js';

const sources = readSources();

describe('the house', () => {
  it('has files', () => expect(sources.length).toBeGreaterThan(100));
  it('is built floor on floor', () => expect(sources.flatMap(wrongWay)).toEqual([]));
  it('has no rings of files that load each other', () => expect(cycles(sources)).toEqual([]));
  it('touches the platform at the rim only', () => expect(sources.flatMap(leavesPortability)).toEqual([]));
  it('writes the date of a revision in protocol/versions/ only', () => expect(sources.flatMap(dates)).toEqual([]));
  it('names files by what they hold', () => expect(sources.flatMap(vagueName)).toEqual([]));
  it('names nothing by age', () => expect(sources.flatMap(agedNames)).toEqual([]));
  it('exports by name and with types', () => expect(sources.flatMap(looseExports)).toEqual([]));
  it('has no long file', () => expect(sources.flatMap(longFile)).toEqual([]));
  it('has short files for the most part', () => expect(ninetiethLength(sources)).toBeLessThanOrEqual(longestOfMost));
  it('has no long function', () => expect(sources.flatMap(longFunctions)).toEqual([]));

  it('exports the same from the portable entry and from that for Node', () => {
    const [portable, node] = ['index.ts', 'index.node.ts'].map(path => sources.find(source => source.path === path));
    if (!portable || !node) throw new Error('index.ts or index.node.ts is missing');
    expect(differentNames(portable, node)).toEqual([]);
  });
});

describe('the house of the command', () => {
  const files = readSources('cli');
  const manifest = readFileSync(new URL('../../packages/tenon/package.json', import.meta.url), 'utf8');
  const entries = Object.keys(JSON.parse(manifest).exports).map(name => name.replace('.', 'tenon'));

  it('has files', () => expect(files.length).toBeGreaterThan(10));
  it('stands on what the library shows to all', () =>
    expect(files.flatMap(file => pastEntries(file, entries))).toEqual([]));
  it('has no rings of files that load each other', () => expect(cycles(files)).toEqual([]));
  it('writes no date of a revision', () => expect(files.flatMap(dates)).toEqual([]));
  it('names files by what they hold, and nothing by age', () =>
    expect(files.flatMap(file => [...vagueName(file), ...agedNames(file)])).toEqual([]));
  it('exports by name and with types', () => expect(files.flatMap(looseExports)).toEqual([]));
  it('has no long file, and no long function', () =>
    expect(files.flatMap(file => [...longFile(file), ...longFunctions(file)])).toEqual([]));
  it('has short files for the most part', () => expect(ninetiethLength(files)).toBeLessThanOrEqual(longestOfMost));
});
