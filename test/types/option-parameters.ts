import ts from 'typescript-5';

/** A public function whose last parameter takes an object of options. */
export interface OptionFunction {
  readonly name: string;
  /** Index of the parameter. */
  readonly index: number;
}

/** Types of objects that users write as options. */
const OPTIONS = /(?:Options(?:<.*>)?|Defaults)$|^\{ /;

/** Lists the functions with options that a module exports. */
export function findOptionFunctions(checker: ts.TypeChecker, exported: readonly ts.Symbol[]): OptionFunction[] {
  return exported.flatMap(symbol => {
    const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    if (!(target.flags & ts.SymbolFlags.Function)) return [];
    const signatures = checker.getTypeOfSymbol(target).getCallSignatures();
    const index = Math.max(...signatures.map(({ parameters }) => parameters.length)) - 1;
    const takesOptions = signatures.some(({ parameters: { [index]: last } }) => {
      if (last === undefined) return false;
      const type = checker.getNonNullableType(checker.getTypeOfSymbol(last));
      return type.getProperties().length > 0 && OPTIONS.test(checker.typeToString(type));
    });
    return takesOptions ? [{ name: symbol.name, index }] : [];
  });
}
