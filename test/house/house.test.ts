import { describe, expect, it } from 'vitest';
import { cycles, leavesPortability, pastEntries, wrongWay } from './floors.js';
import {
  agedNames,
  dates,
  differentNames,
  longFile,
  longFunctions,
  looseExports,
  ninetiethLength,
  vagueName,
} from './manners.js';
import { parse } from './source.js';

const lines = (count: number) => 'x;\n'.repeat(count);

describe('the checks of the house', () => {
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
  ])('see that %s goes the wrong way with %s', (path, text) => {
    expect(wrongWay(parse(path, text))).toHaveLength(1);
  });

  it.each([
    ['protocol/a.ts', "import { b } from '../jsonrpc/b.js';"],
    ['protocol/deep/a.ts', "import { b } from '../b.js';"],
    ['transports/http/a.ts', "import type { B } from '../../protocol/versions/b.js';"],
    ['client/a.ts', "import { b } from '../transports/memory.js';"],
    ['client/a.ts', "import { version } from '../version.js';"],
    ['index.ts', "export { b } from './server/b.js';"],
    ['schemas/a.ts', "import { b } from '@standard-schema/spec';"],
  ])('let %s have %s', (path, text) => {
    expect(wrongWay(parse(path, text))).toEqual([]);
  });

  it('see what is taken of the library past its entries', () => {
    const entries = ['tenon', 'tenon/host'];
    for (const path of ['tenon/dist/esm/host.js', '../../../packages/tenon/src/host.js', 'tenon/none']) {
      expect(pastEntries(parse('a.ts', `import { a } from '${path}';`), entries)).toHaveLength(1);
    }
    expect(
      pastEntries(parse('a.ts', "import { a } from 'tenon/host'; import { b } from './tenon.js';"), entries),
    ).toEqual([]);
  });

  it('see rings, but not of types nor of what is loaded later', () => {
    const b = parse('m/b.ts', "import { a } from './a.js';");
    expect(cycles([parse('m/a.ts', "import { b } from './b.js';"), b])).toEqual(['m/a.ts → m/b.ts → m/a.ts']);
    expect(cycles([parse('m/a.ts', "export { b } from './b.js';"), b])).toHaveLength(1);
    expect(cycles([parse('m/a.ts', "import type { B } from './b.js';"), b])).toEqual([]);
    expect(cycles([parse('m/a.ts', "const b = import('./b.js');"), b])).toEqual([]);
  });

  it('see what is of a platform', () => {
    expect(leavesPortability(parse('server/a.ts', "import { join } from 'node:path';"))).toHaveLength(1);
    expect(leavesPortability(parse('runtimes/web/a.ts', "import type { A } from 'node:http';"))).toHaveLength(1);
    expect(leavesPortability(parse('index.ts', "import { a } from './runtimes/node/a.js';"))).toHaveLength(1);
    expect(leavesPortability(parse('runtimes/node/a.ts', "import { join } from 'node:path';"))).toEqual([]);
    expect(leavesPortability(parse('index.node.ts', "import { a } from './runtimes/node/a.js';"))).toEqual([]);
  });

  it('see dates in code, not in comments', () => {
    expect(dates(parse('server/a.ts', "const a = '2025-06-18';"))).toHaveLength(1);
    expect(dates(parse('server/a.ts', `const a = \`\${b} on 2025-06-18 \${c}\`;`))).toHaveLength(1);
    expect(dates(parse('server/a.ts', '// of 2025-06-18\nconst a = "2025-06-19";'))).toEqual([]);
    expect(dates(parse('protocol/versions/a.ts', "const a = '2025-06-18';"))).toEqual([]);
  });

  it('see vague names', () => {
    for (const path of ['core/a.ts', 'server/utils.ts', 'server/internal/a.ts', 'shared.ts']) {
      expect(vagueName(parse(path, ''))).toHaveLength(1);
    }
    for (const path of ['server/corelation.ts', 'client/score.ts']) expect(vagueName(parse(path, ''))).toEqual([]);
  });

  it('see names of age', () => {
    for (const name of ['legacyPeer', 'isModern', 'ERA_OF', 'oldValue', 'newSession']) {
      expect(agedNames(parse('a.ts', `const ${name} = 1;`))).toHaveLength(1);
    }
    for (const name of ['hold', 'renewal', 'operation', 'renewed', 'newest']) {
      expect(agedNames(parse('a.ts', `const ${name} = new Map();`))).toEqual([]);
    }
    expect(agedNames(parse('server/legacy.ts', ''))).toHaveLength(1);
  });

  it('see any, stars and defaults', () => {
    for (const text of [
      'const a: any = 1;',
      "export * from './b.js';",
      'export default 1;',
      'export default class {}',
    ]) {
      expect(looseExports(parse('a.ts', text))).toHaveLength(1);
    }
    expect(looseExports(parse('a.ts', "export * as a from './b.js'; // any"))).toEqual([]);
    expect(looseExports(parse('a.ts', 'const a = 1; export { a as default };'))).toHaveLength(1);
  });

  it('see length', () => {
    expect(longFile(parse('a.ts', lines(300)))).toEqual([]);
    expect(longFile(parse('a.ts', lines(301)))).toHaveLength(1);
    expect(longFunctions(parse('a.ts', `function f() {\n${lines(58)}}`))).toEqual([]);
    expect(longFunctions(parse('a.ts', `const f = () => {\n${lines(59)}};`))).toHaveLength(1);
    const inner = `const g = () => {\n${lines(40)}};\n`;
    expect(longFunctions(parse('a.ts', `function f() {\n${inner}${inner}}`))).toEqual([]);
    expect(longFunctions(parse('a.ts', `function f() {\n${inner}${lines(60)}}`))).toHaveLength(1);
    expect(ninetiethLength([10, 10, 10, 10, 10, 10, 10, 10, 20, 99].map(count => parse('a.ts', lines(count))))).toBe(
      20,
    );
  });

  it('see names that only one entry exports', () => {
    const one = parse(
      'index.ts',
      "export { a, b as c } from './x.js'; export type { T } from './x.js'; export const d = 1;",
    );
    const other = parse('index.node.ts', "export { a } from './x.js'; export interface T {} export function c() {}");
    expect(differentNames(one, other)).toEqual(['only index.ts exports d']);
  });
});
