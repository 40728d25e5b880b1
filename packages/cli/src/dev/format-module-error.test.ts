import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { createModuleErrorReport, formatModuleError } from './format-module-error.js';
import type { ModuleError } from './locate-error.js';

const folder = mkdtempSync(join(tmpdir(), 'tenon-dev-'));
afterAll(() => rmSync(folder, { recursive: true, maxRetries: 10 }));
const file = join(folder, 'a.ts');
writeFileSync(file, "const a: number = 1;\nconst = 2;\nimport b from './b.ts';\n");
const url = pathToFileURL(file).href;
const internal = '    at compile (node:internal/modules/esm/utils:346:16)';

const locate = (error: Partial<ModuleError>) => {
  const {
    message,
    file: path,
    line,
    column,
  } = createModuleErrorReport({ name: '', message: '', stack: '', ...error }, folder);
  return [message, path === file, line, column];
};

describe('locateModuleError', () => {
  it('returns the marked column of a syntax error of Node', () => {
    const stack = `${file}:2\nconst a: number = 1;\nconst = 2;\n      ^\n\nSyntaxError: Unexpected token\n${internal}`;
    expect(locate({ name: 'SyntaxError', message: 'Unexpected token', stack })).toEqual([
      'SyntaxError: Unexpected token',
      true,
      2,
      7,
    ]);
  });

  it('returns the place in the message of esbuild, and removes it from the message', () => {
    const message = `Transform failed with 1 error:\n${file}:2:6: ERROR: Expected identifier but found "="`;
    expect(
      locate({ name: 'TransformError', message, stack: `Error: ${message}\n    at x (/x/esbuild/main.js:1:2)` }),
    ).toEqual(['TransformError: Expected identifier but found "="', true, 2, 7]);
  });

  it('returns the place that an error of Bun names', () => {
    const location = { file, line: 2, column: 7 };
    expect(locate({ name: 'BuildMessage', message: 'Unexpected =', location })).toEqual([
      'BuildMessage: Unexpected =',
      true,
      2,
      7,
    ]);
  });

  it('returns the place in the message of Deno, without its colours', () => {
    const message = `SyntaxError: Unexpected token\n  |\n2 | const = 2;\n    at \u001b[36m${url}\u001b[0m:\u001b[33m2\u001b[0m:7`;
    expect(locate({ name: 'TypeError', message, stack: `TypeError: ${message}` })).toEqual([
      'SyntaxError: Unexpected token',
      true,
      2,
      7,
    ]);
  });

  it('returns the line that imports a missing module', () => {
    const message = `Cannot find module '${join(folder, 'b.ts')}' imported from ${file}`;
    expect(locate({ name: 'Error', message, stack: `Error: ${message}\n${internal}` })).toEqual([
      `Error: ${message}`,
      true,
      3,
      15,
    ]);
  });

  it('returns the first frame in the project, and not one in a package', () => {
    const stack = `Error: x\n    at create (/p/node_modules/tenon/index.js:1:2)\n    at b (/other/c.js:3:4)\n    at f (${url}:1:7)\n${internal}`;
    expect(locate({ name: 'Error', message: 'x', stack })).toEqual(['Error: x', true, 1, 7]);
    expect(locate({ name: 'Error', message: 'x', stack: internal })).toEqual(['Error: x', false, undefined, undefined]);
  });

  it('shows the lines around the place, relative to the folder', () => {
    expect(formatModuleError({ message: 'Error: x', file, line: 2, column: 7 }, folder)).toBe(
      [
        'a.ts:2:7: Error: x',
        '',
        '  1 | const a: number = 1;',
        '> 2 | const = 2;',
        '    |       ^',
        "  3 | import b from './b.ts';",
      ].join('\n'),
    );
    expect(formatModuleError({ message: 'Error: x', file: 'gone.ts', line: 2, column: 7 }, folder)).toMatch(
      /: Error: x$/,
    );
    expect(formatModuleError({ message: 'it ended' }, folder)).toBe('it ended');
  });
});
