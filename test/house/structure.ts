/** The shape of the code as figures. They are read in review; no test fails because of them. */
import ts from 'typescript-5';
import { findTypeCycles } from './import-rules.js';
import { findFunctionsWithoutVerb } from './naming-rules.js';
import { countLines, getFunctions, type Source, walk } from './source.js';

export interface Structure {
  readonly files: number;
  readonly codeLines: number;
  readonly fileLines: Percentiles;
  /** Lines of functions without those of the functions inside them. */
  readonly functionLines: Percentiles;
  readonly functionsWithoutVerb: number;
  readonly importsPerFile: number;
  /** Groups of files that name each other, by values or types. */
  readonly cycles: { readonly groups: number; readonly files: number; readonly largest: number };
  readonly largestFolder: { readonly path: string; readonly files: number };
}

export interface Percentiles {
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly max: number;
}

/** Measures one package. Lines of code are those that are neither empty nor only a comment. */
export function measureStructure(sources: readonly Source[]): Structure {
  const folders = new Map<string, number>();
  for (const { path } of sources) {
    const folder = path.split('/').slice(0, -1).join('/') || '.';
    folders.set(folder, (folders.get(folder) ?? 0) + 1);
  }
  const [largest] = [...folders].sort(([, one], [, other]) => other - one);
  const imports = sources.flatMap(({ tree }) => tree.statements.filter(ts.isImportDeclaration));
  const cycles = findTypeCycles(sources);
  return {
    files: sources.length,
    codeLines: sources.reduce((sum, source) => sum + countCodeLines(source.tree.text), 0),
    fileLines: computePercentiles(sources.map(({ tree }) => tree.text.replace(/\n$/, '').split('\n').length)),
    functionLines: computePercentiles(sources.flatMap(source => getFunctions(source).map(({ lines }) => lines))),
    functionsWithoutVerb: sources.flatMap(findFunctionsWithoutVerb).length,
    importsPerFile: imports.length / Math.max(1, sources.length),
    cycles: { groups: cycles.length, files: cycles.flat().length, largest: cycles[0]?.length ?? 0 },
    largestFolder: { path: largest?.[0] ?? '.', files: largest?.[1] ?? 0 },
  };
}

/** Returns the values that 50, 90, 99 and 100 % of the given ones do not exceed. */
function computePercentiles(values: readonly number[]): Percentiles {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (part: number): number => sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? 0;
  return { p50: at(0.5), p90: at(0.9), p99: at(0.99), max: at(1) };
}

function countCodeLines(text: string): number {
  const withoutComments = text.replace(/^\s*\/\*[\s\S]*?\*\//gm, '');
  return withoutComments.split('\n').filter(line => line.trim() !== '' && !line.trim().startsWith('//')).length;
}

/** A function at the top of a file, with the lines from its first to its last. */
export interface TopFunction {
  readonly path: string;
  readonly name: string;
  readonly lines: number;
}

/**
 * Lists the functions at the top of the files of `sources`, and those of them that the code of `all` names once, imports not
 * counted. Functions that an entry exports are left out: programs of users name them.
 */
export function findFunctionsWithOneReference(
  sources: readonly Source[],
  all: readonly Source[],
): { readonly functions: readonly TopFunction[]; readonly once: readonly TopFunction[] } {
  const anywhere = new Map<string, number>();
  const inFile = new Map<Source, Map<string, number>>();
  const reexported = new Set<string>();
  for (const source of all) {
    const own = new Map<string, number>();
    for (const node of walk(source.tree)) {
      if (!ts.isIdentifier(node)) continue;
      if (ts.isExportSpecifier(node.parent)) reexported.add(node.text);
      if (ts.isImportSpecifier(node.parent) || ts.isExportSpecifier(node.parent) || ts.isImportClause(node.parent))
        continue;
      anywhere.set(node.text, (anywhere.get(node.text) ?? 0) + 1);
      own.set(node.text, (own.get(node.text) ?? 0) + 1);
    }
    inFile.set(source, own);
  }
  const functions: TopFunction[] = [];
  const once: TopFunction[] = [];
  for (const source of sources) {
    for (const { name, node, isExported } of listTopFunctions(source)) {
      if (isExported && reexported.has(name)) continue;
      const found = { path: source.path, name, lines: countLines(source, node) };
      functions.push(found);
      // The declaration is one of the names.
      if (((isExported ? anywhere : inFile.get(source))?.get(name) ?? 0) <= 2) once.push(found);
    }
  }
  return { functions, once };
}

interface Declared {
  readonly name: string;
  readonly node: ts.Node;
  readonly isExported: boolean;
}

function listTopFunctions(source: Source): readonly Declared[] {
  return source.tree.statements.flatMap((statement): readonly Declared[] => {
    const modifiers = ts.canHaveModifiers(statement) ? ts.getModifiers(statement) : undefined;
    const isExported = modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false;
    if (ts.isFunctionDeclaration(statement) && statement.name && statement.body)
      return [{ name: statement.name.text, node: statement, isExported }];
    if (!ts.isVariableStatement(statement)) return [];
    return statement.declarationList.declarations.flatMap(({ name, initializer }) => {
      const isFunction = initializer && (ts.isArrowFunction(initializer) || ts.isFunctionExpression(initializer));
      return isFunction && ts.isIdentifier(name) ? [{ name: name.text, node: initializer, isExported }] : [];
    });
  });
}
