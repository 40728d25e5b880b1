import type ts from 'typescript-5';
import type { SourceModule } from '../source-module.js';

/** Form of a schema in a registration. */
type SchemaForm = 'shape' | 'whole' | 'unknown';

/** Functions of zod whose result is a whole schema of an object. */
const OBJECT_SCHEMA = /^(?:object|strictObject|looseObject|union|discriminatedUnion|intersection|record)$/;

/**
 * Writes a whole schema for one of a registration. Version 1 accepts a plain object of schemas, such as
 * `{ city: z.string() }`.
 */
export function wrapSchema(module: SourceModule, node: ts.Expression): string {
  const { compiler } = module;
  // `schema.shape` is the plain object of a whole schema.
  if (compiler.isPropertyAccessExpression(node) && node.name.text === 'shape')
    return module.getEditedText(node.expression);
  const text = module.getEditedText(node);
  switch (findForm(module, node)) {
    case 'whole':
      return text;
    case 'shape':
      return `${module.useZod()}.object(${text})`;
    default:
      return `${text} && ('~standard' in ${text} ? ${text} : ${module.useZod()}.object(${text}))`;
  }
}

function findForm(module: SourceModule, node: ts.Expression, depth = 0): SchemaForm {
  const { compiler } = module;
  if (depth > 4) return 'unknown';
  if (compiler.isParenthesizedExpression(node) || compiler.isAsExpression(node) || compiler.isSatisfiesExpression(node))
    return findForm(module, node.expression, depth + 1);
  if (compiler.isObjectLiteralExpression(node)) return isJsonSchema(module, node) ? 'whole' : 'shape';
  if (compiler.isPropertyAccessExpression(node) && node.name.text === 'shape') return 'shape';
  if (compiler.isIdentifier(node)) {
    const initializer = module.findInitializer(node.text);
    return initializer ? findForm(module, initializer, depth + 1) : 'unknown';
  }
  if (compiler.isCallExpression(node)) {
    const callee = node.expression;
    if (!compiler.isPropertyAccessExpression(callee)) return 'unknown';
    if (OBJECT_SCHEMA.test(callee.name.text)) return 'whole';
    // `z.object({ … }).strict()`
    return findForm(module, callee.expression, depth + 1) === 'whole' ? 'whole' : 'unknown';
  }
  return 'unknown';
}

function isJsonSchema({ compiler }: SourceModule, node: ts.ObjectLiteralExpression): boolean {
  return node.properties.some(
    each =>
      compiler.isPropertyAssignment(each) &&
      compiler.isIdentifier(each.name) &&
      each.name.text === 'type' &&
      (compiler.isStringLiteral(each.initializer) || compiler.isAsExpression(each.initializer)),
  );
}
