import type ts from 'typescript-5';
import type { Compiler } from './compiler.js';
import type { MigrationFinding } from './finding.js';
import { isSdkModule } from './sdk-names.js';
import { TextEdits } from './text-edits.js';

/** A name that a module imports. */
interface ImportedName {
  readonly specifier: string;
  /** Exported name: `default`, or `*` for the namespace. */
  readonly name: string;
  readonly declaration: ts.Node;
}

/** Entries of `tenon` from which a migrated module imports. */
export type TenonEntry = 'tenon' | 'tenon/stdio' | 'tenon/http' | 'tenon/node';

const TS_FILE = /\.[mc]?tsx?$/;

/** A parsed source file, with the changes that the rules make to it. */
export class SourceModule {
  readonly compiler: Compiler;
  /** Path relative to the project. */
  readonly file: string;
  readonly source: ts.SourceFile;
  readonly edits = new TextEdits();
  readonly findings: MigrationFinding[] = [];
  /** True if types can be written. */
  readonly isTyped: boolean;
  /** True if the file imports with `require`. */
  readonly isCommonJs: boolean;
  readonly imports: ReadonlyMap<string, ImportedName>;
  readonly #declared: ReadonlySet<string>;
  readonly #reserved = new Set<string>();
  readonly #added = new Map<TenonEntry | 'zod', Map<string, { local: string; isType: boolean }>>();

