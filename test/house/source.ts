import { readdirSync, readFileSync } from 'node:fs';
import { posix, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript-5';

/** One file of the library, parsed. */
export interface Source {
  /** Relative to `src`, with forward slashes. */
  readonly path: string;
  readonly tree: ts.SourceFile;
}

export interface Import {
  /** A path relative to `src`, or the name of a module as it is written. */
  readonly target: string;
  /** Whether it is gone after compilation. */
  readonly typeOnly: boolean;
  /** Whether it is loaded when the importing file is: not so for `import()`. */
  readonly atOnce: boolean;
}

/** The files of a package that are published: all but the tests and their fixtures. */
export function readSources(name = 'tenon'): Source[] {
  const folder = fileURLToPath(new URL(`../../packages/${name}/src`, import.meta.url));
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map(path => path.split(sep).join('/'));
  const published = paths
    .filter(path => path.endsWith('.ts') && !/\.(test|test-d)\.ts$|\/fixtures\//.test(path))
    .sort();
  return published.map(path => parse(path, readFileSync(`${folder}/${path}`, 'utf8')));
}

export function parse(path: string, text: string): Source {
  return { path, tree: ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true) };
}

export const isDeclaration = ({ path }: Source): boolean => path.endsWith('.d.ts');

/** `jsonrpc` for `jsonrpc/peer.ts`, and the empty string for the entries beside the folders. */
const nestedFloors = ['protocol/versions', 'protocol/negotiation'];
/** The folder of the architecture that a file belongs to: the first one of its path, or one inside of it that has rules of its own. */
export const floorOf = (path: string): string =>
  nestedFloors.find(floor => path.startsWith(`${floor}/`)) ?? (path.includes('/') ? (path.split('/')[0] ?? '') : '');

function* nodesOf(node: ts.Node): Generator<ts.Node> {
  yield node;
  const children: ts.Node[] = [];
  ts.forEachChild(node, child => void children.push(child));
  for (const child of children) yield* nodesOf(child);
}

function lineOf({ tree }: Source, node: ts.Node): number {
  return tree.getLineAndCharacterOfPosition(node.getStart()).line + 1;
}

export function importsOf(source: Source): Import[] {
  return [...nodesOf(source.tree)].flatMap(node => {
    const found = importOf(node);
    return found ? [{ ...found, target: resolve(source.path, found.target) }] : [];
  });
}

function importOf(node: ts.Node): Import | undefined {
  if (ts.isImportDeclaration(node)) {
    return statement(node.moduleSpecifier, node.importClause?.isTypeOnly ?? false);
  }
  if (ts.isExportDeclaration(node) && node.moduleSpecifier) return statement(node.moduleSpecifier, node.isTypeOnly);
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) return statement(node.argument.literal, true);
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword && node.arguments[0]) {
    return { target: textOf(node.arguments[0]), typeOnly: false, atOnce: false };
  }
  return undefined;
}

const statement = (specifier: ts.Node, typeOnly: boolean): Import => ({
  target: textOf(specifier),
  typeOnly,
  atOnce: !typeOnly,
});

const textOf = (node: ts.Node): string => (ts.isStringLiteralLike(node) ? node.text : node.getText());

function resolve(from: string, specifier: string): string {
  if (!specifier.startsWith('.')) return specifier;
  return posix.join(posix.dirname(from), specifier).replace(/\.js$/, '.ts');
}

/** The strings in the code, without its comments. */
export function stringsOf(source: Source): { text: string; line: number }[] {
  return [...nodesOf(source.tree)].flatMap(node => {
    const isText = ts.isStringLiteralLike(node) || ts.isTemplateMiddleOrTemplateTail(node) || ts.isTemplateHead(node);
    return isText ? [{ text: node.text, line: lineOf(source, node) }] : [];
  });
}

export function identifiersOf(source: Source): { name: string; line: number }[] {
  return [...nodesOf(source.tree)].flatMap(node =>
    ts.isIdentifier(node) || ts.isPrivateIdentifier(node) ? [{ name: node.text, line: lineOf(source, node) }] : [],
  );
}

/** Each function with a body. Its length is without the insides of the functions in it: those are told for themselves. */
export function functionsOf(source: Source): { name: string; line: number; lines: number }[] {
  return [...nodesOf(source.tree)].filter(hasBody).map(node => {
    const name = 'name' in node && node.name ? (node.name as ts.Node).getText() : '(anonymous)';
    const inside = nestedIn(node).reduce((sum, each) => sum + linesOf(source, each) - 1, 0);
    return { name, line: lineOf(source, node), lines: linesOf(source, node) - inside };
  });
}

const hasBody = (node: ts.Node): boolean => ts.isFunctionLike(node) && 'body' in node && node.body !== undefined;

function nestedIn(node: ts.Node): ts.Node[] {
  const found: ts.Node[] = [];
  ts.forEachChild(node, child => void found.push(...(hasBody(child) ? [child] : nestedIn(child))));
  return found;
}

function linesOf(source: Source, node: ts.Node): number {
  return source.tree.getLineAndCharacterOfPosition(node.getEnd()).line + 2 - lineOf(source, node);
}

/** Names that a module exports, those of types too. */
export function exportedNames(source: Source): string[] {
  return source.tree.statements.flatMap(node => {
    if (ts.isExportDeclaration(node) && node.exportClause && ts.isNamedExports(node.exportClause)) {
      return node.exportClause.elements.map(each => each.name.text);
    }
    if (!ts.canHaveModifiers(node)) return [];
    if (!ts.getModifiers(node)?.some(each => each.kind === ts.SyntaxKind.ExportKeyword)) return [];
    if (ts.isVariableStatement(node)) return node.declarationList.declarations.map(each => each.name.getText());
    return 'name' in node && node.name ? [(node.name as ts.Identifier).text] : [];
  });
}

export function* anyTypesOf(source: Source): Generator<number> {
  for (const node of nodesOf(source.tree)) if (node.kind === ts.SyntaxKind.AnyKeyword) yield lineOf(source, node);
}

/** The lines of `export *` and of default exports. */
export function* unnamedExportsOf(source: Source): Generator<number> {
  for (const node of source.tree.statements) {
    const star = ts.isExportDeclaration(node) && !node.exportClause;
    const modifiers = ts.canHaveModifiers(node) ? ts.getModifiers(node) : undefined;
    const marked = modifiers?.some(each => each.kind === ts.SyntaxKind.DefaultKeyword) ?? false;
    const renamed = ts.isExportDeclaration(node) && exportedNames({ ...source, tree: source.tree }).includes('default');
    if (star || marked || renamed || ts.isExportAssignment(node)) yield lineOf(source, node);
  }
}
