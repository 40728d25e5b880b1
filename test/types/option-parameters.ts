import ts from 'typescript-5';

/** A public function whose last parameter takes an object of options. */
export interface OptionFunction {
  readonly name: string;
  /** Index of the parameter. */
  readonly index: number;
}

/** Types of objects that users write as options. */
const OPTIONS = /(?:Options(?:<.*>)?|Defaults)$|^\{ /;

/** A method of a public type whose last parameter takes an object of options: `Client.callTool`. */
export type OptionMethod = `${string}.${string}`;

/** Lists the methods with options of the types that a module exports. Members of `String` and `Array` do not count. */
export function findOptionMethods(checker: ts.TypeChecker, exported: readonly ts.Symbol[]): OptionMethod[] {
  return exported.flatMap(symbol => {
    const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    if (!(target.flags & (ts.SymbolFlags.Interface | ts.SymbolFlags.Class))) return [];
    const members = checker.getDeclaredTypeOfSymbol(target).getProperties();
    return members.flatMap((member): OptionMethod[] => {
      const type = checker.getNonNullableType(checker.getTypeOfSymbol(member));
      const takesOptions = type
        .getCallSignatures()
        .some(({ parameters }) => takesOptionsAs(checker, parameters.at(-1)));
      return takesOptions ? [`${symbol.name}.${member.name}`] : [];
    });
  });
}

function takesOptionsAs(checker: ts.TypeChecker, parameter: ts.Symbol | undefined): boolean {
  if (parameter === undefined) return false;
  const type = checker.getNonNullableType(checker.getTypeOfSymbol(parameter));
  return type.getProperties().length > 0 && OPTIONS.test(checker.typeToString(type));
}

/** Lists the functions with options that a module exports. */
export function findOptionFunctions(checker: ts.TypeChecker, exported: readonly ts.Symbol[]): OptionFunction[] {
  return exported.flatMap(symbol => {
    const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    if (!(target.flags & ts.SymbolFlags.Function)) return [];
    const signatures = checker.getTypeOfSymbol(target).getCallSignatures();
    const index = Math.max(...signatures.map(({ parameters }) => parameters.length)) - 1;
    const takesOptions = signatures.some(({ parameters: { [index]: last } }) => takesOptionsAs(checker, last));
    return takesOptions ? [{ name: symbol.name, index }] : [];
  });
}
