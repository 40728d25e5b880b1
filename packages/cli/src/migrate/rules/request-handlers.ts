import type ts from 'typescript-5';
import { REQUEST_SCHEMAS } from '../sdk-names.js';
import type { SourceModule } from '../source-module.js';
import { lacksContext } from './contexts.js';
import { appendParameter, asFunction, type FunctionNode, hasParentheses, isAwaitAllowed } from './handlers.js';

/** A call of `setRequestHandler`. */
interface RequestHandlerCall {
  readonly statement: ts.ExpressionStatement;
  readonly server: string;
  readonly method: string;
  readonly handler: ts.Expression;
}

/** Methods that list, their entries, and the methods that use one entry. */
const KINDS = [
  { list: 'tools/list', use: 'tools/call', member: 'tools', prefix: 'Tool' },
  { list: 'prompts/list', use: 'prompts/get', member: 'prompts', prefix: 'Prompt' },
  { list: 'resources/list', use: 'resources/read', member: 'resources', prefix: 'Resource' },
  { list: 'resources/templates/list', use: 'resources/read', member: 'resourceTemplates', prefix: 'Template' },
] as const;

const NAMES: Readonly<Record<string, string>> = {
  'tools/list': 'listTools',
  'tools/call': 'callTool',
  'prompts/list': 'listPrompts',
  'prompts/get': 'getPrompt',
  'resources/list': 'listResources',
  'resources/read': 'readResource',
  'resources/templates/list': 'listResourceTemplates',
};

/**
 * Changes the handlers of a low-level server. They stay as functions, and a loop registers what the lists return.
 * Returns true if the results of tools are then read member by member.
 */
export function rewriteRequestHandlers(module: SourceModule): boolean {
  let readsResults = false;
  const calls = findCalls(module);
  const names = new Map(calls.map(call => [call, chooseName(module, NAMES[call.method] ?? '')]));
  for (const call of calls) {
    const name = names.get(call);
    if (NAMES[call.method] === undefined || name === undefined) {
      reportMethod(module, call);
      continue;
    }
    const partners = KINDS.filter(kind => kind.list === call.method || kind.use === call.method);
    const ready = partners.flatMap(kind => {
      const other = calls.find(
        each =>
          each !== call &&
          each.method === (kind.list === call.method ? kind.use : kind.list) &&
          each.statement.parent === call.statement.parent,
      );
      return other && other.statement.pos < call.statement.pos ? [{ kind, other }] : [];
    });
    const hasPartner = partners.some(kind =>
      calls.some(
        each =>
          each.method === (kind.list === call.method ? kind.use : kind.list) &&
          each.statement.parent === call.statement.parent,
      ),
    );
    if (!hasPartner) {
      reportMethod(module, call);
      continue;
    }
    rewriteHandler(module, call, name);
    for (const { kind, other } of ready) {
      const list = kind.list === call.method ? call : other;
      const use = list === call ? other : call;
      const loop = writeLoop(module, {
        kind,
        list,
        use,
        listName: names.get(list) ?? '',
        useName: names.get(use) ?? '',
      });
      module.insertAfter(call.statement, loop);
      readsResults ||= kind.use === 'tools/call';
    }
  }
  return readsResults;
}

function findCalls(module: SourceModule): RequestHandlerCall[] {
  const { compiler } = module;
  const found: RequestHandlerCall[] = [];
  module.walk(node => {
    if (!compiler.isExpressionStatement(node) || !compiler.isCallExpression(node.expression)) return;
    const call = node.expression;
    if (!compiler.isPropertyAccessExpression(call.expression) || call.expression.name.text !== 'setRequestHandler')
      return;
    const [schema] = call.arguments;
    const handler = call.arguments.at(-1);
    if (schema === undefined || handler === undefined || call.arguments.length < 2) return;
    const name = module.getSdkName(schema);
    const method = compiler.isStringLiteral(schema) ? schema.text : name && REQUEST_SCHEMAS[name];
    if (method === undefined) return;
    const owner = module.getText(call.expression.expression).replace(/\.server\.server$/, '.server');
    found.push({ statement: node, server: owner, method, handler });
  });
  return found;
}

function reportMethod(module: SourceModule, { statement, method }: RequestHandlerCall): void {
  const fix =
    method === 'completion/complete'
      ? 'write `complete` into the prompt or the resource'
      : method === 'logging/setLevel' || method === 'ping'
        ? 'remove it: Tenon answers this method itself'
        : method.startsWith('resources/')
          ? 'call `server.resources.set(uri, resource({ … }))`, with `subscribe` for subscriptions'
          : 'call `server.tools.set(name, tool({ … }))` for each entry';
  if (method === 'logging/setLevel' || method === 'ping') {
    module.removeStatement(statement);
    module.report(statement, 'check', `a handler of ${method}, which was removed`, 'Tenon answers this method itself');
    return;
  }
  module.report(statement, 'left', `a handler of ${method}`, fix);
  module.commentOut(statement);
}

