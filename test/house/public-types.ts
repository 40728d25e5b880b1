import { join, relative } from 'node:path';
import ts from 'typescript-5';
import { root } from '../docs/pages.js';

const library = join(root, 'packages/tenon');
const source = join(library, 'src');
const ENTRIES = [
  'index.node',
  'node',
  'stdio',
  'http',
  'auth.node',
  'auth-node',
  'host.node',
  'sqlite',
  'testing/index',
];

/** An export of the library, or a member of one. */
export interface PublicDeclaration {
  /** `Type` or `Type.member`. */
  readonly name: string;
  /** `file:line`. */
  readonly place: string;
  /** Text of its doc comment, without tags. */
  readonly comment: string;
}

/** Lists what the entries of the library export, with the members of interfaces, classes and object types. */
export function listPublicDeclarations(): PublicDeclaration[] {
  const config = ts.readConfigFile(join(library, 'tsconfig.build.json'), ts.sys.readFile).config;
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, library);
  const program = ts.createProgram(
    ENTRIES.map(entry => join(source, `${entry}.ts`)),
    { ...options, noEmit: true },
  );
  const checker = program.getTypeChecker();
  const symbols = new Set(
    ENTRIES.flatMap(entry => {
      const file = program.getSourceFile(join(source, `${entry}.ts`));
      const entrySymbol = file && checker.getSymbolAtLocation(file);
      return entrySymbol ? checker.getExportsOfModule(entrySymbol) : [];
    }).map(symbol => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol)),
  );
  const describe = (name: string, symbol: ts.Symbol | undefined, node: ts.Node): PublicDeclaration => ({
    name,
    place: getPlace(node),
    comment: ts.displayPartsToString(symbol?.getDocumentationComment(checker) ?? []),
  });
  return [...symbols].flatMap(symbol => {
    const declarations = (symbol.declarations ?? []).filter(node => node.getSourceFile().fileName.startsWith(source));
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
  return `${relative(source, file.fileName)}:${file.getLineAndCharacterOfPosition(node.getStart()).line + 1}`;
}