  constructor(compiler: Compiler, file: string, text: string) {
    this.compiler = compiler;
    this.file = file;
    this.isTyped = TS_FILE.test(file);
    const kind = /x$/.test(file)
      ? this.isTyped
        ? compiler.ScriptKind.TSX
        : compiler.ScriptKind.JSX
      : this.isTyped
        ? compiler.ScriptKind.TS
        : compiler.ScriptKind.JS;
    this.source = compiler.createSourceFile(file, text, compiler.ScriptTarget.Latest, true, kind);
    this.imports = this.#readImports();
    this.isCommonJs =
      !this.source.statements.some(
        each =>
          compiler.isImportDeclaration(each) || compiler.isExportDeclaration(each) || compiler.isExportAssignment(each),
      ) && /\brequire\(/.test(text);
    this.#declared = this.#readDeclared();
  }

  /** Calls a function for each node of a tree, the outer ones first. */
  walk(visit: (node: ts.Node) => void, from: ts.Node = this.source): void {
    const step = (node: ts.Node): void => {
      visit(node);
      this.compiler.forEachChild(node, step);
    };
    step(from);
  }

  /** Calls a function for each node of a tree, the inner ones first. Outer rules then move text that is already changed. */
  walkInnerFirst(visit: (node: ts.Node) => void, from: ts.Node = this.source): void {
    const nodes: ts.Node[] = [];
    this.walk(node => nodes.push(node), from);
    // The reverse order also has arguments before the function that gets them.
    for (const node of nodes.reverse()) visit(node);
  }

  getText(node: ts.Node): string {
    return node.getText(this.source);
  }

  getStart(node: ts.Node): number {
    return node.getStart(this.source);
  }

  /** Returns a node with the changes that were made to it so far. */
  getEditedText(node: ts.Node): string {
    return this.edits.apply(this.source.text, { start: this.getStart(node), end: node.end });
  }

  replace(node: ts.Node, text: string): void {
    this.edits.replace({ start: this.getStart(node), end: node.end }, text);
  }

  insertBefore(node: ts.Node, text: string): void {
    this.edits.insert(this.getStart(node), text);
  }

  insertAfter(node: ts.Node, text: string): void {
    this.edits.insert(node.end, text);
  }

  /** Removes a statement, with its line if nothing else is in it. The body of an `if` becomes an empty block. */
  removeStatement(node: ts.Node): void {
    if (!this.#isInList(node)) return this.replace(node, '{}');
    const { text } = this.source;
    let start = this.getStart(node);
    let end = node.end;
    while (start > 0 && /[ \t]/.test(text[start - 1] ?? '')) start -= 1;
    const isOwnLine = start === 0 || text[start - 1] === '\n';
    const rest = /^[ \t]*\r?(?:\n|$)/.exec(text.slice(end));
    if (isOwnLine && rest) end += rest[0].length;
    else start = this.getStart(node);
    this.edits.replace({ start, end }, '');
  }

  /** Makes a statement that has no equivalent a comment, so that the program still starts. */
  commentOut(node: ts.Node): void {
    const lines = this.getText(node).split('\n');
    const text = lines.map((line, index) => (index === 0 ? `// ${line}` : line.replace(/^(\s*)/, '$1// '))).join('\n');
    const indent = this.getIndent(node);
    const comment = `// TODO: tenon migrate could not change this.\n${indent}${text}`;
    this.replace(node, this.#isInList(node) ? comment : `{\n${indent}${comment}\n${indent}}`);
  }

  /** Tells if a statement is one of a list, and not the body of an `if` or a loop, which needs a statement. */
  #isInList({ parent }: ts.Node): boolean {
    const { compiler } = this;
    return (
      compiler.isSourceFile(parent) ||
      compiler.isBlock(parent) ||
      compiler.isModuleBlock(parent) ||
      compiler.isCaseOrDefaultClause(parent)
    );
  }

  /** Reports a place. */
  report(node: ts.Node, kind: MigrationFinding['kind'], what: string, fix: string): void {
    const { line } = this.source.getLineAndCharacterOfPosition(this.getStart(node));
    this.findings.push({ file: this.file, line: line + 1, kind, what, fix });
  }

  /** Returns the white space at the beginning of the line of a node. */
  getIndent(node: ts.Node): string {
    const { text } = this.source;
    const start = text.lastIndexOf('\n', this.getStart(node) - 1) + 1;
    return /^[ \t]*/.exec(text.slice(start))?.[0] ?? '';
  }

  /** Unit of indentation of the file. */
  get indentUnit(): string {
    return /^(?:\t|[ ]{2}(?![ ])|[ ]{4})(?=\S)/m.exec(this.source.text)?.[0] ?? '  ';
  }

  /** Returns the name of an export of the SDK to which an expression refers, or `undefined`. */
  getSdkName(node: ts.Node): string | undefined {
    const { compiler } = this;
    if (compiler.isIdentifier(node)) {
      const imported = this.imports.get(node.text);
      return imported && isSdkModule(imported.specifier) && imported.name !== '*' ? imported.name : undefined;
    }
    const [left, right] = compiler.isPropertyAccessExpression(node)
      ? [node.expression, node.name]
      : compiler.isQualifiedName(node)
        ? [node.left, node.right]
        : [];
    if (left === undefined || right === undefined || !compiler.isIdentifier(left)) return undefined;
    const imported = this.imports.get(left.text);
    return imported?.name === '*' && isSdkModule(imported.specifier) ? right.text : undefined;
  }

  /** Tells if the file imports a package of the SDK. */
  get usesSdk(): boolean {
    return [...this.imports.values()].some(({ specifier }) => isSdkModule(specifier));
  }

  /** Adds an import, and returns its local name. */
  use(name: string, entry: TenonEntry | 'zod' = 'tenon', { isType = false } = {}): string {
    const names = this.#added.get(entry) ?? new Map<string, { local: string; isType: boolean }>();
    this.#added.set(entry, names);
    const known = names.get(name);
    if (known) {
      known.isType &&= isType;
      return known.local;
    }
    const local =
      this.#declared.has(name) || this.#reserved.has(name) ? `tenon${name[0]?.toUpperCase()}${name.slice(1)}` : name;
    names.set(name, { local, isType });
    return local;
  }

  /** Keeps a name of an import that stays, so that no added import has it. */
  reserve(name: string): void {
    this.#reserved.add(name);
  }

  /** Returns an expression for `z` of zod, and imports it if the file does not. */
  useZod(): string {
    for (const [local, { specifier, name }] of this.imports) {
      if (!/^zod(?:\/v\d)?$/.test(specifier)) continue;
      if (name === 'z' || name === 'default') return local;
      if (name === '*') return this.isCommonJs ? `${local}.z` : local;
    }
    return this.use('z', 'zod');
  }

  /** Returns the lines of imports that were added. */
  formatImports(): string[] {
    const entries = [...this.#added].sort(([a], [b]) => (a < b ? -1 : 1));
    return entries.flatMap(([entry, names]) => this.#formatImport(entry, [...names]));
  }

  #formatImport(entry: string, names: [string, { local: string; isType: boolean }][]): string[] {
    if (names.length === 0) return [];
    const join = (as: string, each: readonly [string, { local: string }]) =>
      each[0] === each[1].local ? each[0] : `${each[0]}${as}${each[1].local}`;
    const sorted = names.sort(([a], [b]) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1));
    const quote = this.quote;
    if (this.isCommonJs)
      return [`const { ${sorted.map(each => join(': ', each)).join(', ')} } = require(${quote}${entry}${quote});`];
    const onlyTypes = sorted.every(([, { isType }]) => isType);
    const listed = sorted.map(each => `${each[1].isType && !onlyTypes ? 'type ' : ''}${join(' as ', each)}`);
    return [`import ${onlyTypes ? 'type ' : ''}{ ${listed.join(', ')} } from ${quote}${entry}${quote};`];
  }

  /** Quotation mark of the imports of the file. */
  get quote(): string {
    return /(?:from|require\(|import)\s*(["'])/.exec(this.source.text)?.[1] ?? "'";
  }

  /** Lists the identifiers with a text, without those that declare imports. */
  listReferences(name: string): ts.Identifier[] {
    const found: ts.Identifier[] = [];
    const visit = (node: ts.Node): void => {
      if (this.compiler.isImportDeclaration(node)) return;
      if (this.compiler.isIdentifier(node) && node.text === name && !this.#isMemberName(node)) found.push(node);
      this.compiler.forEachChild(node, visit);
    };
    visit(this.source);
    return found;
  }

  /** Returns the initializer of the only variable with this name, or `undefined`. */
  findInitializer(name: string): ts.Expression | undefined {
    const found: ts.Expression[] = [];
    this.walk(node => {
      if (this.compiler.isVariableDeclaration(node) && this.compiler.isIdentifier(node.name) && node.name.text === name)
        if (node.initializer) found.push(node.initializer);
    });
    return found.length === 1 ? found[0] : undefined;
  }

  #isMemberName(node: ts.Identifier): boolean {
    const { parent } = node;
    if (this.compiler.isPropertyAccessExpression(parent)) return parent.name === node;
    return this.compiler.isPropertyAssignment(parent) && parent.name === node;
  }

  #readImports(): Map<string, ImportedName> {
    const { compiler } = this;
    const imports = new Map<string, ImportedName>();
    for (const statement of this.source.statements) {
      if (compiler.isImportDeclaration(statement) && compiler.isStringLiteral(statement.moduleSpecifier)) {
        const specifier = statement.moduleSpecifier.text;
        const { importClause } = statement;
        const add = (local: ts.Identifier, name: string) =>
          imports.set(local.text, { specifier, name, declaration: statement });
        if (importClause?.name) add(importClause.name, 'default');
        const bindings = importClause?.namedBindings;
        if (bindings && compiler.isNamespaceImport(bindings)) add(bindings.name, '*');
        else if (bindings) for (const each of bindings.elements) add(each.name, (each.propertyName ?? each.name).text);
      } else if (compiler.isVariableStatement(statement)) {
        for (const declaration of statement.declarationList.declarations)
          this.#readRequire(statement, declaration, imports);
      }
    }
    return imports;
  }

  #readRequire(
    statement: ts.Statement,
    { name, initializer }: ts.VariableDeclaration,
    imports: Map<string, ImportedName>,
  ): void {
    const { compiler } = this;
    // TypeScript wraps some calls: `__importStar(require("x"))`.
    const inner =
      initializer && compiler.isCallExpression(initializer) && compiler.isIdentifier(initializer.expression)
        ? initializer.expression.text === 'require'
          ? initializer
          : /^__import(?:Star|Default)$/.test(initializer.expression.text)
            ? initializer.arguments[0]
            : undefined
        : undefined;
    const argument = inner && compiler.isCallExpression(inner) ? inner.arguments[0] : undefined;
    if (argument === undefined || !compiler.isStringLiteral(argument)) return;
    const add = (local: string, imported: string) =>
      imports.set(local, { specifier: argument.text, name: imported, declaration: statement });
    if (compiler.isIdentifier(name)) add(name.text, '*');
    else if (compiler.isObjectBindingPattern(name))
      for (const each of name.elements)
        if (compiler.isIdentifier(each.name))
          add(
            each.name.text,
            each.propertyName && compiler.isIdentifier(each.propertyName) ? each.propertyName.text : each.name.text,
          );
  }

  /** Names that the file declares or imports from elsewhere, which an added import must not have. */
  #readDeclared(): Set<string> {
    const { compiler } = this;
    const names = new Set<string>();
    for (const [local, { specifier }] of this.imports) if (!isSdkModule(specifier)) names.add(local);
    this.walk(node => {
      const isNamed =
        compiler.isVariableDeclaration(node) ||
        compiler.isParameter(node) ||
        compiler.isBindingElement(node) ||
        compiler.isFunctionDeclaration(node) ||
        compiler.isFunctionExpression(node) ||
        compiler.isClassDeclaration(node) ||
        compiler.isInterfaceDeclaration(node) ||
        compiler.isTypeAliasDeclaration(node);
      if (isNamed && node.name && compiler.isIdentifier(node.name) && !this.#isSdkBinding(node.name.text))
        names.add(node.name.text);
    });
    return names;
  }

  #isSdkBinding(name: string): boolean {
    const imported = this.imports.get(name);
    return imported !== undefined && isSdkModule(imported.specifier);
  }
}
