import type ts from 'typescript-5';
import { ANNOTATION_KEYS } from '../sdk-names.js';
import type { SourceModule } from '../source-module.js';
import { type CompleterText, readCompleters } from './completers.js';
import {
  asFunction,
  findProperty,
  getPropertyName,
  getPropertyValue,
  indentMore,
  prependParameter,
} from './handlers.js';
import { writeResource } from './resources.js';
import { wrapSchema } from './schemas.js';

/** Registration of a tool, a prompt or a resource by a method of `McpServer`. */
export interface Registration {
  readonly call: ts.CallExpression;
  /** Expression of the server. */
  readonly server: ts.Expression;
  readonly kind: 'tool' | 'prompt' | 'resource';
  /** Name of the tool or prompt, or URI of the resource. */
  readonly key: ts.Expression;
  readonly handler: ts.Expression;
  /** True if the handler gets arguments in front of the context. */
  readonly hasArguments: boolean;
}

/** Members of a definition, as text. */
interface Part {
  readonly name: string;
  readonly text: string;
}

const METHODS: Readonly<Record<string, Registration['kind']>> = {
  registerTool: 'tool',
  tool: 'tool',
  registerPrompt: 'prompt',
  prompt: 'prompt',
  registerResource: 'resource',
  resource: 'resource',
};

/** Names of servers, also those that a function gets as a parameter. */
const SERVER_NAME = /server|mcp/i;

/** Finds the registrations of a module. */
export function findRegistrations(module: SourceModule): Registration[] {
  const found: Registration[] = [];
  module.walk(node => {
    const registration = readRegistration(module, node);
    if (registration) found.push(registration);
  });
  return found;
}

function readRegistration(module: SourceModule, node: ts.Node): Registration | undefined {
  const { compiler } = module;
  if (!compiler.isCallExpression(node) || !compiler.isPropertyAccessExpression(node.expression)) return undefined;
  const { name, expression: server } = node.expression;
  const kind = Object.hasOwn(METHODS, name.text) ? METHODS[name.text] : undefined;
  if (kind === undefined || !SERVER_NAME.test(getLastName(module, server))) return undefined;
  const args = node.arguments;
  const key = args[0];
  const handler = args.at(-1);
  const isRegister = name.text.startsWith('register');
  const isMinimal = kind === 'resource' ? args.length >= 3 : args.length >= 2;
  if (!key || !handler || !isMinimal || (isRegister && args.length !== (kind === 'resource' ? 4 : 3))) return undefined;
  return { call: node, server, kind, key, handler, hasArguments: takesArguments(module, node, kind) };
}

function getLastName({ compiler }: SourceModule, node: ts.Expression): string {
  if (compiler.isIdentifier(node)) return node.text;
  return compiler.isPropertyAccessExpression(node) ? node.name.text : '';
}

function takesArguments(module: SourceModule, call: ts.CallExpression, kind: Registration['kind']): boolean {
  const { compiler } = module;
  if (kind === 'resource') return true;
  const between = call.arguments.slice(1, -1);
  const config = between[0];
  if (
    config &&
    compiler.isPropertyAccessExpression(call.expression) &&
    call.expression.name.text.startsWith('register')
  ) {
    const literal = resolveLiteral(module, config);
    return literal === undefined || ['inputSchema', 'argsSchema'].some(each => findProperty(module, literal, each));
  }
  return between.some(each => isSchemaArgument(module, each));
}

/** Returns the object literal of an expression, or the one that a constant of the file contains. */
function resolveLiteral(module: SourceModule, node: ts.Expression): ts.ObjectLiteralExpression | undefined {
  const { compiler } = module;
  if (compiler.isObjectLiteralExpression(node)) return node;
  const initializer = compiler.isIdentifier(node) ? module.findInitializer(node.text) : undefined;
  return initializer && compiler.isObjectLiteralExpression(initializer) ? initializer : undefined;
}

