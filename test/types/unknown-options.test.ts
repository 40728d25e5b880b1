import { createApprovals, createHost } from '@tenon/host';
import { type Client, type Context, connect, createServer, memoryStores, tasks, tool } from 'tenon';
import { createHandler } from 'tenon/http';
import { createReplaceableServer, serveHttp } from 'tenon/node';
import type ts from 'typescript-5';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTransportPair } from '../../packages/tenon/src/transports/memory.js';
import { edit } from './editor.js';
import { ENTRIES } from './entries.js';
import { findOptionFunctions, findOptionMethods, type OptionMethod } from './option-parameters.js';

/** Arguments before the options, for functions that check these first. */
const server = { connect() {}, classifyRequest() {}, answer() {} };
const ARGUMENTS: Readonly<Record<string, readonly unknown[]>> = {
  connect: ['http://127.0.0.1:1/mcp'],
  connectPair: [server],
  createHandler: [server],
  serveHttp: [server],
  serveStdio: [server],
  lintPolicy: [{ rules: [] }],
  logging: [() => {}],
  timeout: [1_000],
  discoverAuthorization: ['https://a.example/'],
  findLiteralSecrets: [{ url: 'https://a.example/' }],
  parseConfig: ['{}'],
  openAudit: ['audit.jsonl'],
  verifyAuditFile: ['audit.jsonl'],
  verifyAuditFiles: [['audit.jsonl']],
  readConfigFile: ['mcp.json'],
  watchConfig: ['mcp.json', () => {}],
  createMockServer: [''],
  readApp: [server, 'ui://a'],
  showApp: [server],
  createSandboxResponse: ['/'],
};

/**
 * Functions that take other objects as options: the `init` of `fetch`, a whole policy file, options that `openAudit`
 * passes on, and the client of a context.
 */
const OTHER_OBJECTS = ['fetchWithAddressCheck', 'createPolicy', 'createAudit', 'supportsApps'];
/** Entries whose functions have no options. */
const WITHOUT_OPTIONS = ['tenon/escape', 'tenon/compose', '@tenon/skills/client'];

describe('a public function with options', () => {
  const { program, source } = edit(ENTRIES.map((entry, index) => `export * as e${index} from '${entry}';`).join('\n'));
  const checker = program.getTypeChecker();
  const modules = checker.getExportsOfModule(checker.getSymbolAtLocation(source) as ts.Symbol);
  const functions = modules.flatMap((namespace, index) =>
    findOptionFunctions(checker, checker.getExportsOfModule(checker.getAliasedSymbol(namespace))).map(each => ({
      ...each,
      entry: ENTRIES[index] ?? '',
    })),
  );
  const checked = functions.filter(({ name }) => !OTHER_OBJECTS.includes(name));

  it('exists in every entry', () => {
    expect(new Set(functions.map(({ entry }) => entry))).toEqual(
      new Set(ENTRIES.filter(entry => !WITHOUT_OPTIONS.includes(entry))),
    );
    expect(functions.length).toBeGreaterThan(60);
  });

  it.each(checked)('$entry: $name refuses an unknown name', async ({ entry, name, index }) => {
    const module = (await import(entry)) as Record<string, (...given: unknown[]) => unknown>;
    const before = ARGUMENTS[name] ?? Array.from({ length: index }, () => undefined);
    const error = await Promise.resolve()
      .then(() => module[name]?.(...before, { unknownOption: 1 }))
      .catch((reason: unknown) => reason);
    // `@tenon/apps` has no other dependency in the browser, so errors there have the type of the language.
    const type = entry.startsWith('@tenon/apps/') ? 'TypeError' : 'TenonError';
    expect(error).toMatchObject({ name: type, message: expect.stringContaining('"unknownOption"') });
  });
});

const unknown = { unknownOption: 1 };

/**
 * Methods of interfaces that others implement: transports, stores, clocks, OpenTelemetry, and functions among the options
 * that the library calls.
 */
