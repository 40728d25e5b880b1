import type ts from 'typescript-5';
import type { SourceModule } from '../source-module.js';

/** Changes what differs between zod 3 and 4. Tenon needs schemas of zod 4. */
export function rewriteZod(module: SourceModule): void {
  const { compiler } = module;
  const tested = new Set<string>();
  module.walk(node => {
    if (!compiler.isBinaryExpression(node) || node.operatorToken.kind !== compiler.SyntaxKind.InstanceOfKeyword) return;
    if (/\bZodError$/.test(module.getText(node.right))) tested.add(module.getText(node.left));
  });
  module.walkInnerFirst(node => {
    if (compiler.isPropertyAccessExpression(node) && node.name.text === 'errors') {
      if (tested.has(module.getText(node.expression)) || isParseError(module, node.expression))
        module.replace(node.name, 'issues');
    }
    if (!compiler.isCallExpression(node)) return;
    const { expression: callee, arguments: args } = node;
    const [first] = args;
    if (first === undefined) return;
    // The default of zod 3 is an input of the schema. That of zod 4 is its output, behind all transformations.
    if (
      compiler.isPropertyAccessExpression(callee) &&
      callee.name.text === 'default' &&
      transformsInput(module, callee.expression)
    )
      module.replace(callee.name, 'prefault');
    if (
      compiler.isPropertyAccessExpression(callee) &&
      callee.name.text === 'record' &&
      args.length === 1 &&
      isZod(module, callee.expression)
    )
      module.insertBefore(first, `${module.getText(callee.expression)}.string(), `);
    const imported = compiler.isIdentifier(callee) ? module.imports.get(callee.text) : undefined;
    if (imported?.specifier === 'zod-to-json-schema')
      module.replace(
        node,
        `${module.useZod()}.toJSONSchema(${module.getEditedText(first)}, { io: 'input', target: 'draft-7' })`,
      );
  });
  for (const [local, { specifier, declaration }] of module.imports)
    if (
      specifier === 'zod-to-json-schema' &&
      module.listReferences(local).every(each => module.edits.isReplaced(module.getStart(each)))
    )
      module.removeStatement(declaration);
}

/** Tells if an expression is the error of a result of `safeParse`: `result.error`. */
function isParseError(module: SourceModule, node: ts.Expression): boolean {
  const { compiler } = module;
  const inner = compiler.isNonNullExpression(node) ? node.expression : node;
  if (!compiler.isPropertyAccessExpression(inner) || inner.name.text !== 'error') return false;
  const { expression } = inner;
  const parsed = compiler.isIdentifier(expression) ? module.findInitializer(expression.text) : expression;
  return parsed !== undefined && /\.safeParse(?:Async)?\([\s\S]*\)$/.test(module.getText(parsed));
}

/** Tells if a schema of zod changes its input: `z.string().transform(Number)`. */
function transformsInput(module: SourceModule, schema: ts.Expression): boolean {
  const { compiler } = module;
  let transforms = false;
  for (let at = schema; compiler.isCallExpression(at) || compiler.isPropertyAccessExpression(at); at = at.expression) {
    if (!compiler.isPropertyAccessExpression(at)) continue;
    transforms ||= /^(?:transform|pipe|preprocess)$/.test(at.name.text);
    if (transforms && isZod(module, at.expression)) return true;
  }
  return false;
}

const isZod = (module: SourceModule, node: { getText(): string }): boolean =>
  /^(?:z|zod|zod_\d+\.z|zod_\d+\.default)$/.test(node.getText()) &&
  [...module.imports.values()].some(({ specifier }) => /^zod(?:$|\/)/.test(specifier));
