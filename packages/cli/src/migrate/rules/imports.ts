import type ts from 'typescript-5';
import { isSdkModule, TYPES } from '../sdk-names.js';
import type { SourceModule } from '../source-module.js';

/** Renames types of the SDK, and replaces its imports. Names that are still used keep their import. */
export function rewriteImports(module: SourceModule): void {
  const { compiler } = module;
  module.walk(node => {
    if (!compiler.isTypeReferenceNode(node)) return;
    const name = module.getSdkName(node.typeName);
    const type = name === undefined ? undefined : TYPES[name === 'ResourceTemplate' ? 'ResourceTemplateType' : name];
    if (type === undefined || module.edits.isReplaced(module.getStart(node))) return;
    module.replace(node, module.use(type, 'tenon', { isType: true }));
  });
  const declarations = new Map<ts.Node, string[]>();
  for (const [local, { specifier, declaration }] of module.imports)
    if (isSdkModule(specifier)) declarations.set(declaration, [...(declarations.get(declaration) ?? []), local]);
  let isFirst = true;
  const added = module.formatImports();
  for (const [declaration, locals] of declarations) {
    const stillUsed = locals.filter(local => isStillUsed(module, local, declaration));
    for (const local of stillUsed) reportKept(module, local);
    if (stillUsed.length === 0 && isFirst && added.length > 0) {
      module.replace(declaration, added.join('\n'));
      isFirst = false;
    } else if (stillUsed.length === 0) module.removeStatement(declaration);
    else if (stillUsed.length < locals.length) keepNames(module, declaration, stillUsed);
  }
  if (isFirst && added.length > 0) insertImports(module, added);
}

function isStillUsed(module: SourceModule, local: string, declaration: ts.Node): boolean {
  return module
    .listReferences(local)
    .some(
      each =>
        (each.pos < declaration.pos || each.pos >= declaration.end) && !module.edits.isReplaced(module.getStart(each)),
    );
}

/** Steps for names whose place is not in the server itself. */
const FIXES: Readonly<Record<string, string>> = {
  createMcpExpressApp: 'use `express()`: `createHandler` checks `Host` itself, and `allowedHosts` adds names',
  InMemoryTransport:
    'in tests, `await connect(server)` of tenon returns a client without a transport; `createTransportPair()` of tenon has the two ends',
};

function reportKept(module: SourceModule, local: string): void {
  const imported = module.imports.get(local);
  const use = module
    .listReferences(local)
    .find(each => each.parent !== imported?.declaration && !module.edits.isReplaced(module.getStart(each)));
  if (use && imported)
    module.report(
      use,
      'left',
      `\`${imported.name === '*' ? local : imported.name}\` of ${imported.specifier}`,
      FIXES[imported.name] ?? 'see the table of equivalents; the import stays until then',
    );
}

/** Removes the names that are no longer used from an import. */
function keepNames(module: SourceModule, declaration: ts.Node, stillUsed: readonly string[]): void {
  const { compiler } = module;
  if (!compiler.isImportDeclaration(declaration)) return;
  const bindings = declaration.importClause?.namedBindings;
  if (!bindings || !compiler.isNamedImports(bindings)) return;
  const names = bindings.elements.filter(each => stillUsed.includes(each.name.text)).map(each => module.getText(each));
  module.replace(bindings, `{ ${names.join(', ')} }`);
}

function insertImports(module: SourceModule, lines: readonly string[]): void {
  const { compiler, source } = module;
  const last = source.statements.findLast(each => compiler.isImportDeclaration(each));
  if (last) return module.insertAfter(last, `\n${lines.join('\n')}`);
  const [first] = source.statements;
  const isDirective = first && compiler.isExpressionStatement(first) && compiler.isStringLiteral(first.expression);
  if (isDirective) return module.insertAfter(first, `\n${lines.join('\n')}`);
  module.edits.insert(first ? module.getStart(first) : source.text.length, `${lines.join('\n')}\n`);
}
