import type ts from 'typescript-5';
import type { SourceModule } from '../source-module.js';
import {
  appendParameter,
  asFunction,
  type FunctionNode,
  findProperty,
  getPropertyName,
  getPropertyValue,
  hasParentheses,
} from './handlers.js';
import type { Registration } from './registrations.js';

/** Members of the second argument of a handler, whose names differ. */
const MEMBERS: Readonly<Record<string, string>> = {
  _meta: 'meta',
  authInfo: 'auth',
  closeSSEStream: 'closeStream',
  closeSSE: 'closeStream',
};
const SAME: ReadonlySet<string> = new Set(['signal', 'sessionId']);

/** Requests to the client. */
const CLIENT_REQUESTS: Readonly<Record<string, string>> = {
  createMessage: 'sample',
  requestSampling: 'sample',
  elicitInput: 'elicit',
  listRoots: 'roots',
  'sampling/createMessage': 'sample',
  'elicitation/create': 'elicit',
  'roots/list': 'roots',
};

/** Changes the context of handlers: `extra.sendNotification(…)` to `extra.notify(…)`, and requests to the client. */
export function rewriteContexts(module: SourceModule, registrations: readonly Registration[]): void {
  const { compiler } = module;
  const names = listContextNames(module, registrations);
  module.walkInnerFirst(node => {
    if (compiler.isParameter(node) && compiler.isObjectBindingPattern(node.name) && isContextPattern(module, node))
      rewritePattern(module, node.name);
    if (compiler.isPropertyAccessExpression(node)) rewriteMember(module, node, names);
    if (compiler.isCallExpression(node)) rewriteServerCall(module, node, registrations);
  });
}

function listContextNames(module: SourceModule, registrations: readonly Registration[]): Set<string> {
  const { compiler } = module;
  const names = new Set<string>();
  module.walk(node => {
    if (!compiler.isParameter(node) || !compiler.isIdentifier(node.name)) return;
    const isContext =
      node.name.text === 'extra' ||
      (node.type &&
        compiler.isTypeReferenceNode(node.type) &&
        /^(?:RequestHandlerExtra|ServerContext)$/.test(module.getSdkName(node.type.typeName) ?? ''));
    if (isContext) names.add(node.name.text);
  });
  for (const registration of registrations) {
    const name = getContextParameter(module, registration)?.name;
    if (name && compiler.isIdentifier(name)) names.add(name.text);
  }
  return names;
}

function getContextParameter(module: SourceModule, { handler, kind, call, hasArguments }: Registration) {
  const fn = asFunction(module, handler);
  if (kind !== 'resource') return fn?.parameters[hasArguments ? 1 : 0];
  const isTemplate = /ResourceTemplate|template/i.test(module.getText(call.arguments[1] ?? call));
  return fn?.parameters[isTemplate ? 2 : 1];
}

function isContextPattern(module: SourceModule, node: ts.ParameterDeclaration): boolean {
  if (!module.compiler.isObjectBindingPattern(node.name)) return false;
  return node.name.elements.some(each =>
    /^(?:sendNotification|sendRequest|authInfo|requestInfo)$/.test(getElementName(module, each)),
  );
}

const getElementName = (module: SourceModule, element: ts.BindingElement): string =>
  module.getText(element.propertyName ?? element.name);

function rewritePattern(module: SourceModule, pattern: ts.ObjectBindingPattern): void {
  for (const element of pattern.elements) {
    const name = getElementName(module, element);
    const local = module.getText(element.name);
    if (Object.hasOwn(MEMBERS, name)) module.replace(element, `${MEMBERS[name]}: ${local}`);
    else if (name === 'sendNotification') {
      module.replace(element, local === 'notify' ? local : `notify: ${local}`);
      for (const use of module.listReferences(local)) if (use !== element.name) rewriteNotify(module, use);
    } else if (!SAME.has(name))
      module.report(
        element,
        'left',
        `\`${name}\` of the context`,
        'see the table of equivalents for the member of `ctx`',
      );
  }
}

