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
  /** True if the compiler removes it. */
  readonly isTypeOnly: boolean;
  /** True if the importing file loads it at once. False for `import()` and types. */
  readonly isImmediate: boolean;
  /** True for an `import()` of a value. The program loads it when that line runs. */
  readonly isDeferred: boolean;
}

/** The packages of this project with code in TypeScript, by the names of their folders. */
export function listPackages(): string[] {
  // `npm create tenon` is a script of a few lines in JavaScript.
  const names = readdirSync(fileURLToPath(new URL('../../packages', import.meta.url)));
  return names.filter(name => name !== 'create-tenon');
}

const sourcesOf = new Map<string, Source[]>();

/** The names under which users load a package. @param folder Name of the folder of the package. */
export function listEntries(folder: string): string[] {
  const manifest = readFileSync(new URL(`../../packages/${folder}/package.json`, import.meta.url), 'utf8');
  const { name, exports }: { name: string; exports: object } = JSON.parse(manifest);
  return Object.keys(exports).map(entry => entry.replace('.', name));
}

/** The files of a package that are published: all but the tests and their fixtures. */
export function readSources(name: string): Source[] {
  const sources = sourcesOf.get(name) ?? parseSources(name);
  sourcesOf.set(name, sources);
  return sources;
}

function parseSources(name: string): Source[] {
  const folder = fileURLToPath(new URL(`../../packages/${name}/src`, import.meta.url));
  const published = listFiles(folder).filter(
    path => /\.tsx?$/.test(path) && !/\.(test|test-d)\.ts$|\/fixtures\//.test(path),
  );
  return published.map(path => parse(path, readFileSync(`${folder}/${path}`, 'utf8')));
}

let testSources: Source[] | undefined;

/** The tests beside the code of all packages, and those in `test`. */
export function readTestSources(): Source[] {
  testSources ??= parseTestSources();
  return testSources;
}

function parseTestSources(): Source[] {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const packages = listPackages().map(name => `packages/${name}/src`);
  return [...packages, 'test'].flatMap(folder =>
    listFiles(`${root}/${folder}`)
      .filter(path => path.endsWith('.ts') && (folder === 'test' || /\.test\.ts$|(^|\/)fixtures\//.test(path)))
      .map(path => parse(`${folder}/${path}`, readFileSync(`${root}/${folder}/${path}`, 'utf8'))),
  );
}

/** Lists the files below a folder, by paths with forward slashes. */
function listFiles(folder: string): string[] {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map(path => path.split(sep).join('/'));
  return paths.filter(path => !/(^|\/)(node_modules|dist)\//.test(path)).sort();
}

export function parse(path: string, text: string): Source {
  return { path, tree: ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true) };
}

export const isDeclarationFile = ({ path }: Source): boolean => path.endsWith('.d.ts');

/** `jsonrpc` for `jsonrpc/peer.ts`, and the empty string for the entries beside the folders. */
const NESTED_LAYERS = ['protocol/versions', 'protocol/negotiation'];
/** The folder of the architecture that a file belongs to: the first one of its path, or one inside of it that has rules of its own. */
export const getLayer = (path: string): string =>
  NESTED_LAYERS.find(floor => path.startsWith(`${floor}/`)) ?? (path.includes('/') ? (path.split('/')[0] ?? '') : '');

/** Nodes by their files: many rules read each file. */
const nodesOf = new WeakMap<ts.SourceFile, readonly ts.Node[]>();

/** Lists all nodes of a file in their order. */
export function walk(tree: ts.SourceFile): readonly ts.Node[] {
  const known = nodesOf.get(tree);
  if (known) return known;
  const nodes: ts.Node[] = [];
  const add = (node: ts.Node): void => {
    nodes.push(node);
    ts.forEachChild(node, add);
  };
  add(tree);
  nodesOf.set(tree, nodes);
  return nodes;
}

function getLine({ tree }: Source, node: ts.Node): number {
  return tree.getLineAndCharacterOfPosition(node.getStart()).line + 1;
}

/** Results by their files, because many rules ask for the same of each file. */
function oncePerFile<Result>(read: (source: Source) => Result): (source: Source) => Result {
  const known = new WeakMap<Source, Result>();
  return source => {
    const found = known.get(source) ?? read(source);
    known.set(source, found);
    return found;
  };
}

export const getImports = oncePerFile((source): readonly Import[] =>
  walk(source.tree).flatMap(node => {
    const found = toImport(node);
    return found ? [{ ...found, target: resolve(source.path, found.target) }] : [];
  }),
);

function toImport(node: ts.Node): Import | undefined {
  if (ts.isImportDeclaration(node)) {
    return createImport(node.moduleSpecifier, node.importClause?.isTypeOnly ?? false);
  }
  if (ts.isExportDeclaration(node) && node.moduleSpecifier) return createImport(node.moduleSpecifier, node.isTypeOnly);
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument))
    return createImport(node.argument.literal, true);
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword && node.arguments[0]) {
    return { target: getText(node.arguments[0]), isTypeOnly: false, isImmediate: false, isDeferred: true };
  }
  return undefined;
}

