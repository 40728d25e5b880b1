import ts from 'typescript-5';
import { describe, expect, it } from 'vitest';
import { migrateModule } from './migrate-module.js';

const migrate = (text: string, file = 'index.ts') => migrateModule(ts, file, text);
const mcp = "import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';\n";
const types = (names: string) => `import { ${names} } from '@modelcontextprotocol/sdk/types.js';\n`;

describe('a server of McpServer', () => {
  it('becomes a server that shows the messages of errors to the model', () => {
    const { text, findings } = migrate(`${mcp}const server = new McpServer({ name: 'a', version: '1' });\n`);
    expect(text).toBe(
      "import { createServer } from 'tenon';\nconst server = createServer({ name: 'a', version: '1', logging: false, exposeErrors: true });\n",
    );
    expect(findings).toEqual([]);
  });

  it('keeps its instructions and its logging', () => {
    const { text } = migrate(
      `${mcp}const server = new McpServer({ name: 'a', version: '1' }, { instructions: 'Hi', capabilities: { logging: {}, tools: {} } });`,
    );
    expect(text).toContain(
      "{ name: 'a', version: '1', instructions: 'Hi', tools: {}, exposeErrors: true }".slice(2, -2),
    );
    expect(text).not.toContain('logging');
  });

  it('takes its listener of errors as an option', () => {
    const { text } = migrate(
      `${mcp}const server = new McpServer({ name: 'a', version: '1' });\nserver.server.onerror = error => console.error(error);\n`,
    );
    expect(text).toContain('onError: error => console.error(error)');
    expect(text).not.toContain('onerror');
  });

  it('is found by its namespace in CommonJS', () => {
    const { text } = migrate(
      'const mcp_js_1 = require("@modelcontextprotocol/sdk/server/mcp.js");\nconst server = new mcp_js_1.McpServer({ name: "a", version: "1" });\n',
      'index.js',
    );
    expect(text).toContain('const { createServer } = require("tenon");\nconst server = createServer(');
  });

  it('does not take a name that the file uses', () => {
    const { text } = migrate(
      `${mcp}function createServer() { return new McpServer({ name: 'a', version: '1' }); }\ncreateServer().registerTool('x', {}, () => tool);\n`,
    );
    expect(text).toContain('createServer as tenonCreateServer');
    expect(text).toContain('return tenonCreateServer(');
  });
});