/** Changes the argument of `sendNotification({ method, params })` to two arguments. */
function rewriteNotify(module: SourceModule, callee: ts.Node): boolean {
  const { compiler } = module;
  const call = callee.parent;
  if (!compiler.isCallExpression(call) || call.expression !== callee) return false;
  const [notification] = call.arguments;
  if (!notification || !compiler.isObjectLiteralExpression(notification)) return false;
  const method = getPropertyValue(module, findProperty(module, notification, 'method'));
  const params = getPropertyValue(module, findProperty(module, notification, 'params'));
  if (method === undefined) return false;
  module.replace(
    notification,
    params ? `${module.getText(method)}, ${module.getEditedText(params)}` : module.getText(method),
  );
  return true;
}

function rewriteMember(module: SourceModule, node: ts.PropertyAccessExpression, names: ReadonlySet<string>): void {
  const { compiler } = module;
  const owner = unwrapRequest(module, node.expression);
  if (owner === undefined || !names.has(owner.text)) return;
  const name = node.name.text;
  if (owner !== node.expression) module.replace(node.expression, owner.text);
  if (name === 'mcpReq' || name === 'http' || SAME.has(name)) return;
  if (Object.hasOwn(MEMBERS, name)) return module.replace(node.name, MEMBERS[name] ?? name);
  if (name === 'sendNotification' || name === 'notify') {
    module.replace(node.name, 'notify');
    if (compiler.isAwaitExpression(node.parent.parent)) {
      const awaited = node.parent.parent;
      module.edits.replace({ start: module.getStart(awaited), end: module.getStart(awaited.expression) }, '');
    }
    if (!rewriteNotify(module, node))
      module.report(node, 'left', '`sendNotification` with a variable', 'write `ctx.notify(method, params)`');
    return;
  }
  if (name === 'inputResponses' || name === 'requestState') return module.replace(node.name, `inputs.${name}`);
  if (name === 'log' || name === 'inputs') return;
  if (name === 'sendRequest' || name === 'send') return rewriteSendRequest(module, node);
  if (Object.hasOwn(CLIENT_REQUESTS, name) && compiler.isCallExpression(node.parent))
    return rewriteClientRequest(module, node.parent, `${owner.text}`, CLIENT_REQUESTS[name] ?? name);
  if (name === 'requestInfo') return rewriteHeaders(module, node);
  module.report(node, 'left', `\`${name}\` of the context`, 'see the table of equivalents for the member of `ctx`');
}

/** Version 2 groups the members: `ctx.mcpReq.signal`. */
function unwrapRequest({ compiler }: SourceModule, node: ts.Expression): ts.Identifier | undefined {
  if (compiler.isIdentifier(node)) return node;
  if (!compiler.isPropertyAccessExpression(node) || !/^(?:mcpReq|http)$/.test(node.name.text)) return undefined;
  return compiler.isIdentifier(node.expression) ? node.expression : undefined;
}

/** Changes `extra.requestInfo?.headers['x-key']` to `extra.request?.header('x-key')`. */
function rewriteHeaders(module: SourceModule, node: ts.PropertyAccessExpression): void {
  const { compiler } = module;
  module.replace(node.name, 'request');
  const headers = node.parent;
  const read = headers.parent;
  const isHeaders = compiler.isPropertyAccessExpression(headers) && headers.name.text === 'headers';
  if (isHeaders && compiler.isElementAccessExpression(read) && read.expression === headers) {
    module.edits.replace(
      { start: module.getStart(headers.name), end: read.end },
      `header(${module.getText(read.argumentExpression)})`,
    );
    return;
  }
  if (isHeaders && compiler.isPropertyAccessExpression(read) && read.expression === headers) {
    module.edits.replace({ start: module.getStart(headers.name), end: read.end }, `header('${read.name.text}')`);
    return;
  }
  module.report(node, 'left', '`requestInfo` of the context', 'read a header with `ctx.request?.header(name)`');
}

