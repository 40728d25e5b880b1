import ts from 'typescript-5';

/** An optional or required member of an object that users of the library write. */
export interface OptionMember {
  /** The place at which it was first reached: `createServer(definition).stores`. */
  readonly path: string;
  /** An optional member that refuses `undefined` under `exactOptionalPropertyTypes`. */
  readonly isStrict: boolean;
  readonly declaration: ts.PropertySignature | ts.MethodSignature;
}

const MAX_DEPTH = 12;
/** Names of exported types that users write as a whole. */
const GIVEN = /(?:Options|Definition|Target|Rules|Limits|Answers)$/;

/** Names of types whose values `connect` makes. Users pass them on, and write no member of them. */
const MADE: ReadonlySet<string> = new Set(['Client']);

/**
 * Finds the members of all objects that users hand to what these symbols export: the parameters of functions, what their
 * callbacks return, and so on. Members that results alone have are not among them.
 */
export function findOptionMembers(checker: ts.TypeChecker, exported: readonly ts.Symbol[]): OptionMember[] {
  const members = new Map<ts.Node, OptionMember>();
  const seen = { given: new Set<ts.Type>(), returned: new Set<ts.Type>() };
  for (const symbol of exported) {
    const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    if (target.flags & ts.SymbolFlags.Value) follow(checker.getTypeOfSymbol(target), symbol.name, 'returned', 0);
    if (target.flags & ts.SymbolFlags.Type && GIVEN.test(symbol.name))
      follow(checker.getDeclaredTypeOfSymbol(target), symbol.name, 'given', 0);
  }
  return [...members.values()];

  function follow(type: ts.Type, path: string, side: 'given' | 'returned', depth: number): void {
    if (seen[side].has(type) || depth > MAX_DEPTH) return;
    if (side === 'given' && MADE.has(type.symbol?.name)) return;
    seen[side].add(type);
    const other = side === 'given' ? 'returned' : 'given';
    if (type.isUnionOrIntersection()) for (const part of type.types) follow(part, path, side, depth);
    if (type.isTypeParameter()) {
      const constraint = type.getConstraint();
      if (constraint) follow(constraint, path, side, depth + 1);
    }
    if (type.flags & ts.TypeFlags.Object)
      for (const each of checker.getTypeArguments(type as ts.TypeReference)) follow(each, path, side, depth + 1);
    for (const { type: value } of checker.getIndexInfosOfType(type)) follow(value, `${path}[]`, side, depth + 1);
    for (const signature of [...type.getCallSignatures(), ...type.getConstructSignatures()]) {
      follow(signature.getReturnType(), `${path}()`, side, depth + 1);
      for (const parameter of signature.parameters)
        follow(checker.getTypeOfSymbol(parameter), `${path}(${parameter.name})`, other, depth + 1);
    }
    for (const property of type.getProperties()) {
      if (!isOurs(property) || property.name.includes('#')) continue;
      const next = `${path}.${property.name}`;
      if (side === 'given') note(property, next);
      // The types behind internal members are not given by users.
      if (isInternal(property)) continue;
      follow(checker.getTypeOfSymbol(property), next, side, depth + 1);
    }
  }

  /** The type that stands for an absent member has the flag of `undefined` too, but is not `undefined`. */
  function acceptsUndefined(property: ts.Symbol): boolean {
    const type = checker.getTypeOfSymbol(property);
    const parts = type.isUnion() ? type.types : [type];
    const isFree = ({ flags }: ts.Type) => (flags & (ts.TypeFlags.Unknown | ts.TypeFlags.Any)) !== 0;
    return parts.some(part => part === checker.getUndefinedType() || isFree(part));
  }

  function note(property: ts.Symbol, path: string): void {
    for (const declaration of property.declarations ?? []) {
      if (!ts.isPropertySignature(declaration) && !ts.isMethodSignature(declaration)) continue;
      const isStrict = (property.flags & ts.SymbolFlags.Optional) !== 0 && !acceptsUndefined(property);
      const known = members.get(declaration);
      if (!known) members.set(declaration, { path, isStrict, declaration });
      else if (isStrict && !known.isStrict) members.set(declaration, { ...known, isStrict });
    }
  }
}

/** Tells if a symbol is declared in a package of this project. Members of `Promise` or `Uint8Array` are not. */
function isOurs({ declarations = [] }: ts.Symbol): boolean {
  return declarations.some(each => /\/packages\/[\w-]+\/src\//.test(each.getSourceFile().fileName));
}

function isInternal(property: ts.Symbol): boolean {
  return property.getJsDocTags().some(({ name }) => name === 'internal');
}