describe('the registration of a tool', () => {
  it('reports a handle, whose methods do not exist', () => {
    const { findings } = migrate(
      `const a = server.registerTool('a', {}, () => run());\nlist.push(server.registerPrompt('b', {}, () => run()));\na.disable();\nserver.registerTool('c', {}, () => run());\nthings.forEach(each => server.registerTool(each, {}, () => run()));\n`,
    );
    expect(findings.map(({ line, kind, what, fix }) => [line, kind, what, fix.includes('.delete')])).toEqual([
      [1, 'left', 'the handle of a registration', true],
      [2, 'left', 'the handle of a registration', true],
    ]);
  });

  it('reports a result with members that results do not have', () => {
    const { findings } = migrate(
      `server.registerTool('a', {}, () => ({ content: [{ type: 'text', text: 'x' }], tools: [] }));\nserver.registerTool('b', {}, () => ({ content: [{ type: 'text', text: 'x' }], isError: true }));\n`,
    );
    expect(findings.map(({ line, what }) => [line, what])).toEqual([[1, 'a result with the member `tools`']]);
  });

  it('keeps comments and indents the handler, but not the text of a template', () => {
    const { text } = migrate(`server.registerTool(
  'a',
  {
    // The city.
    inputSchema: { city: z.string() },
    outputSchema: { n: z.number() },
  },
  // Reads it.
  async ({ city }) => {
    return \`one
two\`;
  },
);
`);
    expect(text).toContain(`server.tools.set(
  'a',
  tool({
    // The city.
    input: z.object({ city: z.string() }),
    output: z.object({ n: z.number() }),
    // Reads it.
    run: async ({ city }) => {
      return \`one
two\`;
    },
  }),
);
`);
  });

  it('gives a handler without arguments a parameter for them', () => {
    expect(migrate("server.registerTool('a', { title: 'A' }, async extra => run(extra.signal));").text).toContain(
      "server.tools.set('a', tool({ title: 'A', run: async (_args, extra) => run(extra.signal) }));",
    );
    expect(migrate("server.registerTool('a', { title: 'A' }, handle);").text).toContain(
      'run: (_args, ctx) => handle(ctx) }',
    );
  });

  it.each([
    ["'A', { n: z.number() }, f", "description: 'A',\n  input: z.object({ n: z.number() }),\n  run: f,"],
    ['{ readOnlyHint: true }, f', 'annotations: { readOnlyHint: true },\n  run: (_args, ctx) => f(ctx),'],
    ['description, schema.shape, f', 'description: description,\n  input: schema,\n  run: f,'],
    [
      "'A', {}, { title: 'T' }, f",
      "description: 'A',\n  input: z.object({}),\n  annotations: { title: 'T' },\n  run: f,",
    ],
  ])('recognizes the arguments of `tool`: %s', (args, expected) => {
    expect(migrate(`server.tool('a', ${args});`).text).toContain(`server.tools.set('a', tool({\n  ${expected}\n}));`);
  });

  it('uses a whole schema as it is', () => {
    const { text } = migrate(
      "const Input = z.object({ a: z.string() });\nserver.registerTool('a', { inputSchema: Input, outputSchema: Input.shape }, f);",
    );
    expect(text).toContain('input: Input, output: Input, run: f');
  });

  it('changes the members of the context', () => {
    const { text } = migrate(
      "server.registerTool('a', { inputSchema: { n: z.number() } }, async ({ n }, extra) => { await extra.sendNotification({ method: 'notifications/progress', params: { progressToken: extra._meta?.progressToken, progress: n } }); return extra.authInfo; });",
    );
    expect(text).toContain(
      "extra.notify('notifications/progress', { progressToken: extra.meta?.progressToken, progress: n })",
    );
    expect(text).toContain('return extra.auth;');
  });

  it('asks the user and logs by the context of the handler', () => {
    const { text } = migrate(
      "server.registerTool('a', { inputSchema: {} }, async () => { await server.sendLoggingMessage({ level: 'info', data: 1 }); return server.server.elicitInput({ message: 'Sure?', requestedSchema: s }); });",
    );
    expect(text).toContain('async (_args, ctx) => {');
    expect(text).toContain("ctx.log('info', 1)");
    expect(text).toContain("ctx.elicit({ message: 'Sure?', input: s })");
  });

  it('throws errors for the model', () => {
    const { text } = migrate(
      `${types('McpError, ErrorCode')}server.registerTool('a', {}, async () => { throw new McpError(ErrorCode.InvalidParams, 'No'); });`,
    );
    expect(text).toContain("throw toolError('No')");
    expect(text).not.toContain('modelcontextprotocol');
  });
});

describe('the registration of a resource', () => {
  it('passes the URI as text', () => {
    expect(
      migrate(
        "server.registerResource('all', 'x://all', { mimeType: 'text/plain' }, async uri => ({ contents: [{ uri: uri.href, text: 'a' }] }));",
      ).text,
    ).toContain(`server.resources.set('x://all', resource({
  name: 'all',
  mimeType: 'text/plain',
  read: async ({ uri }) => ({ contents: [{ uri, text: 'a' }] }),
}));`);
  });

  it('passes a URL to a handler that uses more of it', () => {
    expect(migrate("server.resource('all', 'x://all', uri => uri.host);").text).toContain(
      'read: ({ uri }, ctx) => (uri => uri.host)(new URL(uri), ctx)',
    );
  });

  it('lists the variables of a template', () => {
    const { text } = migrate(
      "import { ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js';\nserver.registerResource('n', new ResourceTemplate('n://{id}', { list: undefined, complete: { id: c } }), {}, async (uri, { id }) => id);",
    );
    expect(text).toContain("server.resources.set('n://{id}', resource({");
    expect(text).toContain('complete: { id: c },');
    expect(text).toContain('read: async ({ id }) => id,');
    expect(text).not.toContain('ResourceTemplate');
  });
});