function rewriteSendRequest(module: SourceModule, node: ts.PropertyAccessExpression): void {
  const { compiler } = module;
  const call = node.parent;
  const request = compiler.isCallExpression(call) && call.expression === node ? call.arguments[0] : undefined;
  if (request && compiler.isCallExpression(call) && compiler.isObjectLiteralExpression(request)) {
    const method = getPropertyValue(module, findProperty(module, request, 'method'));
    const params = getPropertyValue(module, findProperty(module, request, 'params'));
    const to = method && compiler.isStringLiteral(method) ? CLIENT_REQUESTS[method.text] : undefined;
    if (to) return writeClientRequest(module, call, module.getText(node.expression), to, params);
  }
  module.report(node, 'left', '`sendRequest` of the context', 'use `ctx.elicit`, `ctx.sample` or `ctx.roots`');
}

function rewriteClientRequest(module: SourceModule, call: ts.CallExpression, context: string, to: string): void {
  writeClientRequest(module, call, context, to, call.arguments[0]);
}

function writeClientRequest(
  module: SourceModule,
  call: ts.CallExpression,
  context: string,
  to: string,
  params: ts.Expression | undefined,
): void {
  const { compiler } = module;
  if (to === 'roots') {
    module.replace(call, `({ roots: await ${context}.roots() })`);
    return;
  }
  if (to === 'elicit' && params && compiler.isObjectLiteralExpression(params)) {
    const mode = getPropertyValue(module, findProperty(module, params, 'mode'));
    const isUrl = mode !== undefined && /url/.test(module.getText(mode));
    for (const property of params.properties) {
      const name = getPropertyName(module, property);
      const value = getPropertyValue(module, property);
      if (name === 'requestedSchema' && value) module.replace(property, `input: ${module.getEditedText(value)}`);
      if (name === 'mode') removeProperty(module, property);
    }
    module.replace(call, `${context}.${isUrl ? 'elicitUrl' : 'elicit'}(${module.getEditedText(params)})`);
    return;
  }
  module.replace(call, `${context}.${to}(${params ? module.getEditedText(params) : ''})`);
}

/** Removes a property of an object literal with the comma behind it. */
function removeProperty(module: SourceModule, property: ts.ObjectLiteralElementLike): void {
  const rest = /^\s*,\s*/.exec(module.source.text.slice(property.end));
  module.edits.replace({ start: module.getStart(property), end: property.end + (rest?.[0].length ?? 0) }, '');
}

/** Requests and log messages that a handler sends by the server itself: `server.server.createMessage(…)`. */
function rewriteServerCall(
  module: SourceModule,
  call: ts.CallExpression,
  registrations: readonly Registration[],
): void {
  const { compiler } = module;
  const { expression: callee } = call;
  if (!compiler.isPropertyAccessExpression(callee) || !/server|mcp/i.test(module.getText(callee.expression))) return;
  const name = callee.name.text;
  const isLog = name === 'sendLoggingMessage';
  if (name === 'notification') return rewriteNotification(module, call, registrations);
  if (!isLog && !(Object.hasOwn(CLIENT_REQUESTS, name) && name !== 'requestSampling')) return;
  const context = findContext(module, call, registrations);
  if (context === undefined) {
    module.report(
      call,
      'left',
      `\`${name}\` outside a handler`,
      isLog ? 'log to standard error, or call `ctx.log` in a handler' : 'send it from a handler, with its `ctx`',
    );
    const outer = compiler.isAwaitExpression(call.parent) ? call.parent.parent : call.parent;
    if (isLog && compiler.isExpressionStatement(outer)) module.commentOut(outer);
    return;
  }
  if (!isLog) return rewriteClientRequest(module, call, context, CLIENT_REQUESTS[name] ?? name);
  const expression = compiler.isAwaitExpression(call.parent) ? call.parent : call;
  const [message] = call.arguments;
  if (!message || !compiler.isObjectLiteralExpression(message)) {
    const text = message ? module.getText(message) : '{}';
    return module.replace(expression, `${context}.log(${text}.level, ${text}.data, ${text}.logger)`);
  }
  const parts = ['level', 'data', 'logger'].map(each => getPropertyValue(module, findProperty(module, message, each)));
  const written = parts.flatMap(each => (each ? [module.getEditedText(each)] : []));
  module.replace(expression, `${context}.log(${written.join(', ')})`);
}

