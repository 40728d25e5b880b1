import { describe, expect, it } from 'vitest';
import { isFull } from '../support/extent.js';
import {
  findAgeNames,
  findDifferentExports,
  findHandmadeEscapes,
  findLooseExports,
  findProgramNames,
  findVagueFileName,
  findVersionDates,
} from './code-rules.js';
import {
  findDeepImports,
  findDependentImports,
  findForbiddenBaseImports,
  findForbiddenImports,
  findImportCycles,
  findPlatformImports,
  findTypeCycles,
} from './import-rules.js';
import {
  findBannedNames,
  findDuplicateFunctions,
  findDuplicateTypes,
  findPrivatePhrases,
  findRelativeComments,
  findRelativeTitles,
  findRepeatedFunctions,
} from './naming-rules.js';
import {
  getExportedNames,
  isDeclarationFile,
  listEntries,
  listPackages,
  readSources,
  readTestSources,
} from './source.js';

const library = readSources('tenon');
const base = readSources('base');
const others = listPackages().filter(name => name !== 'tenon' && name !== 'base');

describe('the library', () => {
  it('contains files', () => expect(library.length).toBeGreaterThan(100));
  it('imports only what its layer may import', () => expect(library.flatMap(findForbiddenImports)).toEqual([]));
  it('imports no package that uses it', () => expect(library.flatMap(findDependentImports)).toEqual([]));
  it('uses platform modules in runtimes/node only', () => expect(library.flatMap(findPlatformImports)).toEqual([]));

  it.each(['index', 'auth'])('exports the same from %s.ts and from its Node version', entry => {
    const [portable, node] = ['.ts', '.node.ts'].map(end => library.find(({ path }) => path === entry + end));
    if (!portable || !node) throw new Error(`${entry}.ts or ${entry}.node.ts is missing`);
    expect(findDifferentExports(portable, node)).toEqual([]);
  });
});

describe('the base of all packages', () => {
  it('imports only what its layer may import', () => expect(base.flatMap(findForbiddenBaseImports)).toEqual([]));
  it('imports no package that uses it', () => expect(base.flatMap(findDependentImports)).toEqual([]));
  it('uses modules of a platform in runtimes/node only', () => expect(base.flatMap(findPlatformImports)).toEqual([]));
});

describe.each(others)('the package %s', name => {
  const files = readSources(name);
  // No other package may use the parts of the library that have no public name.
  const entries = [...listEntries('tenon'), ...listEntries('base')].filter(
    entry => !/^tenon\/\w+-internals/.test(entry) || entry.startsWith(`tenon/${name}-internals`),
  );

  it('imports the library by its public entries', () =>
    expect(files.flatMap(file => findDeepImports(file, entries))).toEqual([]));
});

describe('the parts of the library without a public name', () => {
  it.each([
    ['host', 61],
    ['testing', 48],
  ])('do not become more for the package %s', (name, most) => {
    const entries = library.filter(({ path }) => path.startsWith(`${name}-internals`));
    expect(entries.flatMap(getExportedNames).length).toBeLessThanOrEqual(most);
  });
});

describe('the entry for proxies', () => {
  it('has at most 25 names', () => {
    const entry = library.filter(({ path }) => path === 'proxy.ts');
    expect(entry.flatMap(getExportedNames).length).toBeLessThanOrEqual(25);
  });
});

/** Files of a syntax that nothing else writes: the quoted strings of HTTP, and the filter of the console. */
const ESCAPES_OF_THEIR_OWN: Readonly<Record<string, readonly string[]>> = {
  base: ['oauth/www-authenticate.ts'],
  console: ['filter/parse-filter.ts'],
};

describe.each(listPackages())('the code of the package %s', name => {
  const sources = readSources(name);

  it('contains files', () => expect(sources.length).toBeGreaterThan(10));
  it('contains no import cycles', () => expect(findImportCycles(sources)).toEqual([]));
  it('has no group of over 3 files that name each other', () =>
    expect(findTypeCycles(sources).filter(group => group.length > 3)).toEqual([]));
  it('names protocol versions in protocol/versions only', () => expect(sources.flatMap(findVersionDates)).toEqual([]));
  it('names files by their content', () => expect(sources.flatMap(findVagueFileName)).toEqual([]));
  it('names nothing by age', () => expect(sources.flatMap(findAgeNames)).toEqual([]));
  it('exports by name and with types', () => expect(sources.flatMap(findLooseExports)).toEqual([]));
  it('declares each type once', () =>
    expect(findDuplicateTypes(sources.filter(source => !isDeclarationFile(source)))).toEqual([]));
  it('declares each exported function once', () =>
    expect(findDuplicateFunctions(sources.filter(source => !isDeclarationFile(source)))).toEqual([]));
  it('contains no banned word in a name', () => expect(sources.flatMap(findBannedNames)).toEqual([]));
  it('escapes texts for other languages in `redaction` of `@tenon/base` only', () => {
    const writers = name === 'base' ? /^redaction\// : /^$/;
    const escapes = sources.filter(({ path }) => !writers.test(path)).flatMap(findHandmadeEscapes);
    const expected = ESCAPES_OF_THEIR_OWN[name] ?? [];
    expect(escapes.filter(each => !expected.some(path => each.startsWith(`${path}:`)))).toEqual([]);
    expect(expected.filter(path => !escapes.some(each => each.startsWith(`${path}:`)))).toEqual([]);
  });
  it('begins no comment with a relative word', () => expect(sources.flatMap(findRelativeComments)).toEqual([]));
  it('contains no private words in comments', () => expect(sources.flatMap(findPrivatePhrases)).toEqual([]));
});

/** Functions that two packages have, because neither of them imports the other. The page of an app imports no package. */
const REPEATED_FUNCTIONS: readonly string[] = [
  'ai/model-messages.ts getBlocks, host/sampling/content.ts getBlocks',
  'ai/model-messages.ts getToolUses, host/sampling/content.ts getToolUses',
  'apps/channel/messages.ts isObject, base/json/json-object.ts isObject',
  'host/connections/skill-entries.ts getSkillSettings, skills/client/skills-of.ts getSettings',
];

describe('the code of all packages', () => {
  it('has each function once', () => {
    const sources = listPackages().flatMap(name =>
      readSources(name)
        .filter(source => !isDeclarationFile(source))
        .map(source => ({ ...source, path: `${name}/${source.path}` })),
    );
    expect(findRepeatedFunctions(sources).sort()).toEqual(REPEATED_FUNCTIONS);
  });
});

describe('the tests', () => {
  it.runIf(isFull)('begin no title with a relative word', () =>
    expect(readTestSources().flatMap(findRelativeTitles)).toEqual([]),
  );
  it.runIf(isFull)('start only programs that are installed', () =>
    expect(readTestSources().flatMap(findProgramNames)).toEqual([]),
  );
});
