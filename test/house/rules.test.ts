// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the rules read code that contains them
import { describe, expect, it } from 'vitest';
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
  findForbiddenImports,
  findImportCycles,
  findPlatformImports,
  findTypeCycles,
} from './import-rules.js';
import {
  findBannedNames,
  findDuplicateFunctions,
  findDuplicateTypes,
  findFunctionsWithoutVerb,
  findPrivatePhrases,
  findRelativeComments,
  findRelativeTitles,
  findRepeatedFunctions,
} from './naming-rules.js';
import { parse } from './source.js';
import { findFunctionsWithOneReference, measureStructure } from './structure.js';
import { addRecords } from './trace-functions.js';

const lines = (count: number) => 'x;\n'.repeat(count);

describe('the rules of the structure', () => {
  it.each([
    ['jsonrpc/a.ts', "import { b } from '../protocol/b.js';"],
    ['jsonrpc/a.ts', "import type { B } from '../protocol/b.js';"],
    ['server/a.ts', "import { b } from '../client/b.js';"],
    ['client/a.ts', "import type { B } from '../server/b.js';"],
    ['transports/http/a.ts', "import { b } from '../../protocol/versions/b.js';"],
    ['protocol/a.ts', "export { b } from './versions/b.js';"],
    ['protocol/a.ts', "const b = await import('./versions/b.js');"],
    ['schemas/a.ts', "type B = import('../protocol/versions/b.js').B;"],
    ['client/a.ts', "import { b } from '../http.js';"],
    ['attic/a.ts', ''],
  ])('reject in %s the import %s', (path, text) => {
    expect(findForbiddenImports(parse(path, text))).toHaveLength(1);
  });

  it.each([
    ['protocol/a.ts', "import { b } from '../jsonrpc/b.js';"],
    ['protocol/deep/a.ts', "import { b } from '../b.js';"],
    ['transports/http/a.ts', "import type { B } from '../../protocol/versions/b.js';"],
    ['client/a.ts', "import { b } from '../transports/memory.js';"],
    ['client/a.ts', "import { version } from '../version.js';"],
    ['index.ts', "export { b } from './server/b.js';"],
    ['schemas/a.ts', "import { b } from '@standard-schema/spec';"],
  ])('accept in %s the import %s', (path, text) => {
    expect(findForbiddenImports(parse(path, text))).toEqual([]);
  });

  it('find imports of the library that bypass its entries', () => {
    const entries = ['tenon', 'tenon/http'];
    for (const path of ['tenon/dist/esm/http.js', '../../../packages/tenon/src/http.js', 'tenon/none']) {
      expect(findDeepImports(parse('a.ts', `import { a } from '${path}';`), entries)).toHaveLength(1);
    }
    expect(
      findDeepImports(parse('a.ts', "import { a } from 'tenon/http'; import { b } from './tenon.js';"), entries),
    ).toEqual([]);
  });

  it('find imports of packages that use the library', () => {
    expect(findDependentImports(parse('a.ts', "import { createIssuer } from '@tenon/issuer';"))).toHaveLength(1);
    expect(findDependentImports(parse('a.ts', "import { z } from 'zod';"))).toEqual([]);
  });

  it('find import cycles, but not of types nor of dynamic imports', () => {
    const b = parse('m/b.ts', "import { a } from './a.js';");
    expect(findImportCycles([parse('m/a.ts', "import { b } from './b.js';"), b])).toEqual(['m/a.ts → m/b.ts → m/a.ts']);
    expect(findImportCycles([parse('m/a.ts', "export { b } from './b.js';"), b])).toHaveLength(1);
    expect(findImportCycles([parse('m/a.ts', "import type { B } from './b.js';"), b])).toEqual([]);
    expect(findImportCycles([parse('m/a.ts', "const b = import('./b.js');"), b])).toEqual([]);
  });

  it('find groups of files that name each other, also by types', () => {
    const files = [
      parse('m/a.ts', "import type { B } from './b.js';"),
      parse('m/b.ts', "import { c } from './c.js';\nimport { d } from './d.js';"),
      parse('m/c.ts', "export type { A } from './a.js';"),
      parse('m/d.ts', "const later = import('./a.js');\nimport type { E } from './e.js';"),
      parse('m/e.ts', "type D = import('./d.js').D;"),
    ];
    expect(findTypeCycles(files)).toEqual([
      ['m/a.ts', 'm/b.ts', 'm/c.ts'],
      ['m/d.ts', 'm/e.ts'],
    ]);
  });

  it('find platform imports outside of runtimes', () => {
    expect(findPlatformImports(parse('server/a.ts', "import { join } from 'node:path';"))).toHaveLength(1);
    expect(findPlatformImports(parse('runtimes/web/a.ts', "import type { A } from 'node:http';"))).toHaveLength(1);
    expect(findPlatformImports(parse('index.ts', "import { a } from './runtimes/node/a.js';"))).toHaveLength(1);
    expect(findPlatformImports(parse('runtimes/node/a.ts', "import { join } from 'node:path';"))).toEqual([]);
    expect(findPlatformImports(parse('index.node.ts', "import { a } from './runtimes/node/a.js';"))).toEqual([]);
  });

  it('find version dates in code, not in comments', () => {
    expect(findVersionDates(parse('server/a.ts', "const a = '2025-06-18';"))).toHaveLength(1);
    expect(findVersionDates(parse('server/a.ts', `const a = \`\${b} on 2025-06-18 \${c}\`;`))).toHaveLength(1);
    expect(findVersionDates(parse('server/a.ts', '// of 2025-06-18\nconst a = "2025-06-19";'))).toEqual([]);
    expect(findVersionDates(parse('protocol/versions/a.ts', "const a = '2025-06-18';"))).toEqual([]);
  });

  it('find vague file names', () => {
    for (const path of ['core/a.ts', 'server/utils.ts', 'server/internal/a.ts', 'shared.ts']) {
      expect(findVagueFileName(parse(path, ''))).toHaveLength(1);
    }
    for (const path of ['server/corelation.ts', 'client/score.ts'])
      expect(findVagueFileName(parse(path, ''))).toEqual([]);
  });

  it('find names with an age', () => {
    for (const name of ['legacyPeer', 'isModern', 'ERA_OF', 'oldValue', 'newSession']) {
      expect(findAgeNames(parse('a.ts', `const ${name} = 1;`))).toHaveLength(1);
    }
    for (const name of ['hold', 'renewal', 'operation', 'renewed', 'newest']) {
      expect(findAgeNames(parse('a.ts', `const ${name} = new Map();`))).toEqual([]);
    }
    expect(findAgeNames(parse('server/legacy.ts', ''))).toHaveLength(1);
  });

  it('find any, export * and default exports', () => {
    for (const text of [
      'const a: any = 1;',
      "export * from './b.js';",
      'export default 1;',
      'export default class {}',
    ]) {
      expect(findLooseExports(parse('a.ts', text))).toHaveLength(1);
    }
    expect(findLooseExports(parse('a.ts', "export * as a from './b.js'; // any"))).toEqual([]);
    expect(findLooseExports(parse('a.ts', 'const a = 1; export { a as default };'))).toHaveLength(1);
  });

  it('measure lines of functions without those of functions inside them', () => {
    const inner = `const g = () => {\n${lines(40)}};\n`;
    const { files, codeLines, functionLines } = measureStructure([
      parse('a.ts', `function f() {\n${lines(58)}}`),
      parse('b.ts', `/** A\n * comment. */\n\nfunction f() {\n${inner}${inner}}`),
    ]);
    expect({ files, codeLines }).toEqual({ files: 2, codeLines: 146 });
    expect(functionLines).toEqual({ p50: 42, p90: 60, p99: 60, max: 60 });
  });

  it('find functions that the code names once', () => {
    const sources = [
      parse('a.ts', 'export function f() { return g(); }\nfunction g() { return h() + h(); }\nconst h = () => 1;'),
      parse('b.ts', "import { f } from './a.js';\nexport const k = () => f();\nexport const twice = [f(), f];"),
      parse('index.ts', "export { k } from './b.js';"),
    ];
    const { functions, once } = findFunctionsWithOneReference(sources, sources);
    expect(functions.map(({ name }) => name)).toEqual(['f', 'g', 'h']);
    expect(once).toEqual([{ path: 'a.ts', name: 'g', lines: 1 }]);
  });

  it('find names that only one entry exports', () => {
    const one = parse(
      'index.ts',
      "export { a, b as c } from './x.js'; export type { T } from './x.js'; export const d = 1;",
    );
    const other = parse('index.node.ts', "export { a } from './x.js'; export interface T {} export function c() {}");
    expect(findDifferentExports(one, other)).toEqual(['only index.ts exports d']);
  });

  it('find types that are declared twice', () => {
    const a = parse('a.ts', 'interface Session {}');
    expect(findDuplicateTypes([a, parse('b.ts', 'export class Session {}')])).toEqual(['Session: a.ts, b.ts']);
    expect(findDuplicateTypes([a, parse('b.ts', "import type { Session } from './a.js';")])).toEqual([]);
  });

  it('find exported functions that are declared twice', () => {
    const find = (...files: [path: string, text: string][]) =>
      findDuplicateFunctions(files.map(each => parse(...each)));
    const a: [string, string] = ['server/a.ts', 'export function readText() {}'];
    expect(find(a, ['client/b.ts', 'export const readText = () => 1;'])).toEqual([
      'readText: server/a.ts, client/b.ts',
    ]);
    expect(find(a, ['client/b.ts', 'function readText() {}'])).toEqual([]);
    expect(find(a, ['entry.node.ts', 'export function readText() {}'])).toEqual([]);
    const inBoth = ['node', 'web'].map(name => [`runtimes/${name}/a.ts`, a[1]] as [string, string]);
    expect(find(...inBoth)).toEqual([]);
    expect(find(a, ...inBoth)).toHaveLength(1);
  });

  it('find functions with the same code under other names', () => {
    const code = (name: string, value: string, rest = '') =>
      `function ${name}(${value}) { try { return JSON.parse(${value}); } catch { ${rest}return undefined; } }`;
    const find = (other: string) => findRepeatedFunctions([parse('a.ts', code('read', 'text')), parse('b.ts', other)]);
    expect(find(`export ${code('parse', 'body')}`)).toEqual(['a.ts read, b.ts parse']);
    expect(find(`const parse = (body) => ${code('', 'body').slice(16)}`)).toEqual(['a.ts read, b.ts parse']);
    expect(find(code('parse', 'body', 'ends = true; '))).toEqual([]);
    expect(find('const isText = (value) => typeof value === "string"')).toEqual([]);
  });

  it('find functions that do not begin with a verb', () => {
    for (const text of [
      'function asked() {}',
      'const textOf = () => 1;',
      'class A { #whole() {} }',
      'const parts = function () {};',
    ]) {
      expect(findFunctionsWithoutVerb(parse('a.ts', text))).toHaveLength(1);
    }
    for (const text of [
      'function isOpen() {}',
      'const toText = () => 1;',
      'const text = 1;',
      'class A { parse() {} }',
    ]) {
      expect(findFunctionsWithoutVerb(parse('a.ts', text))).toEqual([]);
    }
  });

  it('find banned words in names that a file declares', () => {
    for (const text of [
      'const roads = 1;',
      'interface Errand {}',
      'function f(facts: 1) {}',
      'type A = { whom: 1 };',
    ]) {
      expect(findBannedNames(parse('a.ts', text))).toHaveLength(1);
    }
    for (const text of ["import { facts } from 'x';", 'const broad = a.facts;', 'const a = { facts: 1 };']) {
      expect(findBannedNames(parse('a.ts', text))).toEqual([]);
    }
  });

  it('find comments with private words', () => {
    for (const text of [
      '/** The road to a server. */',
      '/**\n * Told by the other\n * end.\n */',
      '// Whoever waits.',
    ]) {
      expect(findPrivatePhrases(parse('a.ts', text))).toHaveLength(1);
    }
    expect(findPrivatePhrases(parse('a.ts', "/** The transport to a server. */ const road = '// road';"))).toEqual([]);
  });

  it('find comments and titles that begin with a relative word', () => {
    for (const text of ['/** What it is. */', '/**\n * Whether it is.\n */', '/** of the other */']) {
      expect(findRelativeComments(parse('a.ts', text))).toHaveLength(1);
    }
    expect(findRelativeComments(parse('a.ts', '/** Whatsoever. */ // what\n/** A list, which is long. */'))).toEqual(
      [],
    );
    for (const text of [
      "it('what is asked', () => {});",
      "describe('how it ends', () => {});",
      "it.each([1])('whether %s', () => {});",
      "describe.skipIf(true).each([1])('that', () => {});",
    ]) {
      expect(findRelativeTitles(parse('a.ts', text))).toHaveLength(1);
    }
    expect(findRelativeTitles(parse('a.ts', "it('ends', () => {}); call('what');"))).toEqual([]);
  });

  it('record each function where it begins, also one that is only an expression', () => {
    const traced = addRecords(
      'a.ts',
      'class B extends C { constructor() { super(); } get d() { return 1; } }\nconst e = (x: number) => () => x;',
    );
    const record = (name: string) => `globalThis.enteredFunctions?.push("a.ts#${name}")`;
    expect(traced).toBe(
      `class B extends C { constructor() { super();${record('constructor')}; } get d() {${record('d')}; return 1; } }\n` +
        `const e = (x: number) => (${record('e')},(() => (${record('(anonymous)')},(x))));`,
    );
  });

  it('find escapes of texts for other languages', () => {
    for (const text of [
      "text.replaceAll('<', '\\\\u003c');",
      'text.replace(/[<&]/g, each => ENTITIES[each]);',
      "url.replaceAll('&', '&amp;');",
      "const SIGNS = { '<': '&lt;' };",
      "`'${word.replaceAll(\"'\", \"'\\\\''\")}'`;",
      "cell.replace(/\\|/g, '\\\\|');",
      "cell.replace(/\"|`/g, '\\\\$&');",
      '`\\\\u${code.toString(16)}`;',
    ]) {
      expect(findHandmadeEscapes(parse('a.ts', text))).toHaveLength(1);
    }
    for (const text of [
      "text.replace(/[\\s\"]/g, '');",
      "encodeURIComponent(text).replace(/[!'()*]/g, each => `%${toHex(each)}`);",
      "path.replaceAll('/', '.');",
      "name.replace(/[^\\w'-]/g, '_');",
      'const DIGIT = /\\u[0-9a-f]{4}/;',
    ]) {
      expect(findHandmadeEscapes(parse('a.ts', text))).toEqual([]);
    }
  });

  it('find programs that a test starts without a check that they are installed', () => {
    for (const text of [
      "spawn('redis-server', []);",
      "execFileSync('openssl', ['req']);",
      "await promisify(execFile)('redis-cli', args);",
    ]) {
      expect(findProgramNames(parse('a.test.ts', text))).toHaveLength(1);
    }
    for (const text of ["spawn(getProgram('redis-server'), []);", "execFileSync('sh', []);", "/a/.exec('fish');"])
      expect(findProgramNames(parse('a.test.ts', text))).toEqual([]);
  });
});