it('moves the completers of a prompt out of its schema', () => {
  const { text } = migrate(
    "import { completable } from '@modelcontextprotocol/sdk/server/completable.js';\nserver.registerPrompt('g', { argsSchema: { name: completable(z.string(), c) } }, ({ name }) => name);",
  );
  expect(text).toContain(
    'prompt({ input: z.object({ name: z.string() }), complete: { name: c }, run: ({ name }) => name })',
  );
});

describe('a low-level server', () => {
  const imports = `import { Server } from '@modelcontextprotocol/sdk/server/index.js';\n${types('CallToolRequestSchema, ListToolsRequestSchema, McpError, ErrorCode')}`;

  it('registers the tools of its list', () => {
    const { text, findings } = migrate(
      `${imports}const server = new Server({ name: 'a', version: '1' }, { capabilities: { tools: {} } });
server.setRequestHandler(ListToolsRequestSchema, async () => ({ tools: TOOLS }));
server.setRequestHandler(CallToolRequestSchema, async request => {
  if (request.params.name !== 'a') throw new McpError(ErrorCode.MethodNotFound, 'No');
  return f(request.params.arguments);
});
`,
      'index.js',
    );
    expect(text).toContain('const listTools = () => ({ tools: TOOLS });\nconst callTool = async request => {');
    expect(text).toContain("throw rpcError(-32601, 'No')");
    expect(text).toContain(`};
for (const { name, title, description, inputSchema, outputSchema, annotations, icons, _meta } of listTools().tools)
  server.tools.set(name, tool({
    title, description, output: outputSchema, annotations, icons, _meta,
    // The handler checks its arguments itself. Write \`input: inputSchema\` to have them checked before.
    input: inputSchema && { '~standard': { version: 1, vendor: 'handler', validate: value => ({ value }), jsonSchema: { input: () => inputSchema, output: () => inputSchema } } },
    run: async (args) => {
      const { content, structuredContent, isError, _meta } = await callTool({ params: { name, arguments: args } });
      return toolResult({ content, structuredContent, isError, _meta });
    },
  }));
`);
    expect(findings).toEqual([]);
  });

  it('types its handlers and reads the members of their results in TypeScript', () => {
    const { text, findings } = migrate(
      `${imports}const server = new Server({ name: 'a', version: '1' });
server.setRequestHandler(ListToolsRequestSchema, request => ({ tools: list(request.params) }));
server.setRequestHandler(CallToolRequestSchema, async request => {
  return { tools: [], content: [{ type: 'text', text: call(request.params.name) }] };
});
`,
    );
    expect(text).toContain('const listTools = (request: { params: { cursor?: string } }) => (');
    expect(text).toContain(
      'const callTool = async (request: { params: { name: string; arguments?: Record<string, any> } }) => {',
    );
    expect(text).toContain('validate: (value: unknown) => ({ value })');
    expect(text).toContain('await callTool({ params: { name, arguments: args } }) as CallToolResult;');
    expect(findings.map(({ what }) => what)).not.toContain('a result with the member `tools`');
  });

  const paged = (list: string, use: string) => `${imports}const server = new Server({ name: 'a', version: '1' });
${use}(() => {
  server.setRequestHandler(ListToolsRequestSchema, ${list});
  server.setRequestHandler(CallToolRequestSchema, request => ({ content: [] }));
});
`;
  const entries = 'for (const { name, title, description, inputSchema, outputSchema, annotations, icons, _meta } of';

  it.each([
    ['await ', 'async ({ params }) => ({ tools: await read(params?.cursor), nextCursor: next() })', 'async '],
    ['', 'request => ({ ...read(request.params?.cursor) })', ''],
  ])('registers the tools of each page of its list, read with `%s`', (await_, list, async_) => {
    const { text, findings } = migrate(paged(list, 'start').replace('(() =>', `(${async_}() =>`), 'index.js');
    expect(text).toContain(`
  for (let page = ${await_}listTools({ params: {} }); ; page = ${await_}listTools({ params: { cursor: page.nextCursor } })) {
    ${entries} page.tools)
      server.tools.set(name, tool({`);
    expect(text).toContain('\n    if (!page.nextCursor) break;\n  }\n});');
    expect(findings.filter(({ fix }) => /server\.tools\.set/.test(fix))).toHaveLength(async_ ? 1 : 0);
  });

  it('registers the tools of each page in a function of its own where nothing can await them', () => {
    const list = 'async ({ params }) => ({ tools: await read(params?.cursor), nextCursor: next() })';
    const { text } = migrate(paged(list, 'start'), 'index.js');
    expect(text).toContain(`
  void (async () => {
    for (let page = await listTools({ params: {} }); ; page = await listTools({ params: { cursor: page.nextCursor } })) {
      ${entries} page.tools)`);
    expect(text).toContain('\n      if (!page.nextCursor) break;\n    }\n  })();\n});');
  });

  it('reports a handler that has no equivalent, and makes it a comment', () => {
    const { text, findings } = migrate(
      `${types('CompleteRequestSchema')}\n\nserver.setRequestHandler(CompleteRequestSchema, f);`,
    );
    expect(text).toContain('// server.setRequestHandler(CompleteRequestSchema, f);');
    expect(findings).toContainEqual({
      file: 'index.ts',
      line: 4,
      kind: 'left',
      what: 'a handler of completion/complete',
      fix: 'write `complete` into the prompt or the resource',
    });
  });
});