/** Tells if an argument of `server.tool` is a schema. The others are a description and annotations. */
function isSchemaArgument(module: SourceModule, node: ts.Expression): boolean {
  const { compiler } = module;
  if (isText(module, node)) return false;
  const literal = resolveLiteral(module, node);
  if (literal === undefined) return !/annotations/i.test(module.getText(node));
  const names = literal.properties.map(each => getPropertyName(module, each) ?? '');
  if (names.length === 0) return true;
  if (!names.every(each => ANNOTATION_KEYS.has(each))) return true;
  const values = literal.properties.map(each => getPropertyValue(module, each));
  return values.some(each => each !== undefined && compiler.isCallExpression(each));
}

function isText(module: SourceModule, node: ts.Expression): boolean {
  const { compiler } = module;
  if (compiler.isStringLiteralLike(node) || compiler.isTemplateExpression(node)) return true;
  if (compiler.isBinaryExpression(node)) return isText(module, node.left) || isText(module, node.right);
  if (compiler.isIdentifier(node)) {
    const initializer = module.findInitializer(node.text);
    return initializer ? isText(module, initializer) : /desc|text/i.test(node.text);
  }
  return compiler.isPropertyAccessExpression(node) && /desc/i.test(node.name.text);
}

/** Changes a registration to `server.tools.set(name, tool({ … }))`. */
export function rewriteRegistration(module: SourceModule, registration: Registration): void {
  const { compiler } = module;
  const { call, kind, handler } = registration;
  if (!compiler.isPropertyAccessExpression(call.expression)) return;
  const method = call.expression.name;
  module.replace(method, `${kind}s.set`);
  if (!compiler.isExpressionStatement(call.parent) && !compiler.isArrowFunction(call.parent))
    module.report(
      call,
      'left',
      'the handle of a registration',
      `in place of its methods, call \`server.${kind}s.set\` with the changed definition, or \`server.${kind}s.delete\` with the name`,
    );
  if (kind === 'resource') return writeResource(module, registration);
  if (!registration.hasArguments) adaptHandler(module, handler);
  if (method.text.startsWith('register')) rewriteConfig(module, registration);
  else rewriteOverload(module, registration);
}

/** Without a schema, version 1 passes only the context. */
function adaptHandler(module: SourceModule, handler: ts.Expression): void {
  const fn = asFunction(module, handler);
  if (fn) return prependParameter(module, fn, '_args');
  module.insertBefore(handler, '(_args, ctx) => ');
  module.insertAfter(handler, '(ctx)');
}

function rewriteConfig(module: SourceModule, { call, kind, handler }: Registration): void {
  const config = call.arguments[1];
  if (config === undefined) return;
  const literal = resolveLiteral(module, config);
  const define = module.use(kind);
  if (literal === undefined) {
    const text = module.getText(config);
    const schema = kind === 'tool' ? 'inputSchema' : 'argsSchema';
    module.insertBefore(config, `${define}(`);
    const output = kind === 'tool' ? ', outputSchema' : '';
    module.replace(
      config,
      `(({ ${schema}${output}, ...metadata }) => ({ ...metadata, input: ${schema}${output && ', output: outputSchema'} }))(${text})`,
    );
    module.report(
      call,
      'left',
      'a registration whose configuration is not in this file',
      'write its members into the definition: `input` and `output` are whole schemas, and `run` is the handler',
    );
    return;
  }
  const completers = rewriteMembers(module, literal);
  if (literal === config) {
    module.insertBefore(config, `${define}(`);
    joinHandler(module, literal, handler, completers);
  } else {
    module.insertBefore(config, `${define}({ ...`);
    module.edits.replace(
      { start: config.end, end: module.getStart(handler) },
      `, ${formatCompleters(completers)}run: `,
    );
    module.insertAfter(handler, ' })');
  }
}

/** Renames the schemas of a configuration, and returns the completers of a prompt. */
function rewriteMembers(module: SourceModule, literal: ts.ObjectLiteralExpression): CompleterText[] {
  const completers: CompleterText[] = [];
  for (const property of literal.properties) {
    const name = getPropertyName(module, property);
    const value = getPropertyValue(module, property);
    if (value && (name === 'inputSchema' || name === 'argsSchema')) {
      completers.push(...readCompleters(module, value));
      module.replace(property, `input: ${wrapSchema(module, value)}`);
    } else if (value && name === 'outputSchema') module.replace(property, `output: ${wrapSchema(module, value)}`);
    else if (name === 'execution') {
      module.report(
        property,
        'left',
        '`execution` of a tool',
        'pass `task`, and `extensions: [tasks()]` to createServer',
      );
      module.replace(property, '');
    }
  }
  return completers;
}

