import type ts from 'typescript-5';
import type { SourceModule } from '../source-module.js';
import { asFunction, type FunctionNode, findProperty, getPropertyValue } from './handlers.js';

/** Changes stdio: `server.connect(new StdioServerTransport())` to `serveStdio(server)`. */
export function rewriteStdio(module: SourceModule): void {
  const { compiler } = module;
  module.walk(node => {
    if (!compiler.isNewExpression(node) || module.getSdkName(node.expression) !== 'StdioServerTransport') return;
    const { parent } = node;
    if (compiler.isCallExpression(parent) && isConnect(module, parent)) return serve(module, parent);
    if (compiler.isVariableDeclaration(parent) && compiler.isIdentifier(parent.name)) {
      const name = parent.name.text;
      const uses = module.listReferences(name).filter(each => each !== parent.name);
      const connects = uses.filter(each => compiler.isCallExpression(each.parent) && isConnect(module, each.parent));
      const isConst = compiler.isVariableDeclarationList(parent.parent) && parent.parent.declarations.length === 1;
      if (isConst && uses.length === connects.length && connects.length > 0 && !isReassigned(module, name)) {
        for (const each of connects) if (compiler.isCallExpression(each.parent)) serve(module, each.parent);
        return module.removeStatement(parent.parent.parent);
      }
      return serveLater(module, node, uses);
    }
    const left = compiler.isBinaryExpression(parent) ? parent.left : undefined;
    if (left === undefined)
      return module.report(node, 'left', 'a transport that is passed on', 'call `serveStdio(server)` of tenon/stdio');
    const text = module.getText(left);
    const uses: ts.Node[] = [];
    module.walk(each => {
      if (
        each !== left &&
        /Expression|Identifier/.test(compiler.SyntaxKind[each.kind] ?? '') &&
        module.getText(each) === text
      )
        uses.push(each);
    });
    serveLater(module, node, uses);
  });
}

/** Tells if a call connects a server with a transport. */
function isConnect({ compiler }: SourceModule, call: ts.CallExpression): boolean {
  return (
    compiler.isPropertyAccessExpression(call.expression) &&
    call.expression.name.text === 'connect' &&
    call.arguments.length === 1 &&
    !/client/i.test(call.expression.expression.getText())
  );
}

function serve(module: SourceModule, call: ts.CallExpression): void {
  if (module.compiler.isPropertyAccessExpression(call.expression))
    module.replace(call, `${module.use('serveStdio', 'tenon/stdio')}(${module.getText(call.expression.expression)})`);
}

function isReassigned(module: SourceModule, name: string): boolean {
  const { compiler } = module;
  return module
    .listReferences(name)
    .some(each => compiler.isBinaryExpression(each.parent) && each.parent.left === each);
}

/** One of several transports is in a variable. The variable gets the function that serves. */
function serveLater(module: SourceModule, created: ts.NewExpression, uses: readonly ts.Node[]): void {
  const { compiler } = module;
  module.replace(created, module.use('serveStdio', 'tenon/stdio'));
  for (const use of uses) {
    const call = use.parent;
    if (
      compiler.isCallExpression(call) &&
      isConnect(module, call) &&
      compiler.isPropertyAccessExpression(call.expression)
    )
      module.replace(call, `${module.getText(use)}(${module.getText(call.expression.expression)})`);
    else if (
      compiler.isPropertyAccessExpression(call) &&
      call.expression === use &&
      use.kind !== compiler.SyntaxKind.ThisKeyword
    )
      module.report(call, 'left', `\`${call.name.text}\` of a transport`, 'pass `onClose` to `serveStdio`');
    else if (compiler.isCallExpression(call) && call.arguments.some(each => each === use))
      module.report(use, 'left', 'a transport that is passed on', 'call `serveStdio(server)` of tenon/stdio');
  }
}

/** Transports of HTTP servers. */
const HTTP_TRANSPORT =
  /^(?:StreamableHTTPServerTransport|NodeStreamableHTTPServerTransport|SSEServerTransport|WebStandardStreamableHTTPServerTransport)$/;
/** Methods of a transport that answer a request. */
const ANSWERS = /^(?:handleRequest|handlePostMessage)$/;
const ROUTES = /^(?:get|post|delete|put|all|use|options)$/;

