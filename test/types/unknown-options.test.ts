import type ts from 'typescript-5';
import { describe, expect, it } from 'vitest';
import { edit } from './editor.js';
import { findOptionFunctions } from './option-parameters.js';

const ENTRIES: Readonly<Record<string, () => Promise<object>>> = {
  tenon: () => import('tenon'),
  'tenon/node': () => import('tenon/node'),
  'tenon/stdio': () => import('tenon/stdio'),
  'tenon/http': () => import('tenon/http'),
  'tenon/auth': () => import('tenon/auth'),
  'tenon/auth/node': () => import('tenon/auth/node'),
  'tenon/host': () => import('tenon/host'),
  'tenon/sqlite': () => import('tenon/sqlite'),
  'tenon/redis': () => import('tenon/redis'),
  'tenon/postgres': () => import('tenon/postgres'),
  'tenon/telemetry': () => import('tenon/telemetry'),
  'tenon/testing': () => import('tenon/testing'),
  '@tenon/issuer': () => import('@tenon/issuer'),
  '@tenon/ai': () => import('@tenon/ai'),
};

/** Arguments before the options, for functions that check these first. */
const server = { connect() {}, classifyRequest() {}, answer() {} };
const ARGUMENTS: Readonly<Record<string, readonly unknown[]>> = {
  connect: ['http://127.0.0.1:1/mcp'],
  connectPair: [server],
  createHandler: [server],
  serveHttp: [server],
  serveStdio: [server],
  lintPolicy: [{ rules: [] }],
  logging: [() => {}],
  timeout: [1_000],
};

/**
 * Functions that take other objects as options: the `init` of `fetch`, a whole policy file, and options that `openAudit`
 * passes on. `protect` checks its options by its own rules.
 */
const OTHER_OBJECTS = ['fetchWithAddressCheck', 'createPolicy', 'createAudit', 'protect'];

describe('a public function with options', () => {
  const names = Object.keys(ENTRIES);
  const { program, source } = edit(names.map((entry, index) => `export * as e${index} from '${entry}';`).join('\n'));
  const checker = program.getTypeChecker();
  const modules = checker.getExportsOfModule(checker.getSymbolAtLocation(source) as ts.Symbol);
  const functions = modules.flatMap((namespace, index) =>
    findOptionFunctions(checker, checker.getExportsOfModule(checker.getAliasedSymbol(namespace))).map(each => ({
      ...each,
      entry: names[index] ?? '',
    })),
  );
  const checked = functions.filter(({ name }) => !OTHER_OBJECTS.includes(name));

  it('is found in every entry', () => {
    expect(new Set(functions.map(({ entry }) => entry))).toEqual(new Set(names));
    expect(functions.length).toBeGreaterThan(60);
  });

  it.each(checked)('$entry: $name refuses an unknown name', async ({ entry, name, index }) => {
    const module = (await ENTRIES[entry]?.()) as Record<string, (...given: unknown[]) => unknown>;
    const before = ARGUMENTS[name] ?? Array.from({ length: index }, () => undefined);
    const error = await Promise.resolve()
      .then(() => module[name]?.(...before, { unknownOption: 1 }))
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({ name: 'TenonError', message: expect.stringContaining('"unknownOption"') });
  });
});