describe('a transport', () => {
  const stdio = "import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';\n";

  it('is replaced by a function that serves', () => {
    expect(
      migrate(`${stdio}const transport = new StdioServerTransport();\nawait server.connect(transport);\n`).text,
    ).toBe("import { serveStdio } from 'tenon/stdio';\nawait serveStdio(server);\n");
  });

  it('is replaced by that function itself if it is one of several', () => {
    const { text } = migrate(
      `${stdio}let transport;\nif (a) transport = new StdioServerTransport();\nawait this.server.connect(transport);\n`,
    );
    expect(text).toContain('transport = serveStdio;\nawait transport(this.server);');
  });

  it('is reported if it is passed on', () => {
    const { findings } = migrate(`${stdio}const transport = new StdioServerTransport();\nlisten(transport);\n`);
    expect(findings).toMatchObject([{ line: 3, kind: 'left', what: 'a transport that is passed on' }]);
  });

  it('is replaced by a handler in a route of Express', () => {
    const { text } =
      migrate(`import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
const app = express();
const transports = {};
app.post('/rpc', async (req, res) => {
  const server = createMcp();
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
  transports.a = transport;
  await server.connect(transport);
  await transport.handleRequest(req, res, req.body);
});
app.get('/rpc', (req, res) => res.status(405).end());
app.get('/health', (req, res) => res.end());
`);
    expect(text).toBe(`import { createHandler } from 'tenon/http';
import { toNode } from 'tenon/node';
const app = express();
const mcpHandler = toNode(createHandler(createMcp(), { sessions: false, path: '/rpc' }));
app.post('/rpc', mcpHandler);
app.get('/rpc', mcpHandler);
app.get('/health', (req, res) => res.end());
`);
  });

  it.each([
    ['', true],
    ['{ enableJsonResponse: true }', true],
    ['{ sessionIdGenerator: undefined }', true],
    ['{ sessionIdGenerator }', false],
    ['{ ...shared }', false],
    ['shared', false],
  ])('has no sessions if the transport has no generator of IDs: %s', (options, expected) => {
    const { text } =
      migrate(`import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
app.post('/mcp', async (req, res) => {
  const transport = new StreamableHTTPServerTransport(${options});
  await createMcp().connect(transport);
  await transport.handleRequest(req, res, req.body);
});
`);
    expect(text.includes('{ sessions: false }')).toBe(expected);
  });

  it('is created before the first function of its routes, where all of them see it', () => {
    const { text } =
      migrate(`import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
async function main() {
  const post = async (req, res) => {
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => 'a' });
    await createMcp().connect(transport);
    await transport.handleRequest(req, res, req.body);
  };
  if (secure) {
    app.post('/mcp', check, post);
  } else {
    app.post('/mcp', post);
  }
  const get = async (req, res) => { await find(req).handleRequest(req, res); };
  app.get('/mcp', get);
}
`);
    expect(text).toContain(`
async function main() {
  const mcpHandler = toNode(createHandler(createMcp()));
  const post = mcpHandler;
  if (secure) {
    app.post('/mcp', check, post);
  } else {
    app.post('/mcp', post);
  }
  const get = mcpHandler;
`);
  });

  it.each([
    ['context.req.raw', ''],
    ['request', 'const request = context.req.raw; '],
  ])('is replaced by a handler that gets the request of Hono, also from `%s`', (argument, first) => {
    const { text } =
      migrate(`import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
const app = new Hono();
app.all('/mcp', async context => {
  const transport = new WebStandardStreamableHTTPServerTransport();
  await createMcp().connect(transport);
  ${first}return transport.handleRequest(${argument});
});
`);
    expect(text).toBe(`import { createHandler } from 'tenon/http';
const app = new Hono();
const mcpHandler = createHandler(createMcp(), { sessions: false });
app.all('/mcp', (context) => mcpHandler(context.req.raw));
`);
  });
});