/** Changes routes of Express, and listeners of `node:http`, that create transports or pass requests to them. */
export function rewriteHttp(module: SourceModule): void {
  const routes = findRoutes(module);
  const main = routes.find(each => each.server !== undefined);
  if (routes.length === 0) return reportHttp(module);
  const server = main?.server;
  if (server === undefined) {
    for (const { fn } of routes)
      module.report(fn, 'left', 'a route that answers MCP requests', 'use `toNode(createHandler(server))`');
    return;
  }
  const name = /\bmcpHandler\b/.test(module.source.text) ? 'tenonHandler' : 'mcpHandler';
  const options = readHandlerOptions(module, routes);
  const handler = `${module.use('createHandler', 'tenon/http')}(${server}${options})`;
  const caller = writeFetchCaller(module, routes, name);
  const text = `const ${name} = ${caller ? handler : `${module.use('toNode', 'tenon/node')}(${handler})`};`;
  const statement = findCommonStatement(
    module,
    routes.map(({ fn }) => fn),
  );
  if (statement) module.insertBefore(statement, `${text}\n${module.getIndent(statement)}`);
  for (const { fn } of routes) module.replace(fn, caller ?? name);
  removeUnused(module, routes);
}

/** Writes the function that passes the `Request` of a framework, such as Hono, on. Undefined for routes of Node. */
function writeFetchCaller(module: SourceModule, routes: readonly Route[], name: string): string | undefined {
  const { compiler } = module;
  const isWeb = ({ transports }: Route) =>
    transports.some(each => /^WebStandard/.test(module.getSdkName(each.expression) ?? ''));
  const fn = routes.find(isWeb)?.fn;
  if (fn === undefined) return undefined;
  const [parameter] = fn.parameters;
  const context = parameter ? module.getText(parameter.name) : 'c';
  let request = `${context}.req.raw`;
  module.walk(node => {
    if (!compiler.isCallExpression(node) || !compiler.isPropertyAccessExpression(node.expression)) return;
    const text = node.arguments[0] && ANSWERS.test(node.expression.name.text) && module.getText(node.arguments[0]);
    if (text && /^\w*/.exec(text)?.[0] === context) request = text;
  }, fn);
  return `(${parameter ? module.getText(parameter) : context}) => ${name}(${request})`;
}

interface Route {
  readonly call: ts.CallExpression;
  readonly fn: FunctionNode;
  readonly path: string | undefined;
  /** Expression of the server that the route connects. */
  readonly server: string | undefined;
  readonly transports: readonly ts.NewExpression[];
}

function findRoutes(module: SourceModule): Route[] {
  const { compiler } = module;
  const routes: Route[] = [];
  module.walk(node => {
    if (!compiler.isCallExpression(node) || !compiler.isPropertyAccessExpression(node.expression)) return;
    if (!ROUTES.test(node.expression.name.text) || node.arguments.length < 2) return;
    const last = node.arguments.at(-1);
    const reference = last && compiler.isIdentifier(last) ? module.findInitializer(last.text) : last;
    const fn = reference && asFunction(module, reference);
    if (!fn || !isMcpRoute(module, fn)) return;
    const [first] = node.arguments;
    const path = first && compiler.isStringLiteralLike(first) ? first.text : undefined;
    const isKnown = routes.some(each => each.fn === fn);
    if (!isKnown)
      routes.push({ call: node, fn, path, server: findServer(module, fn), transports: listTransports(module, fn) });
  });
  // A route without a transport, such as the one that refuses GET, belongs to the same path.
  module.walk(node => {
    if (!compiler.isCallExpression(node) || !compiler.isPropertyAccessExpression(node.expression)) return;
    const [first] = node.arguments;
    const last = node.arguments.at(-1);
    const fn = last && asFunction(module, last);
    if (!fn || !first || !compiler.isStringLiteralLike(first) || !/^(?:get|delete)$/.test(node.expression.name.text))
      return;
    const isSamePath = routes.some(each => each.path === first.text && each.call !== node);
    if (isSamePath && routes.every(each => each.fn !== fn))
      routes.push({ call: node, fn, path: first.text, server: undefined, transports: [] });
  });
  return routes.sort((a, b) => a.call.pos - b.call.pos);
}

function isMcpRoute(module: SourceModule, fn: FunctionNode): boolean {
  const { compiler } = module;
  let found = listTransports(module, fn).length > 0;
  module.walk(node => {
    if (compiler.isPropertyAccessExpression(node) && ANSWERS.test(node.name.text)) found = true;
  }, fn);
  return found;
}

function listTransports(module: SourceModule, from: ts.Node): ts.NewExpression[] {
  const found: ts.NewExpression[] = [];
  module.walk(node => {
    if (module.compiler.isNewExpression(node) && HTTP_TRANSPORT.test(module.getSdkName(node.expression) ?? ''))
      found.push(node);
  }, from);
  return found;
}

/** Returns the expression of the server that a route connects, valid outside the route. */
function findServer(module: SourceModule, fn: FunctionNode): string | undefined {
  const { compiler } = module;
  let server: string | undefined;
  module.walk(node => {
    if (server !== undefined || !compiler.isCallExpression(node) || !isConnect(module, node)) return;
    if (!compiler.isPropertyAccessExpression(node.expression)) return;
    const owner = node.expression.expression;
    server = resolveLocal(module, fn, owner);
  }, fn);
  return server;
}