/** Changes `await server.server.notification({ method, params })` in a handler to a notification of its request. */
function rewriteNotification(
  module: SourceModule,
  call: ts.CallExpression,
  registrations: readonly Registration[],
): void {
  const { compiler } = module;
  const context = findContext(module, call, registrations);
  if (context === undefined || !rewriteNotify(module, call.expression)) return;
  const [notification] = call.arguments;
  const expression = compiler.isAwaitExpression(call.parent) ? call.parent : call;
  if (notification) module.replace(expression, `${context}.notify(${module.getEditedText(notification)})`);
}

/** Returns the name of the context of the handler around a node, and adds the parameter if it lacks. */
function findContext(module: SourceModule, node: ts.Node, registrations: readonly Registration[]): string | undefined {
  const { compiler } = module;
  const around = registrations.find(({ handler }) => handler.pos <= node.pos && node.end <= handler.end);
  const fn = around && asFunction(module, around.handler);
  if (around === undefined) return findRequestContext(module, node);
  if (fn === undefined || around.kind === 'resource') return undefined;
  const parameter = getContextParameter(module, around);
  if (parameter) return compiler.isIdentifier(parameter.name) ? parameter.name.text : undefined;
  if (!withContext.has(fn)) {
    withContext.add(fn);
    if (around.hasArguments) appendParameter(module, fn, 'ctx');
    else module.edits.insert(module.source.text.indexOf('(', fn.pos) + 1, '_args, ctx');
  }
  return 'ctx';
}

/** Methods of a low-level server whose handlers get a context. Those of lists are called once, at the start. */
const WITH_CONTEXT =
  /^(?:CallTool|GetPrompt|ReadResource)RequestSchema$|^['"](?:tools\/call|prompts\/get|resources\/read)['"]$/;

/** Returns the name of the context of the handler of a low-level server around a node, and notes a handler without one. */
function findRequestContext(module: SourceModule, node: ts.Node): string | undefined {
  const { compiler } = module;
  for (let at: ts.Node | undefined = node; at; at = at.parent) {
    const call: ts.Node | undefined = at.parent;
    if (!call || !compiler.isCallExpression(call) || call.arguments.at(-1) !== at) continue;
    const { expression } = call;
    if (!compiler.isPropertyAccessExpression(expression) || expression.name.text !== 'setRequestHandler') continue;
    const [schema] = call.arguments;
    const handler = call.arguments.at(-1);
    const fn = handler && asFunction(module, handler);
    if (!schema || !fn || !WITH_CONTEXT.test(module.getSdkName(schema) ?? module.getText(schema))) return undefined;
    const [, context] = fn.parameters;
    if (context) return compiler.isIdentifier(context.name) ? context.name.text : undefined;
    if (fn.parameters.length !== 1 || !hasParentheses(module, fn)) return undefined;
    // `rewriteRequestHandlers` writes the parameter behind the type of the first one.
    withContext.add(fn);
    return 'ctx';
  }
  return undefined;
}

/** Tells if a handler without a parameter for its context needs one. */
export const lacksContext = (fn: FunctionNode): boolean => withContext.has(fn);

/** Handlers that already got the parameter. */
const withContext = new WeakSet<ts.Node>();
