import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  findAgeNames,
  findDifferentExports,
  findLongFile,
  findLongFunctions,
  findLooseExports,
  findVagueFileName,
  findVersionDates,
  getNinetiethPercentile,
  MAX_USUAL_FILE_LINES,
} from './code-rules.js';
import { findDeepImports, findForbiddenImports, findImportCycles, findPlatformImports } from './import-rules.js';
import {
  findBannedNames,
  findCrowdedFolders,
  findDuplicateTypes,
  findFunctionsWithoutVerb,
  findRelativeComments,
  findRelativeTitles,
} from './naming-rules.js';
import { isDeclarationFile, readSources, readTestSources } from './source.js';

const sources = readSources();
const unnamed = /(^|\/)auth\/issuer\//;
const named = sources.filter(({ path }) => !unnamed.test(path));

describe('the library', () => {
  it('has files', () => expect(sources.length).toBeGreaterThan(100));
  it('imports only what its layer may import', () => expect(sources.flatMap(findForbiddenImports)).toEqual([]));
  it('has no import cycles', () => expect(findImportCycles(sources)).toEqual([]));
  it('uses modules of a platform in runtimes/node only', () =>
    expect(sources.flatMap(findPlatformImports)).toEqual([]));
  it('names protocol versions in protocol/versions only', () => expect(sources.flatMap(findVersionDates)).toEqual([]));
  it('names files by what they hold', () => expect(sources.flatMap(findVagueFileName)).toEqual([]));
  it('names nothing by age', () => expect(sources.flatMap(findAgeNames)).toEqual([]));
  it('exports by name and with types', () => expect(sources.flatMap(findLooseExports)).toEqual([]));
  it('has no long file', () => expect(sources.flatMap(findLongFile)).toEqual([]));
  it('has short files for the most part', () =>
    expect(getNinetiethPercentile(sources)).toBeLessThanOrEqual(MAX_USUAL_FILE_LINES));
  it('declares each type once', () =>
    expect(findDuplicateTypes(sources.filter(source => !isDeclarationFile(source)))).toEqual([]));
  it('begins the names of functions with a verb', () => expect(named.flatMap(findFunctionsWithoutVerb)).toEqual([]));
  it('has no banned word in a name', () => expect(named.flatMap(findBannedNames)).toEqual([]));
  it('begins no comment with a relative word', () =>
    expect([...named, ...readSources('cli'), ...readSources('ai')].flatMap(findRelativeComments)).toEqual([]));
  it('begins no title of a test with a relative word', () =>
    expect(
      readTestSources()
        .filter(({ path }) => !unnamed.test(path))
        .flatMap(findRelativeTitles),
    ).toEqual([]));
  it('has no crowded folder', () => expect(findCrowdedFolders(named)).toEqual([]));
  it('has no long function', () => expect(sources.flatMap(findLongFunctions)).toEqual([]));

  it('exports the same from the portable entry and from that for Node', () => {
    const [portable, node] = ['index.ts', 'index.node.ts'].map(path => sources.find(source => source.path === path));
    if (!portable || !node) throw new Error('index.ts or index.node.ts is missing');
    expect(findDifferentExports(portable, node)).toEqual([]);
  });
});

describe.each([
  ['the command', 'cli', 10],
  ['the adapters for the AI SDK', 'ai', 5],
] as const)('%s', (_, name, count) => {
  const files = readSources(name);
  const manifest = readFileSync(new URL('../../packages/tenon/package.json', import.meta.url), 'utf8');
  const entries = Object.keys(JSON.parse(manifest).exports).map(name => name.replace('.', 'tenon'));

  it('has files', () => expect(files.length).toBeGreaterThan(count));
  it('imports the library by its public entries', () =>
    expect(files.flatMap(file => findDeepImports(file, entries))).toEqual([]));
  it('has no import cycles', () => expect(findImportCycles(files)).toEqual([]));
  it('names no protocol version', () => expect(files.flatMap(findVersionDates)).toEqual([]));
  it('names files by what they hold, and nothing by age', () =>
    expect(files.flatMap(file => [...findVagueFileName(file), ...findAgeNames(file)])).toEqual([]));
  it('exports by name and with types', () => expect(files.flatMap(findLooseExports)).toEqual([]));
  it('begins the names of functions with a verb, and has no banned word', () =>
    expect(files.flatMap(file => [...findFunctionsWithoutVerb(file), ...findBannedNames(file)])).toEqual([]));
  it('has no long file, and no long function', () =>
    expect(files.flatMap(file => [...findLongFile(file), ...findLongFunctions(file)])).toEqual([]));
  it('has short files for the most part', () =>
    expect(getNinetiethPercentile(files)).toBeLessThanOrEqual(MAX_USUAL_FILE_LINES));
});