/** Replaces a constant of a function by its initializer. */
function resolveLocal(module: SourceModule, fn: FunctionNode, owner: ts.Expression): string {
  const { compiler } = module;
  if (!compiler.isIdentifier(owner)) return module.getText(owner);
  let text = owner.text;
  module.walk(node => {
    if (!compiler.isVariableDeclaration(node) || !node.initializer) return;
    const names = compiler.isIdentifier(node.name)
      ? [node.name]
      : compiler.isObjectBindingPattern(node.name)
        ? node.name.elements
        : [];
    const found = names.find(
      each => (compiler.isIdentifier(each) ? each.text : module.getText(each.name)) === owner.text,
    );
    if (!found) return;
    const initializer = module.getEditedText(node.initializer).replace(/^await\s+/, '');
    text = compiler.isIdentifier(found)
      ? initializer
      : `${initializer}.${module.getText(found.propertyName ?? found.name)}`;
  }, fn);
  return text;
}

function readHandlerOptions(module: SourceModule, routes: readonly Route[]): string {
  const options: string[] = [];
  const created = routes.flatMap(each => each.transports);
  const streamable = created.find(each => !/^SSE/.test(module.getSdkName(each.expression) ?? ''));
  const argument = streamable?.arguments?.[0];
  const literal = argument && module.compiler.isObjectLiteralExpression(argument) ? argument : undefined;
  if (streamable && isSessionless(module, argument)) options.push('sessions: false');
  for (const name of ['allowedHosts', 'allowedOrigins']) {
    const value = literal && getPropertyValue(module, findProperty(module, literal, name));
    if (value) options.push(`${name}: ${module.getText(value)}`);
  }
  const path = routes.find(each => streamable && each.transports.includes(streamable))?.path;
  if (path !== undefined && path !== '/mcp') options.push(`path: '${path}'`);
  const sse = routes.find(each => each.transports.some(made => /^SSE/.test(module.getSdkName(made.expression) ?? '')));
  if (sse?.path !== undefined && sse.path !== '/sse') options.push(`ssePath: '${sse.path}'`);
  const messages = sse?.transports[0]?.arguments?.[0];
  if (messages && module.compiler.isStringLiteralLike(messages) && messages.text !== '/messages')
    options.push(`messagesPath: '${messages.text}'`);
  return options.length === 0 ? '' : `, { ${options.join(', ')} }`;
}

/** Tells if the options of a transport have no generator of session IDs. */
function isSessionless(module: SourceModule, options: ts.Expression | undefined): boolean {
  const { compiler } = module;
  if (options === undefined) return true;
  if (!compiler.isObjectLiteralExpression(options)) return false;
  const generator = findProperty(module, options, 'sessionIdGenerator');
  if (generator === undefined) return !options.properties.some(each => compiler.isSpreadAssignment(each));
  const value = getPropertyValue(module, generator);
  return value !== undefined && module.getText(value) === 'undefined';
}

function findStatement({ compiler }: SourceModule, node: ts.Node): ts.Node | undefined {
  let at: ts.Node | undefined = node;
  while (
    at &&
    !(compiler.isStatement(at) && at.parent && (compiler.isBlock(at.parent) || compiler.isSourceFile(at.parent)))
  )
    at = at.parent;
  return at;
}

/** Returns the first statement of the innermost block that contains all nodes. */
function findCommonStatement(module: SourceModule, nodes: readonly ts.Node[]): ts.Node | undefined {
  const start = Math.min(...nodes.map(each => each.pos));
  const end = Math.max(...nodes.map(each => each.end));
  const first = nodes.find(each => each.pos === start);
  let statement = first && findStatement(module, first);
  while (statement && (statement.parent.pos > start || statement.parent.end < end))
    statement = findStatement(module, statement.parent);
  return statement;
}

/** Removes the maps of transports that only the replaced routes used. */
function removeUnused(module: SourceModule, routes: readonly Route[]): void {
  const { compiler } = module;
  module.walk(node => {
    if (!compiler.isVariableDeclaration(node) || !compiler.isIdentifier(node.name)) return;
    if (!/transports?|sessions?/i.test(node.name.text) || !compiler.isVariableDeclarationList(node.parent)) return;
    const { name } = node;
    const uses = module.listReferences(name.text).filter(each => each !== name);
    const isInside = (each: ts.Node) => routes.some(({ fn }) => fn.pos <= each.pos && each.end <= fn.end);
    if (uses.length === 0 || isInside(node) || !uses.every(isInside)) return;
    if (node.parent.declarations.length === 1) module.removeStatement(node.parent.parent);
  });
}

function reportHttp(module: SourceModule): void {
  for (const each of listTransports(module, module.source))
    module.report(
      each,
      'left',
      'an HTTP transport outside a route',
      'serve with `createHandler(server)` of tenon/http, or `serveHttp(server)` of tenon/node',
    );
}
