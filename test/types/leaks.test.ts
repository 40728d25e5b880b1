import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript-5';
import { describe, expect, it } from 'vitest';
import { edit } from './editor.js';
import { ENTRIES } from './entries.js';

/** The AI SDK needs a newer Node than the library, so that only `node scripts/tools.mjs` and `npm test` install it. */
const hasAiSdk = existsSync(fileURLToPath(new URL('../../node_modules/ai/package.json', import.meta.url)));
/** How far types are followed from what is exported. */
const MAX_DEPTH = 12;

describe('the types of an entry', () => {
  const { program, source } = edit(ENTRIES.map((entry, at) => `export * as e${at} from '${entry}';`).join('\n'));
  const checker = program.getTypeChecker();
  const modules = checker.getExportsOfModule(checker.getSymbolAtLocation(source) as ts.Symbol);

  it.for(ENTRIES.map((entry, at) => [entry, at] as const))('contain no `any`: %s', ([entry, at], { skip }) => {
    skip(entry === '@tenon/ai' && !hasAiSdk, 'the AI SDK is not installed: run `node scripts/tools.mjs`');
    const namespace = checker.getAliasedSymbol(modules[at] as ts.Symbol);
    const exported = checker.getExportsOfModule(namespace);
    expect(exported.length).toBeGreaterThan(0);
    expect(exported.flatMap(symbol => leaksOf(symbol))).toEqual([]);
  });

  function leaksOf(exported: ts.Symbol): string[] {
    const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
    const found: string[] = [];
    const seen = new Set<ts.Type>();
    if (symbol.flags & ts.SymbolFlags.Type) follow(checker.getDeclaredTypeOfSymbol(symbol), exported.name, 0);
    if (symbol.flags & ts.SymbolFlags.Value) follow(checker.getTypeOfSymbol(symbol), exported.name, 0);
    return found;

    function follow(type: ts.Type, path: string, depth: number): void {
      if (type.flags & ts.TypeFlags.Any) found.push(path);
      if (seen.has(type) || depth > MAX_DEPTH) return;
      seen.add(type);
      const next = (to: ts.Type | undefined, step: string) => to && follow(to, `${path}${step}`, depth + 1);
      if (type.isUnionOrIntersection()) for (const part of type.types) next(part, '');
      for (const each of argumentsOf(type)) next(each, '<>');
      for (const { keyType, type: value } of checker.getIndexInfosOfType(type)) {
        next(keyType, '[key]');
        next(value, '[]');
      }
      for (const signature of [...type.getCallSignatures(), ...type.getConstructSignatures()]) {
        next(signature.getReturnType(), '()');
        for (const parameter of signature.parameters) next(checker.getTypeOfSymbol(parameter), `(${parameter.name})`);
      }
      for (const property of type.getProperties())
        if (isOurs(property) && !isPrivate(property)) next(checker.getTypeOfSymbol(property), `.${property.name}`);
    }
  }

  /** The language gives `AsyncIterable` two more arguments, which are `any` where nobody names them. */
  function argumentsOf(type: ts.Type): readonly ts.Type[] {
    if (!(type.flags & ts.TypeFlags.Object)) return [];
    const all = checker.getTypeArguments(type as ts.TypeReference);
    return type.symbol?.name === 'AsyncIterable' ? all.slice(0, 1) : all;
  }

  /** Nobody reaches a private field or method. */
  const isPrivate = ({ valueDeclaration }: ts.Symbol): boolean => {
    const name = valueDeclaration && ts.getNameOfDeclaration(valueDeclaration);
    return name !== undefined && ts.isPrivateIdentifier(name);
  };

  /** What others declare, if only in one type of a union, is not ours to type: `Promise`, `Uint8Array`, `AbortSignal`. */
  function isOurs({ declarations = [] }: ts.Symbol): boolean {
    return (
      declarations.length > 0 &&
      declarations.every(each =>
        /\/packages\/(?:tenon|base|host|apps|skills|openapi)\/src\//.test(each.getSourceFile().fileName),
      )
    );
  }
});