describe('a factory of version 2', () => {
  const imports = `import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { toNodeHandler } from '@modelcontextprotocol/node';
`;

  it('is called once, and its server is served on stdio', () => {
    const { text, findings } = migrate(
      `${imports}serveStdio(() => {\n  const server = new McpServer({ name: 'a', version: '1' });\n  return server;\n});\n`,
    );
    expect(text).toContain(`serveStdio((() => {
  const server = createServer({ name: 'a', version: '1', logging: false, exposeErrors: true });
  return server;
})());`);
    expect(text).toContain("import { serveStdio } from 'tenon/stdio';");
    expect(text).not.toContain('modelcontextprotocol');
    expect(findings).toEqual([]);
  });

  it('is called once, and what closes its server on stdio is awaited, or reported where nothing can await it', () => {
    const { text, findings } = migrate(
      `${imports}const handle = serveStdio(create);\nasync function main() {\n  const inner = serveStdio(create);\n}\nfunction start() {\n  return serveStdio(create);\n}\nvoid serveStdio(create);\n`,
    );
    expect(text).toContain('const handle = await serveStdio(create());');
    expect(text).toContain('const inner = await serveStdio(create());');
    expect(text).toContain('return serveStdio(create());');
    expect(text).toContain('void serveStdio(create());');
    expect(findings).toMatchObject([
      { line: 9, kind: 'check', what: 'the result of `serveStdio`, which is a promise' },
    ]);
  });

  it('is called once, and its server is served over HTTP without sessions', () => {
    const { text, findings } = migrate(
      `${imports}async function create() {}\nconst handler = createMcpHandler(create, { onerror: log });\napp.all('/mcp', toNodeHandler(handler));\nexport default { fetch: request => handler.fetch(request) };\n`,
    );
    expect(text).toContain('const handler = createHandler(await create(), { sessions: false });');
    expect(text).toContain("app.all('/mcp', toNode(handler));");
    expect(text).toContain('fetch: request => handler(request) }');
    expect(text).not.toContain('modelcontextprotocol');
    expect(findings).toMatchObject([{ kind: 'check', what: 'the options of createMcpHandler, which were removed' }]);
  });

  it('is reported if it has a context, or if it is asynchronous where nothing can await it', () => {
    const { text, findings } = migrate(
      `${imports}serveStdio(context => create(context));\nfunction start() {\n  createMcpHandler(async () => create());\n}\n`,
    );
    expect(text).toContain('serveStdio((context => create(context))({}));');
    expect(text).toContain('  createMcpHandler(async () => create());');
    expect(findings.map(({ line, kind }) => [line, kind])).toEqual([
      [4, 'left'],
      [6, 'left'],
      [6, 'left'],
    ]);
  });

  it('is served by `fetch` of the default export', () => {
    const named = migrate(`${imports}const handler = createMcpHandler(() => create());\nexport default handler;\n`);
    expect(named.text).toContain('export default { fetch: handler };');
    const written = migrate(`${imports}export default createMcpHandler(() => create());\n`);
    expect(written.text).toContain('export default { fetch: createHandler(create(), { sessions: false }) };');
    expect([...named.findings, ...written.findings]).toEqual([]);
  });

  it('is not called if it has one expression, and an import that stays keeps its name', () => {
    const { text } = migrate(`${imports}serveStdio(create);\nuse(serveStdio);\ncreateMcpHandler(() => create(1));\n`);
    expect(text).toContain('createHandler(create(1), { sessions: false });');
    expect(text).toContain("import { serveStdio as tenonServeStdio } from 'tenon/stdio';");
    expect(text).toContain('tenonServeStdio(create());\nuse(serveStdio);');
  });
});

