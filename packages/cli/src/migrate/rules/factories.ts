import type ts from 'typescript-5';
import { isSdkModule } from '../sdk-names.js';
import type { SourceModule, TenonEntry } from '../source-module.js';
import { asFunction, type FunctionNode, isAwaitAllowed } from './handlers.js';

/** Functions of version 2 that serve what a factory creates, and the function of Tenon that gets the server itself. */
const SERVING: Readonly<
  Record<string, { readonly name: string; readonly entry: TenonEntry; readonly options: string }>
> = {
  serveStdio: { name: 'serveStdio', entry: 'tenon/stdio', options: '' },
  // Version 2 keeps no sessions between requests.
  createMcpHandler: { name: 'createHandler', entry: 'tenon/http', options: ', { sessions: false }' },
};

/** Changes `serveStdio(factory)`, `createMcpHandler(factory)` and `toNodeHandler(handler)` of version 2. */
export function rewriteFactories(module: SourceModule): void {
  const { compiler } = module;
  keepNamesOfReferences(module);
  module.walk(node => {
    if (compiler.isPropertyAccessExpression(node) && node.name.text === 'fetch' && isHandler(module, node.expression))
      module.edits.replace({ start: node.expression.end, end: node.end }, '');
    if (compiler.isExportAssignment(node) && !node.isExportEquals && isHandler(module, node.expression)) {
      // Runtimes call `fetch` of the default export. A handler of version 2 has this member, and that of Tenon is a function.
      module.insertBefore(node.expression, '{ fetch: ');
      module.insertAfter(node.expression, ' }');
    }
    if (!compiler.isCallExpression(node)) return;
    const name = module.getSdkName(node.expression) ?? '';
    if (name === 'toNodeHandler') {
      module.replace(node.expression, module.use('toNode', 'tenon/node'));
      removeOptions(module, node);
    }
    if (Object.hasOwn(SERVING, name)) rewriteServing(module, node, name);
  });
}

/** A function that is not only called keeps its import, whose name the function of Tenon then cannot have. */
function keepNamesOfReferences(module: SourceModule): void {
  const { compiler } = module;
  for (const local of module.imports.keys()) {
    const isCalled = (each: ts.Node) => compiler.isCallExpression(each.parent) && each.parent.expression === each;
    const isServing = local === 'serveStdio' && isSdkModule(module.imports.get(local)?.specifier ?? '');
    if (isServing && !module.listReferences(local).every(isCalled)) module.reserve(local);
  }
}

function rewriteServing(module: SourceModule, call: ts.CallExpression, sdkName: string): void {
  const { compiler } = module;
  const serving = SERVING[sdkName];
  const [factory] = call.arguments;
  if (serving === undefined || factory === undefined) return;
  const fn = findFunction(module, factory);
  const isAsync = fn?.modifiers?.some(each => each.kind === compiler.SyntaxKind.AsyncKeyword) ?? false;
  if (isAsync && !isAwaitAllowed(module, call))
    return module.report(call, 'left', `an asynchronous factory of ${sdkName}`, `pass the server to ${serving.name}`);
  module.replace(call.expression, module.use(serving.name, serving.entry));
  if (sdkName === 'serveStdio') awaitResult(module, call);
  const hasContext = (fn?.parameters.length ?? 0) > 0;
  if (hasContext)
    module.report(
      factory,
      'left',
      `the context of the factory of ${sdkName}`,
      'the server is created once: use `tools: caller => ({ … })`, or `visible` of one tool',
    );
  const written = asFunction(module, factory);
  removeOptions(module, call);
  if (written && !hasContext && !isAsync && !compiler.isBlock(written.body)) {
    // `() => create()`
    module.edits.replace({ start: module.getStart(factory), end: module.getStart(written.body) }, '');
    return module.insertAfter(factory, serving.options);
  }
  const isWritten = written !== undefined;
  module.insertBefore(factory, `${isAsync ? 'await ' : ''}${isWritten ? '(' : ''}`);
  module.insertAfter(factory, `${isWritten ? ')' : ''}(${hasContext ? '{}' : ''})${serving.options}`);
}

/** Version 2 returns what closes the server at once, and Tenon returns a promise of it. */
function awaitResult(module: SourceModule, call: ts.CallExpression): void {
  const { compiler } = module;
  const { parent } = call;
  if (compiler.isExpressionStatement(parent) || compiler.isAwaitExpression(parent) || compiler.isVoidExpression(parent))
    return;
  const isPlain = compiler.isVariableDeclaration(parent) || compiler.isBinaryExpression(parent);
  if (isPlain && isAwaitAllowed(module, call)) return module.insertBefore(call, 'await ');
  module.report(call, 'check', 'the result of `serveStdio`, which is a promise', 'await it before you call `close`');
}

/** Returns the function that creates the server, also one that the file declares with a name. */
function findFunction(module: SourceModule, factory: ts.Expression): FunctionNode | ts.FunctionDeclaration | undefined {
  const { compiler } = module;
  if (!compiler.isIdentifier(factory)) return asFunction(module, factory);
  const initializer = module.findInitializer(factory.text);
  if (initializer) return asFunction(module, initializer);
  return module.source.statements.find(
    (each): each is ts.FunctionDeclaration => compiler.isFunctionDeclaration(each) && each.name?.text === factory.text,
  );
}

function removeOptions(module: SourceModule, call: ts.CallExpression): void {
  const [first, options] = call.arguments;
  if (first === undefined || options === undefined) return;
  const name = module.getText(call.expression);
  module.report(options, 'check', `the options of ${name}, which were removed`, 'see the table of options of HTTP');
  module.edits.replace({ start: first.end, end: options.end }, '');
}

/** Tells if an expression is the result of `createMcpHandler`. Tenon's handler is that function itself. */
function isHandler(module: SourceModule, node: ts.Expression): boolean {
  const { compiler } = module;
  const created = compiler.isIdentifier(node) ? module.findInitializer(node.text) : node;
  return (
    created !== undefined &&
    compiler.isCallExpression(created) &&
    module.getSdkName(created.expression) === 'createMcpHandler'
  );
}