const IMPLEMENTED_BY_OTHERS =
  /^(?:Transport|TransportChanges|Values|Clock|FakeClock|OpenTelemetry\w+|Authorizer|HttpTarget|AppServer|\w+Options)\./;
/** Methods of other types that are the same function as one of the table. */
const SAME: Readonly<Record<string, OptionMethod>> = {
  'StateContext.elicit': 'Context.elicit',
  'StateContext.elicitUrl': 'Context.elicitUrl',
  'StateContext.ping': 'Context.ping',
  'RequestContext.ping': 'Context.ping',
  'RequestHandler.connect': 'Server.connect',
  'HttpEndpoint.close': 'HttpHandler.close',
};
/**
 * `connect` of two takes a transport only, `App.tool` takes a tool as `tool` does, and the methods of a page need a
 * browser.
 */
const IGNORED = ['RecordingProxy.connect', 'ReplayServer.connect', 'App.tool'];
const IN_BROWSER = /^PageHandle\./;
/** Methods with tests in `packages/skills`. */
const OF_SKILLS = /^(?:LoadedSkill|ServerSkills|SkillHost)\./;

describe('a method with options', () => {
  const { program, source } = edit(ENTRIES.map((entry, index) => `export * as e${index} from '${entry}';`).join('\n'));
  const checker = program.getTypeChecker();
  const modules = checker.getExportsOfModule(checker.getSymbolAtLocation(source) as ts.Symbol);
  const found = modules.flatMap(namespace =>
    findOptionMethods(checker, checker.getExportsOfModule(checker.getAliasedSymbol(namespace))),
  );

  /** Runs in a handler: the method that the call names. */
  const inHandler = async (ctx: Context, method: string) => {
    const message = 'Sure?';
    if (method === 'elicit') await ctx.elicit({ message, input: { type: 'object', properties: {} }, ...unknown });
    if (method === 'elicitUrl') await ctx.elicitUrl({ message, url: 'https://a.example/', ...unknown });
    if (method === 'sample') await ctx.sample({ messages: [], maxTokens: 1, ...unknown });
    if (method === 'ping') await ctx.ping(unknown as object);
    return 'done';
  };
  const errors: unknown[] = [];
  const create = () =>
    createServer({
      name: 'here',
      version: '1.0.0',
      extensions: [tasks()],
      onError: error => void errors.push(error),
      tools: { use: tool({ run: (_, ctx) => inHandler(ctx, String(ctx.meta['com.example/method'])) }) },
    });
  let client: Client;
  beforeAll(async () => {
    client = await connect(create(), { elicit: () => ({ action: 'cancel' }) });
  });
  afterAll(() => client.close());

  const callInHandler = async (method: string) => {
    errors.splice(0);
    await client.callTool('use', {}, { meta: { 'com.example/method': method } });
    throw errors[0];
  };
  const first = async (entries: AsyncIterable<unknown>) => {
    for await (const _ of entries) break;
  };
  const close = async (closable: { close(options?: object): Promise<void> }) => {
    try {
      await closable.close(unknown);
    } finally {
      await closable.close();
    }
  };
  const approvals = createApprovals({ ...memoryStores() });
  const start = () => client.tasks.start('use');

  const methods: Readonly<Record<OptionMethod, () => unknown>> = {
    'Client.call': () => client.call('ping', {}, unknown as object),
    'Client.callTool': () => client.callTool('use', {}, unknown as object),
    'Client.complete': () =>
      client.complete(
        { ref: { type: 'ref/prompt', name: 'a' }, argument: { name: 'a', value: '' } },
        unknown as object,
      ),
    'Client.getPrompt': () => client.getPrompt('a', {}, unknown as object),
    'Client.listPrompts': () => first(client.listPrompts(unknown as object)),
    'Client.listResourceTemplates': () => first(client.listResourceTemplates(unknown as object)),
    'Client.listResources': () => first(client.listResources(unknown as object)),
    'Client.listTools': () => first(client.listTools(unknown as object)),
    'Client.ping': () => client.ping(unknown as object),
    'Client.readResource': () => client.readResource('a://b', unknown as object),
    'Client.watch': () => first(client.watch({ tools: true }, unknown as object)),
    'Context.elicit': () => callInHandler('elicit'),
    'Context.elicitUrl': () => callInHandler('elicitUrl'),
    'Context.ping': () => callInHandler('ping'),
    'Server.connect': () => create().connect(createTransportPair().server, unknown as object),
    'ReplaceableServer.connect': () =>
      createReplaceableServer().connect(createTransportPair().server, unknown as object),
    'TaskHandle.result': async () => (await start()).result(unknown as object),
    'TaskHandle.states': async () => first((await start()).states(unknown as object)),
    'TaskHandle.toolResult': async () => (await start()).toolResult(unknown as object),
    'Tasks.cancel': () => client.tasks.cancel('1', unknown as object),
    'Tasks.get': () => client.tasks.get('1', unknown as object),
    'Tasks.list': () => first(client.tasks.list(unknown as object)),
    'Tasks.resume': () => client.tasks.resume('1', unknown as object),
    'Approvals.answer': () => approvals.answer('1', 'allow', unknown as object),
    'Approvals.listPending': () => approvals.listPending(unknown as object),
    'Approvals.listStored': () => approvals.listStored(unknown as object),
    'Approvals.request': () =>
      approvals.request({ server: 'a', kind: 'tool', name: 'b', arguments: {} } as never, unknown as object),
    'Host.callTool': async () => {
      const host = await createHost({ servers: {} });
      return host.callTool('a', {}, unknown as object).finally(() => host.close());
    },
    'HttpHandler.close': () => close(createHandler(create())),
    'HttpServer.close': async () => close(await serveHttp(create(), { port: 0 })),
  };
  /** Methods whose object is no options object in its type, but of the same kind. */
  const others: Readonly<Record<OptionMethod, () => unknown>> = {
    'Client.watch (target)': () => first(client.watch(unknown as object)),
    'Context.sample': () => callInHandler('sample'),
    'Tasks.start': () => client.tasks.start('use', {}, unknown as object),
    'Client.tools.x': () =>
      (client.tools as unknown as Record<string, (...given: unknown[]) => unknown>).use?.({}, unknown),
  };

  it('appears in the table below', () => {
    const named = found.filter(
      each =>
        !IMPLEMENTED_BY_OTHERS.test(each) && !IN_BROWSER.test(each) && !OF_SKILLS.test(each) && !IGNORED.includes(each),
    );
    expect([...new Set(named.map(each => SAME[each] ?? each))].sort()).toEqual(Object.keys(methods).sort());
  });

  it.each(Object.entries({ ...methods, ...others }))('refuses an unknown name: %s', async (_, run) => {
    const error = await Promise.resolve()
      .then(run)
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({ name: 'TenonError', message: expect.stringContaining('"unknownOption"') });
  });

  it('refuses an unknown name when it is compiled', () => {
    const text = `
      import { connect, createServer, tool } from 'tenon';
      const server = createServer({
        name: 'a', version: '1',
        tools: { t: tool({ async run(_, ctx) {
          await ctx.elicit({ message: 'm', input: { type: 'object', properties: {} }, unknownOption: 1 });
          await ctx.sample({ messages: [], maxTokens: 1, unknownOption: 1 });
          await ctx.ping({ unknownOption: 1 });
          return 'a';
        } }) },
      });
      const client = await connect<typeof server>(server);
      await client.callTool('t', {}, { unknownOption: 1 });
      await client.tools.t({}, { unknownOption: 1 });
      client.watch({ unknownOption: true });
      client.watch('a', { unknownOption: 1 });
      await client.tasks.start('t', {}, { unknownOption: 1 });
    `;
    const refused = edit(text).errors.filter(({ words }) => words.includes('unknownOption'));
    expect(refused.map(({ line }) => text.split('\n')[line]?.includes('unknownOption'))).toEqual(Array(8).fill(true));
  });
});