function chooseName({ source }: SourceModule, wanted: string): string {
  const isFree = (name: string) => !new RegExp(`\\b${name}\\b`).test(source.text);
  if (wanted === '' || isFree(wanted)) return wanted;
  const longer = wanted.replace(/^(list|call|get|read)/, '$1Server');
  return isFree(longer) ? longer : `${longer}2`;
}

/** Changes `server.setRequestHandler(schema, handler)` to `const name = handler`. */
function rewriteHandler(module: SourceModule, { statement, handler, method }: RequestHandlerCall, name: string): void {
  const fn = asFunction(module, handler);
  if (fn) typeParameters(module, fn, method);
  if (fn && lacksContext(fn)) {
    const type = module.isTyped ? `: ${module.use('Context', 'tenon', { isType: true })}` : '';
    appendParameter(module, fn, `ctx${type}`);
  }
  if (fn && method.endsWith('/list')) makeSync(module, fn);
  module.edits.replace({ start: module.getStart(statement), end: module.getStart(handler) }, `const ${name} = `);
  module.edits.replace({ start: handler.end, end: statement.end }, ';');
}

/** The types of parameters came from the schema. */
function typeParameters(module: SourceModule, fn: FunctionNode, method: string): void {
  if (!module.isTyped) return;
  const [request, context] = fn.parameters;
  const params = method === 'resources/read' ? '{ uri: string }' : '{ name: string; arguments?: Record<string, any> }';
  if (request && !request.type) {
    const isBare = !hasParentheses(module, fn);
    if (isBare) module.insertBefore(request, '(');
    const type = `{ params: ${method.endsWith('/list') ? '{ cursor?: string }' : params} }`;
    module.insertAfter(request.name, `: ${type}${isBare ? ')' : ''}`);
  }
  if (context && !context.type)
    module.insertAfter(context.name, `: ${module.use('Context', 'tenon', { isType: true })}`);
}

/** Removes `async` from a function that awaits nothing, so that the list can be read without `await`. */
function makeSync(module: SourceModule, fn: FunctionNode): void {
  if (isAsync(module, fn)) return;
  const { compiler } = module;
  const modifier = fn.modifiers?.find(each => each.kind === compiler.SyntaxKind.AsyncKeyword);
  if (modifier) module.edits.replace({ start: module.getStart(modifier), end: modifier.end + 1 }, '');
  const generator = readAwaiter(module, fn);
  if (generator) module.replace(fn.body, module.getEditedText(generator.body));
}

/** Tells if the result of a list handler must be awaited. */
function isAsync(module: SourceModule, handler: ts.Expression): boolean {
  const { compiler } = module;
  const fn = asFunction(module, handler);
  if (fn === undefined) return true;
  let awaits = false;
  module.walk(node => {
    if (compiler.isAwaitExpression(node) || compiler.isYieldExpression(node)) awaits = true;
  }, fn.body);
  const returnsPromise = fn.type !== undefined && /Promise</.test(module.getText(fn.type));
  return awaits || returnsPromise || (compiler.isCallExpression(fn.body) && readAwaiter(module, fn) === undefined);
}

/** Older output of TypeScript: `() => __awaiter(this, void 0, void 0, function* () { … })`. */
function readAwaiter({ compiler }: SourceModule, { body }: FunctionNode): ts.FunctionExpression | undefined {
  if (!compiler.isCallExpression(body) || !compiler.isIdentifier(body.expression)) return undefined;
  const last = body.arguments.at(-1);
  return body.expression.text === '__awaiter' && last && compiler.isFunctionExpression(last) ? last : undefined;
}

interface Loop {
  readonly kind: (typeof KINDS)[number];
  readonly list: RequestHandlerCall;
  readonly use: RequestHandlerCall;
  readonly listName: string;
  readonly useName: string;
}

function writeLoop(module: SourceModule, { kind, list, use, listName, useName }: Loop): string {
  const indent = module.getIndent(use.statement);
  const unit = module.indentUnit;
  const hasParameters = countParameters(module, list.handler) > 0;
  const hasPages = hasParameters && /\b(?:nextC|c)ursor\b/.test(module.getText(list.handler));
  const needsAwait = isAsync(module, list.handler);
  const canAwait = needsAwait && isAwaitAllowed(module, use.statement);
  const call = (params: string) =>
    `${needsAwait && (canAwait || hasPages) ? 'await ' : ''}${listName}(${hasParameters ? `{ params: ${params} }` : ''})`;
  const first = call('{}');
  const inPromise = needsAwait && !canAwait;
  const listed = hasPages
    ? `page.${kind.member}`
    : inPromise
      ? kind.member
      : `${canAwait ? `(${first})` : first}.${kind.member}`;
  const type = ENTRY_TYPES[kind.member];
  const entries = module.isTyped ? `${listed} as ${module.use(type, 'tenon', { isType: true })}[]` : listed;
  if (!isStatic(module, list.handler))
    module.report(
      list.statement,
      'check',
      `the ${kind.list} handler is called once${hasPages ? ' for each page' : ''}, at the start`,
      `call \`server.${kind.member === 'resourceTemplates' ? 'resources' : kind.member}.set\` and \`delete\` where the list changes`,
    );
  const body = writeEntry(module, kind.member, { server: list.server, handler: use.handler, useName });
  const indented = (texts: readonly string[]) => texts.map(each => `${unit}${each}`);
  const entryLoop = [`for (const ${body.pattern} of ${entries})`, ...indented(body.lines)];
  const loop = hasPages
    ? [
        `for (let page = ${first}; ; page = ${call('{ cursor: page.nextCursor }')}) {`,
        ...indented([...entryLoop, 'if (!page.nextCursor) break;']),
        '}',
      ]
    : entryLoop;
  const [opening, closing] = hasPages
    ? ['void (async () => {', '})();']
    : [`void Promise.resolve(${first}).then(({ ${kind.member} }) => {`, '});'];
  const lines = inPromise ? [opening, ...indented(loop), closing] : loop;
  return `\n${lines.map(each => `${indent}${each}`).join('\n')}`;
}

