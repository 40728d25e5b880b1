import { join, relative } from 'node:path';
import ts from 'typescript-5';
import { root } from '../docs/pages.js';
import { edit } from '../types/editor.js';

const packages = join(root, 'packages/');

/** An export of a package, or a member of one. */
export interface PublicDeclaration {
  /** `Type` or `Type.member`. */
  readonly name: string;
  /** `package/src/file:line`. */
  readonly place: string;
  /** Text of its doc comment, without tags. */
  readonly comment: string;
}

/**
 * Lists the exports of all packages for users, with the members of interfaces, classes and object types. The entries are those that
 * `paths` in tsconfig.json names.
 */
export function listPublicDeclarations(): PublicDeclaration[] {
  const { paths = {} } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile).config.compilerOptions;
  const entries = Object.entries<string[]>(paths).flatMap(([name, [entry = '']]) =>
    /^@tenon\/(?:base|console)|^tenon\/\w+-internals/.test(name) ? [] : [join(root, entry)],
  );
  // The editor parses each file once for all tests.
  const { program } = edit(entries.map(entry => `import '${entry}';`).join('\n'));
  const checker = program.getTypeChecker();
  const symbols = new Set(
    entries
      .flatMap(entry => {
        const file = program.getSourceFile(entry);
        const entrySymbol = file && checker.getSymbolAtLocation(file);
        return entrySymbol ? checker.getExportsOfModule(entrySymbol) : [];
      })
      .map(symbol => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol)),
  );
  const describe = (name: string, symbol: ts.Symbol | undefined, node: ts.Node): PublicDeclaration => ({
    name,
    place: getPlace(node),
    comment: ts.displayPartsToString(symbol?.getDocumentationComment(checker) ?? []),
  });
  return [...symbols].flatMap(symbol => {
    const declarations = (symbol.declarations ?? []).filter(node => node.getSourceFile().fileName.startsWith(packages));
    const [first] = declarations;
    if (first === undefined) return [];
    const members = declarations
      .flatMap(listMembers)
      .map(member =>
        describe(`${symbol.name}.${member.name.getText()}`, checker.getSymbolAtLocation(member.name), member),
      );
    return [describe(symbol.name, symbol, first), ...members];
  });
}

type NamedMember = (ts.TypeElement | ts.ClassElement) & { readonly name: ts.PropertyName };

function listMembers(node: ts.Declaration): NamedMember[] {
  const members: readonly (ts.TypeElement | ts.ClassElement)[] =
    ts.isInterfaceDeclaration(node) || ts.isClassDeclaration(node)
      ? [...node.members]
      : ts.isTypeAliasDeclaration(node) && ts.isTypeLiteralNode(node.type)
        ? [...node.type.members]
        : [];
  return members.filter(
    (member): member is NamedMember =>
      member.name !== undefined && !ts.isPrivateIdentifier(member.name) && !ts.isConstructorDeclaration(member),
  );
}

function getPlace(node: ts.Node): string {
  const file = node.getSourceFile();
  return `${relative(packages, file.fileName)}:${file.getLineAndCharacterOfPosition(node.getStart()).line + 1}`;
}