const createImport = (specifier: ts.Node, isTypeOnly: boolean): Import => ({
  target: getText(specifier),
  isTypeOnly,
  isImmediate: !isTypeOnly,
  isDeferred: false,
});

const getText = (node: ts.Node): string => (ts.isStringLiteralLike(node) ? node.text : node.getText());

function resolve(from: string, specifier: string): string {
  if (!specifier.startsWith('.')) return specifier;
  return posix.join(posix.dirname(from), specifier).replace(/\.js$/, '.ts');
}

/** The strings in the code, without its comments. */
export function getStrings(source: Source): { text: string; line: number }[] {
  return walk(source.tree).flatMap(node => {
    const isText = ts.isStringLiteralLike(node) || ts.isTemplateMiddleOrTemplateTail(node) || ts.isTemplateHead(node);
    return isText ? [{ text: node.text, line: getLine(source, node) }] : [];
  });
}

/** The calls of a file: what is called, and the first argument if it is a string. */
export function getCalls(source: Source): { callee: string; text: string | undefined; line: number }[] {
  return walk(source.tree)
    .filter(ts.isCallExpression)
    .map(node => {
      const [first] = node.arguments;
      const text = first && ts.isStringLiteralLike(first) ? first.text : undefined;
      return { callee: node.expression.getText(), text, line: getLine(source, node) };
    });
}

/** The calls of `replace` and `replaceAll`: their pattern and their replacement as they are written. */
export function getReplacements(source: Source): { pattern: string; replacement: string; line: number }[] {
  return walk(source.tree).flatMap(node => {
    if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return [];
    const [pattern, replacement] = node.arguments;
    if (!/^replace(All)?$/.test(node.expression.name.text) || !pattern || !replacement) return [];
    return [{ pattern: pattern.getText(), replacement: replacement.getText(), line: getLine(source, node) }];
  });
}

interface IdentifierUse {
  readonly name: string;
  readonly line: number;
  readonly isDeclared: boolean;
}

/** The identifiers of a file. `isDeclared` is true where one is the name of a declaration in this file. */
export const getIdentifiers = oncePerFile((source): readonly IdentifierUse[] =>
  walk(source.tree).flatMap(node => {
    if (!ts.isIdentifier(node) && !ts.isPrivateIdentifier(node)) return [];
    const isDeclared = isDeclaration(node.parent) && node.parent.name === node;
    return [{ name: node.text, line: getLine(source, node), isDeclared }];
  }),
);

/** Tells if a node declares its name in this file: imports and members of object literals do not. */
function isDeclaration(node: ts.Node): node is ts.NamedDeclaration {
  return (
    (ts.isVariableDeclaration(node) ||
      ts.isParameter(node) ||
      ts.isFunctionLike(node) ||
      ts.isClassLike(node) ||
      ts.isInterfaceDeclaration(node) ||
      ts.isTypeAliasDeclaration(node) ||
      ts.isPropertyDeclaration(node) ||
      ts.isPropertySignature(node) ||
      (ts.isBindingElement(node) && node.propertyName !== undefined)) &&
    'name' in node
  );
}

