import type ts from 'typescript-5';
import { CONSTANTS, isSdkModule } from '../sdk-names.js';
import type { SourceModule } from '../source-module.js';

/** Writes the values of constants of the protocol in place of their names, so that they need no import. */
export function rewriteConstants(module: SourceModule): void {
  const { compiler } = module;
  for (const [local, { specifier, name, declaration }] of module.imports) {
    if (!isSdkModule(specifier) || !Object.hasOwn(CONSTANTS, name)) continue;
    for (const reference of module.listReferences(local))
      if (reference.pos < declaration.pos || reference.pos >= declaration.end) writeValue(module, reference, name);
  }
  module.walk(node => {
    if (!compiler.isPropertyAccessExpression(node)) return;
    const name = module.getSdkName(node);
    if (name !== undefined && Object.hasOwn(CONSTANTS, name)) writeValue(module, node, name);
  });
}

function writeValue(module: SourceModule, reference: ts.Expression, name: string): void {
  const { compiler, quote } = module;
  const { parent } = reference;
  // A type or an export needs the name.
  if (compiler.isTypeQueryNode(parent) || compiler.isExportSpecifier(parent)) return;
  const value = CONSTANTS[name];
  const text = typeof value === 'string' ? `${quote}${value}${quote}` : String(value);
  const isShort = compiler.isShorthandPropertyAssignment(parent);
  module.replace(reference, isShort ? `${module.getText(reference)}: ${text}` : text);
}