describe('a constant of the protocol', () => {
  it('becomes its value, without an import', () => {
    const { text, findings } = migrate(
      "import { CLIENT_INFO_META_KEY as KEY, INVALID_PARAMS, TRACEPARENT_META_KEY } from '@modelcontextprotocol/server';\nconst read = meta => meta[KEY] ?? meta.KEY;\nuse({ [KEY]: 1, KEY: 2, TRACEPARENT_META_KEY }, INVALID_PARAMS);\n",
    );
    expect(text).toBe(
      "const read = meta => meta['io.modelcontextprotocol/clientInfo'] ?? meta.KEY;\nuse({ ['io.modelcontextprotocol/clientInfo']: 1, KEY: 2, TRACEPARENT_META_KEY: 'traceparent' }, -32602);\n",
    );
    expect(findings).toEqual([]);
  });

  it('becomes its value in CommonJS, and stays where a type or an export has its name', () => {
    const common = migrate(
      'const types_js_1 = require("@modelcontextprotocol/sdk/types.js");\nuse(types_js_1.RELATED_TASK_META_KEY);\n',
    );
    expect(common.text).toBe('use("io.modelcontextprotocol/related-task");\n');
    const exported = migrate(
      "import { JSONRPC_VERSION } from '@modelcontextprotocol/sdk/types.js';\nexport { JSONRPC_VERSION };\ntype Version = typeof JSONRPC_VERSION;\n",
    );
    expect(exported.text).toContain('export { JSONRPC_VERSION };\ntype Version = typeof JSONRPC_VERSION;');
    expect(exported.findings).toMatchObject([{ kind: 'left' }]);
  });
});