const formatCompleters = (completers: readonly CompleterText[]): string =>
  completers.length === 0 ? '' : `complete: { ${completers.map(({ name, text }) => `${name}: ${text}`).join(', ')} }, `;

/** Moves a handler into the object literal in front of it. */
function joinHandler(
  module: SourceModule,
  literal: ts.ObjectLiteralExpression,
  handler: ts.Expression,
  completers: readonly CompleterText[],
): void {
  const { text } = module.source;
  const last = literal.properties.at(-1);
  const isMultiline = last !== undefined && text.slice(module.getStart(literal), module.getStart(last)).includes('\n');
  const start = last?.end ?? module.getStart(literal) + 1;
  const comments = readComments(text.slice(start, module.getStart(handler)));
  const complete = formatCompleters(completers);
  if (isMultiline && last) {
    const indent = module.getIndent(last);
    const closing = module.getIndent(literal.getLastToken(module.source) ?? literal);
    const notes = comments.map(each => `\n${indent}${each}`).join('');
    module.edits.replace(
      { start, end: module.getStart(handler) },
      `,${notes}${complete && `\n${indent}${complete.trimEnd()}`}\n${indent}run: `,
    );
    if (module.getIndent(handler) !== indent) indentMore(module, handler);
    module.insertAfter(handler, `,\n${closing}})`);
  } else {
    const notes = comments.length > 0 ? ` ${comments.filter(each => each.startsWith('/*')).join(' ')}` : '';
    module.edits.replace({ start, end: module.getStart(handler) }, `${last ? ', ' : ' '}${notes}${complete}run: `);
    module.insertAfter(handler, ' })');
  }
}

const readComments = (text: string): string[] => text.match(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g) ?? [];

/** Changes `server.tool(name, description?, schema?, annotations?, handler)`. */
function rewriteOverload(module: SourceModule, { call, kind, handler }: Registration): void {
  const between = call.arguments.slice(1, -1);
  const define = module.use(kind);
  const parts: Part[] = [];
  const completers: CompleterText[] = [];
  let hasSchema = false;
  for (const each of between) {
    if (isText(module, each)) parts.push({ name: 'description', text: module.getEditedText(each) });
    else if (!hasSchema && isSchemaArgument(module, each)) {
      hasSchema = true;
      completers.push(...readCompleters(module, each));
      parts.push({ name: 'input', text: wrapSchema(module, each) });
    } else parts.push({ name: 'annotations', text: module.getEditedText(each) });
  }
  const name = call.arguments[0];
  if (name === undefined) return;
  const first = between[0] ?? handler;
  const range = { start: module.getStart(first), end: module.getStart(handler) };
  const comments = readComments(module.source.text.slice(name.end, range.start)).concat(
    between.flatMap((each, index) =>
      readComments(module.source.text.slice(each.end, module.getStart(between[index + 1] ?? handler))),
    ),
  );
  const members = parts.map(part => `${part.name}: ${part.text}`);
  if (completers.length > 0) members.push(formatCompleters(completers).replace(/, $/, ''));
  const outer = module.getIndent(call);
  const indent = `${outer}${module.indentUnit}`;
  if (between.length === 0) {
    module.insertBefore(handler, `${define}({ run: `);
    module.insertAfter(handler, ' })');
    return;
  }
  const head = [...comments, ...members.map(each => `${each},`)].map(each => `${indent}${each}\n`).join('');
  module.edits.replace(
    { start: skipBack(module.source.text, range.start), end: range.end },
    ` ${define}({\n${head}${indent}run: `,
  );
  indentMore(module, handler);
  module.edits.replace({ start: handler.end, end: call.end - 1 }, `,\n${outer}})`);
}

/** Returns the position in front of white space. */
function skipBack(text: string, position: number): number {
  let at = position;
  while (at > 0 && /\s/.test(text[at - 1] ?? '')) at -= 1;
  return at;
}
