import ts from 'typescript-5';
import { describe, expect, it } from 'vitest';
import { edit } from './editor.js';
import { findOptionMembers } from './option-members.js';

const ENTRIES = [
  'tenon',
  'tenon/node',
  'tenon/stdio',
  'tenon/http',
  'tenon/auth',
  'tenon/auth/node',
  'tenon/auth/issuer',
  'tenon/host',
  'tenon/sqlite',
  'tenon/testing',
];

/** Here the platform decides: `fetch` itself does not accept `undefined`. */
const OF_THE_PLATFORM = ['fetchWithAddressCheck(init).body'];

describe('options', () => {
  const { program, source } = edit(ENTRIES.map((entry, index) => `export * as e${index} from '${entry}';`).join('\n'));
  const checker = program.getTypeChecker();
  const modules = checker.getExportsOfModule(checker.getSymbolAtLocation(source) as ts.Symbol);
  const members = modules.flatMap(namespace =>
    findOptionMembers(checker, checker.getExportsOfModule(checker.getAliasedSymbol(namespace))),
  );

  it('are found in every entry', () => {
    const paths = members.map(({ path }) => path);
    expect(members.length).toBeGreaterThan(300);
    for (const path of [
      'connect(options).protocolVersion',
      'createServer(definition).stores',
      'createServer().tools.set(item).description',
    ])
      expect(paths).toContain(path);
  });

  it('accept `undefined` when optional, under exactOptionalPropertyTypes', () => {
    const strict = members.filter(({ isStrict, path }) => isStrict && !OF_THE_PLATFORM.includes(path));
    expect(strict.map(({ path }) => path)).toEqual([]);
  });

  it.each(['createServer(definition)', 'tool(definition)', 'prompt(definition)', 'resource(definition)', 'connect('])(
    'have a documentation comment in %s',
    start => {
      const own = members.filter(({ path }) => path.startsWith(start) && !path.slice(start.length).match(/\..*\./));
      const silent = own.filter(({ declaration }) => ts.getJSDocCommentsAndTags(declaration).length === 0);
      expect(silent.map(({ path }) => path)).toEqual([]);
    },
  );
});