function countParameters(module: SourceModule, handler: ts.Expression): number {
  return asFunction(module, handler)?.parameters.length ?? 1;
}

/** Tells if a list handler only returns an object of constants. */
function isStatic(module: SourceModule, handler: ts.Expression): boolean {
  const { compiler } = module;
  const fn = asFunction(module, handler);
  if (fn === undefined) return false;
  let calls = false;
  module.walk(node => {
    if (compiler.isAwaitExpression(node) || compiler.isIfStatement(node)) calls = true;
  }, fn.body);
  return !calls;
}

/** Types of the entries of lists. */
const ENTRY_TYPES = {
  tools: 'Tool',
  prompts: 'Prompt',
  resources: 'Resource',
  resourceTemplates: 'ResourceTemplate',
} as const;

interface EntryText {
  /** Members of an entry that the loop takes. */
  readonly pattern: string;
  readonly lines: readonly string[];
}

/** A low-level server passes arguments to its handler as they came, and its callers may rely on the handler's own messages. */
const UNCHECKED_COMMENT =
  '// The handler checks its arguments itself. Write `input: inputSchema` to have them checked before.';

/** Writes the body of a loop over the entries of a list. */
function writeEntry(
  module: SourceModule,
  member: keyof typeof ENTRY_TYPES,
  { server, handler, useName }: { server: string; handler: ts.Expression; useName: string },
): EntryText {
  const unit = module.indentUnit;
  const meta = /_meta/.test(module.getText(handler)) ? ', _meta: ctx.meta' : '';
  const fn = asFunction(module, handler);
  const context = fn?.parameters.length === 1 && !lacksContext(fn) ? '' : ', ctx';
  const parameters = `(args${meta || context ? ', ctx' : ''})`;
  switch (member) {
    case 'tools': {
      const cast = module.isTyped ? ` as ${module.use('CallToolResult', 'tenon', { isType: true })}` : '';
      return {
        pattern: '{ name, title, description, inputSchema, outputSchema, annotations, icons, _meta }',
        lines: [
          `${server}.tools.set(name, ${module.use('tool')}({`,
          `${unit}title, description, output: outputSchema, annotations, icons, _meta,`,
          `${unit}${UNCHECKED_COMMENT}`,
          `${unit}input: inputSchema && { '~standard': { version: 1, vendor: 'handler', validate: ${module.isTyped ? '(value: unknown)' : 'value'} => ({ value }), jsonSchema: { input: () => inputSchema, output: () => inputSchema } } },`,
          `${unit}run: async ${parameters} => {`,
          `${unit}${unit}const { content, structuredContent, isError, _meta } = await ${useName}({ params: { name, arguments: args${meta} } }${context})${cast};`,
          `${unit}${unit}return ${module.use('toolResult')}({ content, structuredContent, isError, _meta });`,
          `${unit}},`,
          '}));',
        ],
      };
    }
    case 'prompts':
      return {
        pattern: '{ name, title, description, arguments: parameters = [] }',
        lines: [
          `${server}.prompts.set(name, ${module.use('prompt')}({`,
          `${unit}title, description,`,
          `${unit}input: {`,
          `${unit}${unit}type: 'object',`,
          `${unit}${unit}properties: Object.fromEntries(parameters.map(each => [each.name, { type: 'string', description: each.description }])),`,
          `${unit}${unit}required: parameters.filter(each => each.required).map(each => each.name),`,
          `${unit}},`,
          `${unit}run: ${parameters} => ${useName}({ params: { name, arguments: args${meta} } }${context}),`,
          '}));',
        ],
      };
    default:
      return {
        pattern: `{ ${member === 'resources' ? 'uri' : 'uriTemplate'}: key, name, title, description, mimeType, annotations, _meta }`,
        lines: [
          `${server}.resources.set(key, ${module.use('resource')}({`,
          `${unit}name, title, description, mimeType, annotations, _meta,`,
          `${unit}read: ({ uri }${context}) => ${useName}({ params: { uri } }${context}),`,
          '}));',
        ],
      };
  }
}
