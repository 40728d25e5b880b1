import type ts from 'typescript-5';
import type { SourceModule } from '../source-module.js';
import { getPropertyName, getPropertyValue } from './handlers.js';

/** A completer of an argument, as text. */
export interface CompleterText {
  readonly name: string;
  readonly text: string;
}

/** Removes `completable(schema, complete)` from a plain object of schemas, and returns the completers. */
export function readCompleters(module: SourceModule, node: ts.Expression): CompleterText[] {
  const { compiler } = module;
  const literal =
    compiler.isCallExpression(node) && node.arguments[0] && compiler.isObjectLiteralExpression(node.arguments[0])
      ? node.arguments[0]
      : node;
  if (!compiler.isObjectLiteralExpression(literal)) return [];
  return literal.properties.flatMap(property => {
    const name = getPropertyName(module, property);
    const value = getPropertyValue(module, property);
    if (name === undefined || value === undefined) return [];
    const found: CompleterText[] = [];
    module.walk(each => {
      if (!compiler.isCallExpression(each) || module.getSdkName(each.expression) !== 'completable') return;
      const [schema, complete] = each.arguments;
      if (schema === undefined || complete === undefined) return;
      found.push({ name, text: module.getEditedText(complete) });
      module.replace(each, module.getEditedText(schema));
    }, value);
    return found;
  });
}
