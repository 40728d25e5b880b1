import { createRequire } from 'node:module';
import { join } from 'node:path';
import { isObject } from '@tenon/base';
import { TenonError } from 'tenon';
import type ts from 'typescript-5';

/** The parser of TypeScript 5 or 6. Version 7 has no stable one. */
export type Compiler = typeof ts;

/**
 * Loads the package `typescript` of the project, or the one that is installed beside this command.
 *
 * @throws TenonError `migrate/no-compiler` if neither has a parser
 */
export function loadCompiler(project: string, ownFile: string): Compiler {
  const versions: string[] = [];
  for (const from of [join(project, 'package.json'), ownFile]) {
    const loaded = requireFrom(from);
    if (isCompiler(loaded)) return loaded;
    if (isObject(loaded)) versions.push(String(loaded.version ?? 'of another form'));
  }
  throw new TenonError('migrate/no-compiler', 'the parser of TypeScript was not found', {
    expected: 'the package typescript, version 5 or 6',
    received: versions.length === 0 ? 'no package typescript' : `typescript ${versions.join(' and ')}`,
    hint: 'run `npx -p typescript@5 -p @tenon/cli tenon migrate`, which installs it for this run only',
  });
}

function requireFrom(file: string): unknown {
  try {
    return createRequire(file)('typescript');
  } catch {
    return undefined;
  }
}

function isCompiler(value: unknown): value is Compiler {
  return isObject(value) && typeof value.createSourceFile === 'function' && typeof value.forEachChild === 'function';
}
