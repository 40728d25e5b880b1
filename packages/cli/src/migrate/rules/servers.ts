import type ts from 'typescript-5';
import type { SourceModule } from '../source-module.js';
import { findProperty, getPropertyName, getPropertyValue } from './handlers.js';

/** Changes `new McpServer(info, options)` and `new Server(info, options)` to `createServer({ … })`. */
export function rewriteServers(module: SourceModule): void {
  const { compiler } = module;
  module.walk(node => {
    if (compiler.isNewExpression(node) && isServerClass(module, node.expression)) rewriteServer(module, node);
    if (compiler.isClassLike(node)) reportSubclass(module, node);
  });
  rewriteErrorListeners(module);
  reportInner(module);
}

/** Members of the inner server, `server.server`, that the other rules do not know. */
function reportInner(module: SourceModule): void {
  const { compiler } = module;
  module.walk(node => {
    if (!compiler.isPropertyAccessExpression(node) || module.edits.isReplaced(module.getStart(node))) return;
    if (reportExperimental(module, node)) return;
    const inner = node.expression;
    if (!compiler.isPropertyAccessExpression(inner) || inner.name.text !== 'server') return;
    if (
      inner.expression.kind === compiler.SyntaxKind.ThisKeyword ||
      !/server|mcp/i.test(module.getText(inner.expression))
    )
      return;
    if (HANDLED.test(node.name.text)) return;
    reportMember(module, node);
  });
}

function reportMember(module: SourceModule, node: ts.PropertyAccessExpression): void {
  const { compiler } = module;
  const expression =
    compiler.isCallExpression(node.parent) || compiler.isBinaryExpression(node.parent) ? node.parent : node;
  if (node.name.text === 'registerCapabilities' && compiler.isExpressionStatement(expression.parent)) {
    module.removeStatement(expression.parent);
    const fix = 'capabilities follow from what the server has';
    return module.report(node, 'check', '`registerCapabilities`, which was removed', fix);
  }
  const fix =
    node.name.text === 'setNotificationHandler'
      ? 'pass `onRootsChanged` to createServer'
      : 'see the table of equivalents';
  module.report(node, 'left', `\`${module.getText(node)}\``, fix);
  if (compiler.isExpressionStatement(expression.parent)) return module.commentOut(expression.parent);
  // There is no inner server. Programs that test the member for `undefined` still start.
  const isAssigned = compiler.isBinaryExpression(node.parent) && node.parent.left === node;
  if (!isAssigned && !node.questionDotToken) module.insertAfter(node.expression, '?');
}

/** Reports `server.experimental.tasks.registerToolTask(…)`, and makes it a comment. */
function reportExperimental(module: SourceModule, node: ts.PropertyAccessExpression): boolean {
  const { compiler } = module;
  const { parent } = node;
  if (node.name.text !== 'experimental' || !/server|mcp/i.test(module.getText(node.expression))) return false;
  if (!compiler.isPropertyAccessExpression(parent) || parent.name.text !== 'tasks') return false;
  const called = parent.parent.parent;
  const fix = 'write the tool with `task`, and pass `extensions: [tasks()]` to createServer';
  module.report(node, 'left', `\`${module.getText(parent)}\``, fix);
  if (compiler.isExpressionStatement(called.parent)) module.commentOut(called.parent);
  return true;
}

const HANDLED =
  /^(?:onerror|setRequestHandler|send\w+|elicitInput|createMessage|listRoots|tool|prompt|resource|register(?:Tool|Prompt|Resource)|connect)$/;

function isServerClass(module: SourceModule, node: ts.Node): boolean {
  const name = module.getSdkName(node);
  return name === 'McpServer' || name === 'Server';
}

function reportSubclass(module: SourceModule, node: ts.ClassLikeDeclaration): void {
  const base = node.heritageClauses
    ?.flatMap(clause => clause.types)
    .find(each => isServerClass(module, each.expression));
  if (base)
    module.report(
      base,
      'left',
      'a subclass of the server',
      'keep a server in a property: `this.server = createServer({ … })`; until then, migrated modules that get it fail',
    );
}

function rewriteServer(module: SourceModule, node: ts.NewExpression): void {
  const { compiler } = module;
  const [info, options] = node.arguments ?? [];
  if (info === undefined) return;
  const members = readOptions(module, options);
  const listener = findErrorListener(module);
  if (listener) members.push(`onError: ${listener}`);
  members.push('exposeErrors: true');
  const create = module.use('createServer');
  const literal = compiler.isObjectLiteralExpression(info) ? info : undefined;
  const written = literal ? readInfo(module, literal) : [`...${module.getText(info)}`];
  const isMultiline = module.getText(node).includes('\n') || members.length > 3;
  const all = [...written, ...members];
  if (!isMultiline) return module.replace(node, `${create}({ ${all.join(', ')} })`);
  const outer = module.getIndent(node);
  const indent = `${outer}${module.indentUnit}`;
  module.replace(node, `${create}({\n${all.map(each => `${indent}${each},\n`).join('')}${outer}})`);
}

/** Members of the description of a server. The SDK sends others as they are, and clients ignore them. */
const INFO: ReadonlySet<string> = new Set(['name', 'version', 'title', 'description', 'websiteUrl', 'icons']);

function readInfo(module: SourceModule, literal: ts.ObjectLiteralExpression): string[] {
  return literal.properties.flatMap(property => {
    const name = getPropertyName(module, property);
    if (name === undefined || INFO.has(name)) return [module.getEditedText(property)];
    module.report(
      property,
      'check',
      `\`${name}\` of the description of the server, which was removed`,
      'clients ignore it',
    );
    return [];
  });
}