/** The functions with a name: declarations, methods of classes, and variables that hold a function. */
export function getNamedFunctions(source: Source): { name: string; line: number }[] {
  return walk(source.tree).flatMap(node => {
    const isFunction =
      ts.isFunctionDeclaration(node) ||
      (ts.isMethodDeclaration(node) && ts.isClassLike(node.parent)) ||
      (ts.isVariableDeclaration(node) &&
        node.initializer !== undefined &&
        (ts.isArrowFunction(node.initializer) || ts.isFunctionExpression(node.initializer)));
    const name = isFunction ? node.name : undefined;
    if (!name || (!ts.isIdentifier(name) && !ts.isPrivateIdentifier(name))) return [];
    return [{ name: name.text.replace(/^#/, ''), line: getLine(source, node) }];
  });
}

/** The functions at the top of a file with their code, in which parameters and variables have numbers in place of names. */
export function getFunctionCodes({ tree }: Source): { name: string; code: string }[] {
  const codes: { name: string; code: string }[] = [];
  for (const node of tree.statements) {
    if (ts.isFunctionDeclaration(node) && node.name) codes.push({ name: node.name.text, code: toNumberedCode(node) });
    for (const { name, initializer } of ts.isVariableStatement(node) ? node.declarationList.declarations : [])
      if (initializer && ts.isArrowFunction(initializer))
        codes.push({ name: name.getText(), code: toNumberedCode(initializer) });
  }
  return codes;
}

function toNumberedCode({ parameters, body }: ts.FunctionDeclaration | ts.ArrowFunction): string {
  const numbers = new Map<string, number>();
  const words: string[] = [];
  const add = (node: ts.Node): void => {
    if (ts.isTypeNode(node)) return;
    const isNamed = (ts.isParameter(node.parent) || ts.isVariableDeclaration(node.parent)) && node.parent.name === node;
    if (ts.isIdentifier(node) && isNamed) numbers.set(node.text, numbers.size);
    const number = ts.isIdentifier(node) ? numbers.get(node.text) : undefined;
    if (number !== undefined) words.push(`$${number}`);
    else if (node.getChildCount() === 0) words.push(node.getText());
    else node.getChildren().forEach(add);
  };
  for (const { name } of parameters) add(name);
  const [only, ...others] = body && ts.isBlock(body) ? body.statements : [];
  const returned = only && others.length === 0 && ts.isReturnStatement(only) ? only.expression : undefined;
  if (body) add(returned ?? body);
  return words.join(' ').replaceAll(';', '');
}

const EXPORT = ts.SyntaxKind.ExportKeyword;

/** Names of the types, interfaces and classes that a file declares at the top. */
export function getDeclaredTypes(source: Source): string[] {
  return source.tree.statements.flatMap(node => {
    const isType = ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || ts.isClassDeclaration(node);
    return isType && node.name ? [node.name.text] : [];
  });
}

/** Names of the functions that a file declares at the top and exports. */
export function getExportedFunctions(source: Source): string[] {
  return source.tree.statements.flatMap(node => {
    const isExported = ts.canHaveModifiers(node) && ts.getModifiers(node)?.some(each => each.kind === EXPORT);
    if (!isExported) return [];
    if (ts.isFunctionDeclaration(node)) return node.name ? [node.name.text] : [];
    const variables = ts.isVariableStatement(node) ? node.declarationList.declarations : [];
    return variables.flatMap(({ name, initializer }) => {
      const isFunction = initializer && (ts.isArrowFunction(initializer) || ts.isFunctionExpression(initializer));
      return isFunction && ts.isIdentifier(name) ? [name.text] : [];
    });
  });
}

/** The comments of the form `/** … *\/`, without their stars. */
export function getDocComments(source: Source): { text: string; line: number }[] {
  return [...source.tree.text.matchAll(/\/\*\*([\s\S]*?)\*\//g)].map(({ 1: text = '', index }) => ({
    text: text.replace(/^\s*\*? ?/gm, '').trim(),
    line: source.tree.getLineAndCharacterOfPosition(index).line + 1,
  }));
}

/** Each function with a body. Its length is without the insides of the functions in it: those are told for themselves. */
export function getFunctions(source: Source): { name: string; line: number; lines: number }[] {
  return walk(source.tree)
    .filter(hasBody)
    .map(node => {
      const name = 'name' in node && node.name ? (node.name as ts.Node).getText() : '(anonymous)';
      const inside = getNestedFunctions(node).reduce((sum, each) => sum + countLines(source, each) - 1, 0);
      return { name, line: getLine(source, node), lines: countLines(source, node) - inside };
    });
}

const hasBody = (node: ts.Node): boolean => ts.isFunctionLike(node) && 'body' in node && node.body !== undefined;

function getNestedFunctions(node: ts.Node): ts.Node[] {
  const found: ts.Node[] = [];
  ts.forEachChild(node, child => void found.push(...(hasBody(child) ? [child] : getNestedFunctions(child))));
  return found;
}

/** Counts the lines from the first to the last one of a node. */
export function countLines(source: Source, node: ts.Node): number {
  return source.tree.getLineAndCharacterOfPosition(node.getEnd()).line + 2 - getLine(source, node);
}

/** Names that a module exports, those of types too. */
export function getExportedNames(source: Source): string[] {
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

export function* findAnyTypes(source: Source): Generator<number> {
  for (const node of walk(source.tree)) if (node.kind === ts.SyntaxKind.AnyKeyword) yield getLine(source, node);
}

/** The lines of `export *` and of default exports. */
export function* findUnnamedExports(source: Source): Generator<number> {
  for (const node of source.tree.statements) {
    const star = ts.isExportDeclaration(node) && !node.exportClause;
    const modifiers = ts.canHaveModifiers(node) ? ts.getModifiers(node) : undefined;
    const marked = modifiers?.some(each => each.kind === ts.SyntaxKind.DefaultKeyword) ?? false;
    const renamed =
      ts.isExportDeclaration(node) && getExportedNames({ ...source, tree: source.tree }).includes('default');
    if (star || marked || renamed || ts.isExportAssignment(node)) yield getLine(source, node);
  }
}