describe('a log message of a low-level server', () => {
  const low = `import { Server } from '@modelcontextprotocol/sdk/server/index.js';\n${types('CallToolRequestSchema, ListToolsRequestSchema')}const server = new Server({ name: 'a', version: '1' }, {});\nserver.setRequestHandler(ListToolsRequestSchema, async () => ({ tools: [] }));\n`;
  const log = "await server.sendLoggingMessage({ level: 'info', data: 1 });";

  it('is sent by the context of the handler of calls, which gets one', () => {
    for (const [parameters, name] of [
      ['(request)', 'ctx'],
      ['(request, extra)', 'extra'],
    ] as const) {
      const { text, findings } = migrate(
        `${low}server.setRequestHandler(CallToolRequestSchema, async ${parameters} => { ${log} return { content: [] }; });\n`,
      );
      expect(text).toContain(`${name}.log('info', 1);`);
      expect(text).toMatch(new RegExp(`const callTool = async \\(request.*, ${name}: Context\\) =>`));
      expect(text).toMatch(/await callTool\(\{ params: .* \}, ctx\)/);
      expect(findings).toEqual([]);
    }
  });

  it('is a reported line in the handler of a list', () => {
    const { findings } = migrate(
      `${low.replace('async () => (', `async request => { ${log} return (`).replace('}));', '}); });')}server.setRequestHandler(CallToolRequestSchema, async request => ({ content: [] }));\n`,
    );
    expect(findings.map(({ what }) => what)).toContain('`sendLoggingMessage` outside a handler');
  });
});

it('reports the linked transports of a test in one line', () => {
  const { text, findings } = migrate(
    "import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';\nconst [a, b] = InMemoryTransport.createLinkedPair();\n",
  );
  expect(text).toContain('InMemoryTransport.createLinkedPair()');
  expect(findings).toMatchObject([{ line: 2, kind: 'left', fix: expect.stringContaining('`await connect(server)`') }]);
});

describe('a place without an equivalent', () => {
  it('is a comment if it logs outside a handler, also as the body of a condition', () => {
    const { text, findings } = migrate(
      `${mcp}function log(data) {\n  if (on) server.sendLoggingMessage({ level: 'info', data });\n  done();\n}\nasync function warn() {\n  await server.server.sendLoggingMessage(m);\n}\n`,
    );
    expect(text).toContain(`  if (on) {
  // TODO: tenon migrate could not change this.
  // server.sendLoggingMessage({ level: 'info', data });
  }
  done();
`);
    expect(text).toContain('  // await server.server.sendLoggingMessage(m);\n}');
    expect(findings.map(({ line, kind }) => [line, kind])).toEqual([
      [3, 'left'],
      [7, 'left'],
    ]);
  });

  it('reads as undefined if it is a member of the inner server', () => {
    const { text, findings } = migrate(
      `${mcp}const handlers = mcpServer.server._requestHandlers;\nconst { roots } = server.server.getClientCapabilities() ?? {};\ncheck(server.server?._serverInfo);\n`,
    );
    expect(text).toContain('const handlers = mcpServer.server?._requestHandlers;');
    expect(text).toContain('= server.server?.getClientCapabilities() ?? {};');
    expect(text).toContain('check(server.server?._serverInfo);');
    expect(findings).toHaveLength(3);
  });

  it('is a comment if it registers a tool that only runs as a task', () => {
    const { text, findings } = migrate(
      `${mcp}server.experimental.tasks.registerToolTask('a', {}, {\n  createTask: f,\n});\n`,
    );
    expect(text).toContain("// server.experimental.tasks.registerToolTask('a', {}, {\n  // createTask: f,\n// });");
    expect(findings).toMatchObject([{ kind: 'left', what: '`server.experimental.tasks`' }]);
  });
});

it('sends notifications of the server in a handler as those of the request', () => {
  const { text, findings } = migrate(
    `${mcp}server.registerTool('a', { inputSchema: {} }, async (args, extra) => {\n  await server.server.notification({ method: 'notifications/progress', params: { progress: 1 } }, { relatedRequestId: 1 });\n});\n`,
  );
  expect(text).toContain("  extra.notify('notifications/progress', { progress: 1 });\n");
  expect(findings).toEqual([]);
});

describe('schemas of zod 3', () => {
  const upgrade = (text: string) => migrateModule(ts, 'index.ts', `${mcp}${text}`, { upgradesZod: true }).text;

  it('have `issues` in their errors', () => {
    expect(upgrade('const parsed = S.safeParse(a);\nif (!parsed.success) fail(parsed.error.errors);\n')).toContain(
      'fail(parsed.error.issues)',
    );
    expect(upgrade('try {} catch (e) { if (e instanceof z.ZodError) fail(e.errors); }')).toContain('fail(e.issues)');
    expect(upgrade('const parsed = load(a);\nfail(parsed.error.errors);\n')).toContain('parsed.error.errors');
  });

  it('have defaults in front of their transformations', () => {
    const zod = "import { z } from 'zod';\n";
    expect(upgrade(`${zod}const s = z.string().transform(Number).pipe(z.number().default(1)).default('3');`)).toContain(
      "z.string().transform(Number).pipe(z.number().default(1)).prefault('3')",
    );
    expect(upgrade(`${zod}const s = z.preprocess(f, z.number()).default(3);`)).toContain('.prefault(3)');
    expect(upgrade("const s = stream.pipe(out).default('3');")).toContain(".pipe(out).default('3')");
  });
});

it('leaves a file without the SDK as it is', () => {
  const text = "import { Server } from 'node:http';\nnew Server();\nregistry.tool('a', 'b', c);\n";
  expect(migrate(text)).toEqual({ text, findings: [] });
});
