import type ts from 'typescript-5';
import type { SourceModule } from '../source-module.js';

export type FunctionNode = ts.ArrowFunction | ts.FunctionExpression;

/** Returns the function that an expression writes out, or `undefined` for a reference. */
export function asFunction({ compiler }: SourceModule, node: ts.Expression): FunctionNode | undefined {
  const inner = compiler.isParenthesizedExpression(node) ? node.expression : node;
  return compiler.isArrowFunction(inner) || compiler.isFunctionExpression(inner) ? inner : undefined;
}

/** Writes a parameter in front of the others. */
export function prependParameter(module: SourceModule, fn: FunctionNode, text: string): void {
  const [first] = fn.parameters;
  if (first === undefined) return;
  const isBare = module.source.text[module.getStart(first) - 1] !== '(' && !hasParentheses(module, fn);
  module.insertBefore(first, isBare ? `(${text}, ` : `${text}, `);
  if (isBare) module.insertAfter(first, ')');
}

/** Writes a parameter behind the others. */
export function appendParameter(module: SourceModule, fn: FunctionNode, text: string): void {
  const last = fn.parameters.at(-1);
  if (last === undefined) {
    const open = module.source.text.indexOf('(', fn.pos);
    module.edits.insert(open + 1, `_args, ${text}`);
    return;
  }
  const isBare = !hasParentheses(module, fn);
  if (isBare) module.insertBefore(last, '(');
  module.insertAfter(last, `, ${text}${isBare ? ')' : ''}`);
}

/** `x => …` has no parentheses. */
export function hasParentheses(module: SourceModule, fn: FunctionNode): boolean {
  const [first] = fn.parameters;
  if (first === undefined) return true;
  return module.source.text.slice(fn.pos, module.getStart(first)).includes('(');
}

/** Returns the name of a parameter, if it is one name. */
export function getParameterName({ compiler }: SourceModule, parameter: ts.ParameterDeclaration | undefined) {
  return parameter && compiler.isIdentifier(parameter.name) ? parameter.name.text : undefined;
}

/** Indents the lines of a node by one more unit, but not those inside a template literal. */
export function indentMore(module: SourceModule, node: ts.Node): void {
  const { compiler, source } = module;
  const templates: ts.Node[] = [];
  module.walk(each => {
    if (compiler.isNoSubstitutionTemplateLiteral(each) || compiler.isTemplateExpression(each)) templates.push(each);
  }, node);
  const { text } = source;
  for (let at = text.indexOf('\n', module.getStart(node)); at >= 0 && at < node.end; at = text.indexOf('\n', at + 1)) {
    const isInTemplate = templates.some(each => module.getStart(each) < at && at < each.end);
    if (!isInTemplate && text[at + 1] !== '\n' && text[at + 1] !== '\r') module.edits.insert(at + 1, module.indentUnit);
  }
}

/** Returns the name of a property or a parameter of an object, if it is a plain one. */
export function getPropertyName({ compiler }: SourceModule, property: ts.ObjectLiteralElementLike): string | undefined {
  const { name } = property;
  return name && (compiler.isIdentifier(name) || compiler.isStringLiteral(name)) ? name.text : undefined;
}

/** Finds a property of an object literal. */
export function findProperty(module: SourceModule, literal: ts.ObjectLiteralExpression, wanted: string) {
  return literal.properties.find(each => getPropertyName(module, each) === wanted);
}

/** Returns the value of a property, also of one in short form. */
export function getPropertyValue(
  { compiler }: SourceModule,
  property: ts.ObjectLiteralElementLike | undefined,
): ts.Expression | undefined {
  if (property === undefined) return undefined;
  if (compiler.isPropertyAssignment(property)) return property.initializer;
  return compiler.isShorthandPropertyAssignment(property) ? property.name : undefined;
}

/** Tells if `await` is allowed at a place. */
export function isAwaitAllowed({ compiler, isCommonJs }: SourceModule, node: ts.Node): boolean {
  for (let at: ts.Node | undefined = node.parent; at; at = at.parent) {
    if (compiler.isFunctionLike(at)) {
      const modifiers = compiler.canHaveModifiers(at) ? compiler.getModifiers(at) : undefined;
      return modifiers?.some(each => each.kind === compiler.SyntaxKind.AsyncKeyword) ?? false;
    }
  }
  return !isCommonJs;
}