/** Capabilities that Tenon declares by what the server has. */
const REGISTRIES = ['tools', 'prompts', 'resources'] as const;

function readOptions(module: SourceModule, options: ts.Expression | undefined): string[] {
  const { compiler } = module;
  if (options === undefined) return ['logging: false'];
  const literal = compiler.isObjectLiteralExpression(options)
    ? options
    : compiler.isIdentifier(options)
      ? asLiteral(module, module.findInitializer(options.text))
      : undefined;
  if (literal === undefined) {
    module.report(
      options,
      'check',
      'options of the server that are not written out',
      'copy `instructions`; capabilities follow from `tools`, `prompts` and `resources`, and `logging: false` removes logging',
    );
    return [`instructions: ${module.getText(options)}?.instructions`];
  }
  const members: string[] = [];
  let hasLogging = false;
  for (const property of literal.properties) {
    const name = getPropertyName(module, property);
    if (name === 'instructions') members.push(module.getEditedText(property));
    else if (name === 'capabilities') {
      const value = getPropertyValue(module, property);
      const capabilities = asLiteral(module, value);
      hasLogging = capabilities === undefined || findProperty(module, capabilities, 'logging') !== undefined;
      members.push(...readCapabilities(module, property, capabilities));
    } else if (name !== 'enforceStrictCapabilities' && name !== 'debouncedNotificationMethods')
      module.report(
        property,
        'left',
        `the option \`${name}\` of the server`,
        'see the table of options of createServer',
      );
  }
  if (!hasLogging) members.push('logging: false');
  return members;
}

function readCapabilities(
  module: SourceModule,
  property: ts.Node,
  capabilities: ts.ObjectLiteralExpression | undefined,
): string[] {
  if (capabilities === undefined) {
    module.report(property, 'check', 'capabilities that are not written out', 'they follow from what the server has');
    return [];
  }
  const members: string[] = REGISTRIES.filter(each => findProperty(module, capabilities, each)).map(
    each => `${each}: {}`,
  );
  const experimental = getPropertyValue(module, findProperty(module, capabilities, 'experimental'));
  if (experimental) members.push(`experimental: ${module.getEditedText(experimental)}`);
  for (const each of ['tasks', 'extensions'])
    if (findProperty(module, capabilities, each))
      module.report(capabilities, 'left', `the capability \`${each}\``, 'pass `extensions`, for example `[tasks()]`');
  return members;
}

function asLiteral(module: SourceModule, node: ts.Expression | undefined): ts.ObjectLiteralExpression | undefined {
  const { compiler } = module;
  if (node === undefined) return undefined;
  if (compiler.isObjectLiteralExpression(node)) return node;
  if (compiler.isAsExpression(node) || compiler.isSatisfiesExpression(node)) return asLiteral(module, node.expression);
  return compiler.isIdentifier(node) ? asLiteral(module, module.findInitializer(node.text)) : undefined;
}

/** Assignments `server.onerror = …`. */
function listErrorListeners(module: SourceModule): ts.BinaryExpression[] {
  const { compiler } = module;
  const found: ts.BinaryExpression[] = [];
  module.walk(node => {
    if (!compiler.isBinaryExpression(node) || node.operatorToken.kind !== compiler.SyntaxKind.EqualsToken) return;
    const { left } = node;
    if (!compiler.isPropertyAccessExpression(left) || left.name.text !== 'onerror') return;
    if (/server|mcp/i.test(module.getText(left.expression)) && !/transport/i.test(module.getText(left.expression)))
      found.push(node);
  });
  return found;
}

/** Returns the listener that a server of the file gets later, if it uses no variable of that place. */
function findErrorListener(module: SourceModule): string | undefined {
  const [first] = listErrorListeners(module);
  if (first === undefined || !isMovable(module, first.right)) return undefined;
  return module.getEditedText(first.right);
}

function rewriteErrorListeners(module: SourceModule): void {
  const { compiler } = module;
  const listeners = listErrorListeners(module);
  const creates = /\bnew\s+(?:\w+\.)?(?:McpServer|Server)\s*\(/.test(module.source.text);
  for (const [index, assignment] of listeners.entries()) {
    if (creates && index === 0 && isMovable(module, assignment.right)) {
      if (compiler.isExpressionStatement(assignment.parent)) module.removeStatement(assignment.parent);
      continue;
    }
    module.report(assignment, 'left', '`server.onerror`', 'pass `onError` to createServer');
  }
}

/** Tells if an expression means the same where the server is created: it has no `this` and no local names. */
function isMovable(module: SourceModule, node: ts.Expression): boolean {
  const { compiler } = module;
  const own = new Set<string>();
  module.walk(each => {
    const isDeclared = compiler.isParameter(each) || compiler.isVariableDeclaration(each);
    if (isDeclared && compiler.isIdentifier(each.name)) own.add(each.name.text);
  }, node);
  const topLevel = new Set(['console', 'process', 'JSON', 'String', 'Error', 'undefined', ...module.imports.keys()]);
  for (const statement of module.source.statements)
    if ((compiler.isFunctionDeclaration(statement) || compiler.isClassDeclaration(statement)) && statement.name)
      topLevel.add(statement.name.text);
  let movable = true;
  module.walk(each => {
    if (each.kind === compiler.SyntaxKind.ThisKeyword) movable = false;
    if (!compiler.isIdentifier(each) || own.has(each.text) || topLevel.has(each.text)) return;
    const { parent } = each;
    const isMember = compiler.isPropertyAccessExpression(parent) && parent.name === each;
    const isKey = compiler.isPropertyAssignment(parent) && parent.name === each;
    if (!isMember && !isKey) movable = false;
  }, node);
  return movable;
}
