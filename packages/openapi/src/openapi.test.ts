import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { keepIntegers, parseJsonText, toJsonObject } from '@tenon/base';
import { type Client, connect, createServer, type JsonObject } from 'tenon';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type OpenApiOptions, openapi, readOperations } from './index.node.js';

interface SentRequest extends Pick<IncomingMessage, 'method' | 'url' | 'headers'> {
  readonly body: Buffer;
}

const requests: SentRequest[] = [];
let respond: (response: ServerResponse, request: SentRequest) => void = response => response.end('{}');
const api = createHttpServer(async (request, response) => {
  const sent = { method: request.method, url: request.url, headers: request.headers, body: await buffer(request) };
  requests.push(sent);
  respond(response, sent);
});
let url = '';
const clients: Client[] = [];
beforeAll(async () => {
  await new Promise<void>(resolve => api.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;
});
afterEach(async () => {
  requests.length = 0;
  respond = response => response.end('{}');
  await Promise.all(clients.splice(0).map(client => client.close()));
});
afterAll(() => new Promise(resolve => api.close(resolve)));

const createDocument = (paths: object, more: object = {}): JsonObject => ({
  openapi: '3.1.0',
  info: { title: 'Pet Shop', version: '1' },
  paths,
  ...more,
});

/** Serves a document whose API is the server of the tests. */
async function serve(document: JsonObject, options: OpenApiOptions = {}) {
  const { name, version, tools, resources, report } = await openapi(document, { baseUrl: url, ...options });
  const client = await connect(createServer({ name, version, tools, resources }));
  clients.push(client);
  return { client, report };
}

const getText = ({ content }: { readonly content: readonly object[] }): string =>
  content.map(each => ('text' in each ? String(each.text) : '')).join('');
const json = (value: unknown) => (response: ServerResponse) =>
  void response.setHeader('content-type', 'application/json').end(JSON.stringify(value));

describe('openapi', () => {
  const list = ['a b', 'c,d'];
  const object = { r: 1, g: 'x&y' };
  it.each([
    ['query', {}, list, '/p?v=a+b&v=c%2Cd'],
    ['query', { explode: false }, list, '/p?v=a+b,c%2Cd'],
    ['query', { style: 'spaceDelimited' }, list, '/p?v=a+b%20c%2Cd'],
    ['query', { style: 'pipeDelimited' }, list, '/p?v=a+b%7Cc%2Cd'],
    ['query', { style: 'pipeDelimited', explode: true }, list, '/p?v=a+b&v=c%2Cd'],
    ['query', { explode: false }, [], '/p'],
    ['query', { style: 'pipeDelimited' }, [null], '/p'],
    ['query', { explode: false }, {}, '/p'],
    ['query', {}, object, '/p?r=1&g=x%26y'],
    ['query', { explode: false }, object, '/p?v=r,1,g,x%26y'],
    ['query', { style: 'deepObject', explode: true }, { a: { b: [1, 2] } }, '/p?v[a][b][0]=1&v[a][b][1]=2'],
    ['query', { allowReserved: true }, 'a/b:c?d&e#f', '/p?v=a/b:c?d%26e%23f'],
    ['query', { content: { 'application/json': { schema: {} } } }, { a: [1] }, '/p?v=%7B%22a%22%3A%5B1%5D%7D'],
    ['query', { content: { 'text/plain': { schema: {} } } }, 'a b', '/p?v=a+b'],
    ['path', {}, list, '/p/a%20b,c%2Cd'],
    ['path', {}, object, '/p/r,1,g,x%26y'],
    ['path', { explode: true }, object, '/p/r=1,g=x%26y'],
    ['path', { style: 'label' }, list, '/p/.a%20b,c%2Cd'],
    ['path', { style: 'label', explode: true }, list, '/p/.a%20b.c%2Cd'],
    ['path', { style: 'label', explode: true }, object, '/p/.r=1.g=x%26y'],
    ['path', { style: 'matrix' }, list, '/p/;v=a%20b,c%2Cd'],
    ['path', { style: 'matrix', explode: true }, list, '/p/;v=a%20b;v=c%2Cd'],
    ['path', { style: 'matrix', explode: true }, object, '/p/;r=1;g=x%26y'],
  ])('serializes a parameter of the %s with %j: %j', async (place, style, value, expected) => {
    const parameter = { in: place, name: 'v', required: true, ...('content' in style ? {} : { schema: {} }), ...style };
    const { client } = await serve(
      createDocument({
        [place === 'path' ? '/p/{v}' : '/p']: { get: { operationId: 'get', parameters: [parameter] } },
      }),
    );
    await client.callTool('get', { v: value });
    expect(requests.map(each => each.url)).toEqual([expected]);
  });

  it('sends headers and cookies, with all digits of long numbers', async () => {
    const parameters = [
      { in: 'header', name: 'X-Ids', schema: { type: 'array', items: {} } },
      { in: 'cookie', name: 'theme', schema: {} },
      { in: 'query', name: 'n', schema: { type: 'integer' } },
    ];
    const { client } = await serve(createDocument({ '/p': { get: { operationId: 'get', parameters } } }));
    await client.callTool('get', { 'X-Ids': ['a', 'b'], theme: 'dark; x', n: 3 });
    expect(requests[0]).toMatchObject({
      url: '/p?n=3',
      headers: { 'x-ids': 'a,b', cookie: 'theme=dark%3B%20x' },
    });
    await client.callTool('get', { 'X-Ids': [] });
    expect(requests.pop()?.headers).not.toHaveProperty('x-ids');
    const refused = await client.callTool('get', { 'X-Ids': ['a\r\nx-evil: 1'] });
    expect(refused).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('one line') }] });
    expect(requests).toHaveLength(1);
  });

  it.each([
    ['/p/{v}', { v: '..' }],
    ['/p/{v}', { v: '.' }],
    ['/p/{v}', { v: [] }],
    ['/p/{v}', { v: {} }],
    ['/p/{v}', { v: { a: null } }],
    ['/p/{v}/x', { v: '' }],
    ['/p/{v}', { v: ['a', '..'] }],
  ])('refuses dots and nothing as a segment of %s: %j', async (path, args) => {
    const parameters = [{ in: 'path', name: 'v', required: true, schema: {} }];
    const { client } = await serve(createDocument({ [path]: { get: { operationId: 'get', parameters } } }));
    expect(await client.callTool('get', args)).toMatchObject({ isError: true });
    expect(requests).toEqual([]);
  });

  it('sends no inherited member of an object in place of an argument that is absent', async () => {
    const parameters = ['constructor', 'toString'].map(name => ({ in: 'query', name, schema: {} }));
    const { client } = await serve(createDocument({ '/p': { get: { operationId: 'get', parameters } } }));
    await client.callTool('get', {});
    await client.callTool('get', { constructor: 'ferrari' });
    expect(requests.map(each => each.url)).toEqual(['/p', '/p?constructor=ferrari']);
  });

  it('replaces half of a surrogate pair in a cookie, as in a query', async () => {
    const parameters = ['cookie', 'query'].map(place => ({ in: place, name: place, schema: {} }));
    const { client } = await serve(createDocument({ '/p': { get: { operationId: 'get', parameters } } }));
    await client.callTool('get', { cookie: '\ud800', query: '\ud800' });
    expect(requests).toMatchObject([{ url: '/p?query=%EF%BF%BD', headers: { cookie: 'cookie=%EF%BF%BD' } }]);
  });

  it('cuts no surrogate pair in half, which clients in Python cannot read', async () => {
    const description = `${'x'.repeat(1022)}😀😀`;
    const parameters = [{ in: 'query', name: 'v', schema: {}, description }];
    const { client } = await serve(createDocument({ '/p': { get: { operationId: 'get', parameters } } }), {
      limits: { maxTextLength: 3 },
    });
    const results: unknown[] = [];
    for await (const tool of client.listTools()) results.push(tool);
    respond = response => response.setHeader('content-type', 'text/plain').end('😀😀');
    results.push(await client.callTool('get', {}));
    respond = response => response.writeHead(400, { 'content-type': 'text/plain' }).end(`x${'😀'.repeat(2_001)}`);
    results.push(await client.callTool('get', {}));
    const [tool, text, error] = results.map(each => JSON.stringify(each));
    expect(tool).toContain('x…');
    expect(text).toContain('😀… (4 characters in all)');
    expect(error).toContain('😀… (4003 characters in all)');
    for (const written of [tool, text, error]) expect(written).not.toContain('\\ud83d');
  });

  it('adds the slash that a path lacks', async () => {
    const { client } = await serve(createDocument({ 'pets/all': { get: { operationId: 'get' } } }));
    await client.callTool('get', {});
    expect(requests.map(each => each.url)).toEqual(['/pets/all']);
  });

  it('sends no body with GET and HEAD, whose responses to HEAD have no schema', async () => {
    const content = { 'application/json': { schema: { type: 'object' } } };
    const post = { requestBody: { content }, responses: { 200: { description: '', content } } };
    const { client, report } = await serve(
      createDocument({
        '/p': { get: { ...post, operationId: 'get' }, head: { ...post, operationId: 'head' } },
      }),
    );
    expect(report.changed).toEqual([
      { tool: 'get', changes: ['its body is left out: a request of GET has none'] },
      { tool: 'head', changes: ['its body is left out: a request of HEAD has none'] },
    ]);
    expect((await client.callTool('head', {})).isError).toBeUndefined();
    expect(requests.map(each => each.method)).toEqual(['HEAD']);
  });

  it('refuses values that are dots together', async () => {
    const parameters = [{ in: 'path', name: 'v', style: 'label', schema: {} }];
    const { client } = await serve(createDocument({ '/p{v}{w}/.{v}': { get: { operationId: 'get', parameters } } }));
    const { isError } = await client.callTool('get', { v: 'a', w: '/../x' });
    expect([isError, requests.map(each => each.url)]).toEqual([undefined, ['/p.a%2F..%2Fx/..a']]);
  });

  it.each([
    ['application/json', { a: [1, { b: null }] }, '{"a":[1,{"b":null}]}'],
    ['application/merge-patch+json', 'x', '"x"'],
    ['text/plain', 'a b', 'a b'],
    ['application/xml', '<a/>', '<a/>'],
    ['application/octet-stream', Buffer.from([0, 255, 128]).toString('base64'), '\u0000\u00ff\u0080'],
    [
      'application/x-www-form-urlencoded',
      { a: 'b c', l: [1, 2], o: { x: 1 }, d: { k: ['v'] } },
      'a=b+c&l=1&l=2&o=%7B%22x%22%3A1%7D&d[k][0]=v',
    ],
  ])('sends a body of %s', async (type, body, expected) => {
    const properties = { a: {}, l: { type: 'array' }, o: { type: 'object' }, d: { type: 'object' } };
    const media = {
      schema: type.includes('form') ? { type: 'object', properties } : {},
      encoding: { d: { style: 'deepObject', explode: true } },
    };
    const { client } = await serve(
      createDocument({ '/p': { post: { operationId: 'post', requestBody: { content: { [type]: media } } } } }),
    );
    await client.callTool('post', { body });
    expect(requests[0]?.headers['content-type']).toBe(type);
    expect(requests[0]?.body.toString('latin1')).toBe(expected);
  });

  it('sends files of a multipart body with their bytes and names', async () => {
    const schema = {
      type: 'object',
      required: ['file'],
      properties: {
        file: { type: 'string', format: 'binary', description: 'The picture.' },
        purpose: { type: 'string' },
        meta: { type: 'object' },
      },
    };
    const { client } = await serve(
      createDocument({
        '/p': { post: { operationId: 'post', requestBody: { content: { 'multipart/form-data': { schema } } } } },
      }),
    );
    const bytes = Buffer.from([0, 255, 13, 10]);
    const file = { data: bytes.toString('base64'), name: 'a"\r\nb.png', type: 'image/png' };
    await client.callTool('post', { body: { file, purpose: 'é', meta: { a: 1 } } });
    const { headers, body } = requests[0]!;
    const form = await new Response(new Uint8Array(body), {
      headers: { 'content-type': headers['content-type']! },
    }).formData();
    const sent = form.get('file') as unknown as { arrayBuffer(): Promise<ArrayBuffer>; name: string; type: string };
    expect(Buffer.from(await sent.arrayBuffer())).toEqual(bytes);
    expect([sent.type, form.get('purpose')]).toEqual(['image/png', 'é']);
    expect(body.toString('latin1')).toContain('content-type: application/json\r\n\r\n{"a":1}');
    const refused = await client.callTool('post', { body: { file: { data: '%' } } });
    expect(refused).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('base64') }] });
  });

  const postBody = (type: string, schema: object, more: object = {}) =>
    createDocument(
      { '/p': { post: { operationId: 'post', requestBody: { content: { [type]: { schema } } } } } },
      { components: { schemas: more } },
    );

  it.each([
    ['a choice', { properties: { f: { anyOf: [{ type: 'string', format: 'binary' }, { type: 'null' }] } } }],
    ['`allOf`', { allOf: [{ $ref: '#/components/schemas/Base' }, { required: ['f'] }] }],
    [
      'a list in a choice',
      { properties: { f: { oneOf: [{ type: 'array', items: { $ref: '#/components/schemas/Bytes' } }] } } },
    ],
  ])('sends a file of a property in %s', async (title, schema) => {
    const Bytes = { type: 'string', format: 'binary' };
    const Base = { type: 'object', properties: { f: Bytes, note: { type: ['string', 'null'] } } };
    const { client } = await serve(postBody('multipart/form-data', { type: 'object', ...schema }, { Bytes, Base }));
    const file = { data: btoa('bytes'), name: 'a.txt', type: 'text/plain' };
    await client.callTool('post', { body: { f: title.includes('list') ? [file] : file, note: null } });
    expect(requests.map(each => each.body.toString().split('\r\n').slice(1, -2))).toEqual([
      ['content-disposition: form-data; name="f"; filename="a.txt"', 'content-type: text/plain', '', 'bytes'],
    ]);
  });

  it('sends the members of an object as JSON to an operation that takes any type', async () => {
    const { client } = await serve(postBody('*/*', { $ref: '#/components/schemas/Pet' }, { Pet: { properties: {} } }));
    await client.callTool('post', { body: { a: 1 } });
    expect(requests[0]).toMatchObject({
      headers: { 'content-type': 'application/json' },
      body: Buffer.from('{"a":1}'),
    });
    const bytes = await serve(postBody('*/*', { type: 'string' }));
    await bytes.client.callTool('post', { body: btoa('a') });
    expect(requests[1]).toMatchObject({
      headers: { 'content-type': 'application/octet-stream' },
      body: Buffer.from('a'),
    });
  });

  it('leaves out values of null, which only JSON has', async () => {
    const places = ['query', 'header', 'cookie'].map(place => ({ in: place, name: `x-${place}`, schema: {} }));
    const list = { in: 'query', name: 'list', schema: {} };
    const deep = { in: 'query', name: 'deep', style: 'deepObject', schema: {} };
    const path = { in: 'path', name: 'id', required: true, schema: {} };
    const content = { 'application/x-www-form-urlencoded': { schema: { type: 'object', properties: { a: {} } } } };
    const { client } = await serve(
      createDocument({
        '/p/{id}': {
          post: { operationId: 'post', parameters: [...places, list, deep, path], requestBody: { content } },
        },
      }),
    );
    const args = { 'x-query': null, 'x-header': null, 'x-cookie': null, list: [null, 1], deep: { a: null, b: 2 } };
    await client.callTool('post', { ...args, id: 1, body: { a: null, b: [null, 'x'] } });
    expect(requests).toMatchObject([{ url: '/p/1?list=1&deep[b]=2', body: Buffer.from('b=x') }]);
    expect(Object.keys(requests[0]?.headers ?? {})).not.toContain('x-header');
    expect(requests[0]?.headers.cookie).toBeUndefined();
    expect(await client.callTool('post', { id: null })).toMatchObject({ isError: true });
    expect(requests).toHaveLength(1);
  });

  it('sets its headers and credentials itself, in place of parameters of these names', async () => {
    const parameters = [
      { in: 'header', name: 'X-Tenant', required: true, schema: { type: 'string' } },
      { in: 'query', name: 'key', required: true, schema: { type: 'string' } },
      { in: 'query', name: 'x-tenant', required: true, schema: { type: 'string' } },
    ];
    const { client } = await serve(
      createDocument(
        { '/p': { get: { operationId: 'get', parameters }, put: { operationId: 'put', security: [], parameters } } },
        { components: { securitySchemes: { key: { type: 'apiKey', in: 'query', name: 'key' } } } },
      ),
      { headers: { 'x-tenant': 'ours' }, auth: { key: 'secret' } },
    );
    await client.callTool('get', { 'x-tenant': 'a' });
    expect(requests).toMatchObject([{ url: '/p?x-tenant=a&key=secret', headers: { 'x-tenant': 'ours' } }]);
    expect(await client.callTool('get', { 'x-tenant': 'a', 'X-Tenant': 'other' })).toMatchObject({ isError: true });
    const { tools } = await client.call('tools/list');
    expect(tools.map(({ inputSchema }) => inputSchema.required)).toEqual([['x-tenant'], ['key', 'x-tenant']]);
  });

  const withResponse = (schema: object, more: object = {}) =>
    createDocument({
      '/p': {
        get: { operationId: 'get', responses: { 200: { content: { 'application/json': { schema } } } }, ...more },
      },
    });

  it('returns JSON as structured content, and offers its schema without the constraints of requests', async () => {
    const schema = {
      type: 'object',
      required: ['id'],
      additionalProperties: false,
      properties: {
        id: { type: 'integer' },
        kind: { enum: ['cat'], type: 'string' },
        password: { type: 'string', writeOnly: true },
        created: { type: 'string', readOnly: true, format: 'date-time' },
      },
    };
    const { client } = await serve(withResponse(schema));
    const { tools } = await client.call('tools/list');
    expect(tools[0]?.outputSchema).toEqual({
      type: 'object',
      required: ['id'],
      properties: { id: { type: 'integer' }, kind: { type: 'string' }, created: { type: 'string' } },
    });
    respond = json({ id: 1, kind: 'dog', more: true });
    expect(await client.callTool('get', {})).toMatchObject({ structuredContent: { id: 1, kind: 'dog', more: true } });
  });

  it('returns a response that differs from the document as an error with its text', async () => {
    const { client } = await serve(withResponse({ type: 'object', properties: { id: { type: 'integer' } } }));
    respond = json({ id: 'x' });
    const differing = await client.callTool('get', {});
    expect(differing.isError).toBe(true);
    expect(getText(differing)).toMatch(/differs from its document: .*\n\{"id":"x"\}$/);
    respond = response => response.writeHead(204).end();
    expect(await client.callTool('get', {})).toMatchObject({ isError: true });
  });

  it('offers the schema of a response of any type that has members', async () => {
    const responses = (schema: object) => ({ responses: { 200: { content: { '*/*': { schema } } } } });
    respond = json([1]);
    const { client } = await serve(
      createDocument({
        '/list': { get: { operationId: 'list', ...responses({ type: 'array', items: { type: 'integer' } }) } },
        '/text': { get: { operationId: 'text', ...responses({ type: 'string' }) } },
      }),
    );
    expect(await client.callTool('list', {})).toMatchObject({ structuredContent: [1] });
    expect((await client.callTool('text', {})).structuredContent).toBeUndefined();
  });

  it('returns lists of a response', async () => {
    const { client } = await serve(withResponse({ type: 'array', items: { type: 'string' } }));
    respond = json(['a']);
    expect(await client.callTool('get', {})).toMatchObject({ structuredContent: ['a'] });
  });

  it('leaves out a schema of a response that is too large, or leads nowhere, and says so', async () => {
    const properties = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`p${index}`, { type: 'string' }]));
    for (const [schema, reason] of [
      [{ type: 'object', properties }, 'more than 400 parts'],
      [{ type: 'object', description: 'x'.repeat(20_000) }, 'characters, more than'],
    ] as const) {
      const { client, report } = await serve(withResponse(schema));
      expect((await client.call('tools/list')).tools[0]?.outputSchema).toBeUndefined();
      expect(report.changed).toEqual([{ tool: 'get', changes: [expect.stringContaining(reason)] }]);
    }
  });

  it('offers a larger schema of a response with other limits', async () => {
    const properties = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`p${index}`, { type: 'string' }]));
    const document = withResponse({ type: 'object', properties });
    const { client, report } = await serve(document, { maxOutputParts: 501, maxOutputSize: 20_000 });
    expect((await client.call('tools/list')).tools[0]?.outputSchema).toMatchObject({ properties });
    expect(report.changed).toEqual([]);
    const { report: cut } = await serve(document, { maxOutputParts: 501, maxOutputSize: 100 });
    expect(cut.changed).toEqual([
      { tool: 'get', changes: [expect.stringMatching(/characters, more than 100 \(`maxOutputSize`\)$/)] },
    ]);
  });

  it.each([
    [{ serverOrigins: ['https://files.example/v1'] }, '`serverOrigins` of readOperations is invalid at 0'],
    [{ documentOrigins: ['files.example'] }, '`documentOrigins` of readOperations is invalid at 0'],
    [{ maxOutputParts: 0 }, '`maxOutputParts` of readOperations is invalid'],
    [{ resources: [1] }, '`resources` of readOperations is invalid at 0'],
    [{ readOnly: 'no' }, '`readOnly` of readOperations is invalid'],
    [{ transform: {} }, '`transform` of readOperations is invalid'],
  ])('refuses %j', async (options, message) => {
    await expect(serve(withResponse({}), options as never)).rejects.toMatchObject({
      code: 'openapi/option',
      message: expect.stringContaining(message),
    });
  });

  it.each([
    ['image/png', { type: 'image', data: 'AP8=', mimeType: 'image/png' }],
    ['audio/ogg', { type: 'audio', data: 'AP8=', mimeType: 'audio/ogg' }],
    ['application/pdf', { type: 'resource', resource: { mimeType: 'application/pdf', blob: 'AP8=' } }],
  ])('returns a response of %s as bytes', async (type, expected) => {
    const { client } = await serve(createDocument({ '/p': { get: { operationId: 'get' } } }));
    respond = response => response.setHeader('content-type', type).end(Buffer.from([0, 255]));
    expect((await client.callTool('get', {})).content).toMatchObject([expected]);
  });

  it('cuts a long text, decodes its charset, and refuses a response over the limit', async () => {
    const { client } = await serve(
      createDocument({ '/p': { get: { operationId: 'get' }, post: { operationId: 'post' } } }),
      {
        limits: { maxTextLength: 3, maxResponseSize: 10 },
      },
    );
    respond = response =>
      response.setHeader('content-type', 'text/plain; charset=latin1').end(Buffer.from('\u00e9bcd', 'latin1'));
    expect(getText(await client.callTool('get', {}))).toBe('ébc… (4 characters in all)');
    respond = response => response.end('x'.repeat(11));
    const refused = await client.callTool('post', {});
    expect(getText(refused)).toMatch(/larger than 10 bytes.*may have executed the request/);
  });

  it('sends all digits of an integer in a parameter of JSON', async () => {
    const parameters = [{ name: 'v', in: 'query', content: { 'application/json': { schema: {} } } }];
    const { client } = await serve(createDocument({ '/p': { get: { operationId: 'get', parameters } } }));
    keepIntegers();
    const args = toJsonObject(parseJsonText('{"v":{"id":9007199254740993}}'));
    await client.callTool('get', args);
    expect(requests[0]?.url).toBe(`/p?v=${encodeURIComponent('{"id":9007199254740993}')}`);
  });

  it.each(['application/graphql', 'application/x-ndjson', 'text/csv', 'application/sql'])(
    'sends a body of %s as text, as it reads responses of this type',
    async type => {
      const post = { operationId: 'post', requestBody: { content: { [type]: { schema: { type: 'string' } } } } };
      const { client } = await serve(createDocument({ '/p': { post } }));
      respond = response => response.setHeader('content-type', type).end('{"a":1}\n');
      expect(getText(await client.callTool('post', { body: 'a, b' }))).toBe('{"a":1}\n');
      expect(requests[0]?.body.toString()).toBe('a, b');
    },
  );

  it('names the time after which a request was cancelled, and that it may have run', async () => {
    const document = createDocument({ '/p': { post: { operationId: 'post' } } });
    const { client } = await serve(document, { limits: { timeout: 100 } });
    respond = () => {};
    expect(getText(await client.callTool('post'))).toMatch(
      /^The request was cancelled: .* timed out after 100 ms\. It may have/,
    );
  });

  it('returns errors of the API with their status, a limited text and no credential', async () => {
    const document = createDocument(
      { '/p': { get: { operationId: 'get' } } },
      { components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } } } },
    );
    const { client } = await serve(document, { auth: { key: 'secret-key' } });
    respond = response => response.writeHead(429, { 'retry-after': '30' }).end(`bad secret-key ${'x'.repeat(5_000)}`);
    const failed = await client.callTool('get', {});
    expect(failed.isError).toBe(true);
    expect(getText(failed)).toMatch(
      /^The API answered with status 429\. bad \[redacted\] x+… \(\d+ characters in all\)\nRetry-After: 30$/,
    );
    expect(requests[0]?.headers['x-key']).toBe('secret-key');
  });

  it.each([
    ['the URL of the request', (key: string) => `code=${encodeURIComponent(key)}&x=1`],
    ['a form', (key: string) => new URLSearchParams({ key }).toString()],
    ['JSON with escaped slashes', (key: string) => JSON.stringify({ key }).replaceAll('/', '\\/')],
    ['JSON in ASCII', (key: string) => JSON.stringify({ key }).replaceAll('+', '\\u002B').replaceAll('&', '\\u0026')],
    ['the URL in lower case', (key: string) => encodeURIComponent(key).toLowerCase().replace('abc', 'Abc')],
  ])('removes a credential from an error that repeats it in %s', async (_, repeat) => {
    const document = createDocument(
      { '/p': { get: { operationId: 'get' } } },
      { components: { securitySchemes: { key: { type: 'apiKey', in: 'query', name: 'code' } } } },
    );
    const key = 'Abc+de/f&g "1234"==';
    const { client } = await serve(document, { auth: { key } });
    respond = response => response.writeHead(403, { 'content-type': 'text/plain' }).end(repeat(key));
    const text = getText(await client.callTool('get', {}));
    expect(text).toContain('[redacted]');
    expect(text).not.toMatch(/Abc|1234/);
  });

  it('selects the credentials of the first alternative that it has, by the context of the call', async () => {
    const document = createDocument(
      {
        '/own': { get: { operationId: 'own', security: [{ token: [], key: [] }, { basic: [] }] } },
        '/open': { get: { operationId: 'open', security: [] } },
        '/all': { get: { operationId: 'all' } },
        '/none': { get: { operationId: 'none', security: [{ token: [] }] } },
      },
      {
        security: [{ query: [], cookie: [] }],
        components: {
          securitySchemes: {
            token: { type: 'oauth2' },
            key: { type: 'apiKey', in: 'header', name: 'X-Key' },
            basic: { type: 'http', scheme: 'Basic' },
            query: { type: 'apiKey', in: 'query', name: 'k' },
            cookie: { type: 'apiKey', in: 'cookie', name: 'c' },
          },
        },
      },
    );
    const { client } = await serve(document, {
      auth: {
        key: 'the-key',
        basic: ({ auth }) => ({ username: auth?.principal ?? 'nobody', password: 'pass' }),
        query: async () => 'a b',
        cookie: 'x',
      },
    });
    for (const name of ['own', 'open', 'all']) await client.callTool(name, {});
    expect(
      requests.map(each => [each.url, each.headers.authorization, each.headers['x-key'], each.headers.cookie]),
    ).toEqual([
      ['/own', `Basic ${btoa('nobody:pass')}`, undefined, undefined],
      ['/open', undefined, undefined, undefined],
      ['/all?k=a+b', undefined, undefined, 'c=x'],
    ]);
    respond = response => response.writeHead(401).end();
    expect(getText(await client.callTool('none', {}))).toContain('no credential for token');
  });

  it('sends no credential to the target of a redirect at another origin', async () => {
    const reached: IncomingMessage['headers'][] = [];
    const other = createHttpServer((request, response) => {
      reached.push(request.headers);
      response.end('other');
    });
    await new Promise<void>(resolve => other.listen(0, '127.0.0.1', resolve));
    const location = `http://127.0.0.1:${(other.address() as AddressInfo).port}/x`;
    const document = createDocument(
      { '/p': { get: { operationId: 'get' } } },
      { components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } } } },
    );
    const { client } = await serve(document, { auth: { key: 'secret-key' }, headers: { 'x-tenant': 'a' } });
    respond = response => response.writeHead(307, { location }).end();
    expect(getText(await client.callTool('get', {}))).toBe('other');
    expect(JSON.stringify(reached)).not.toMatch(/secret-key|x-tenant/);
    await new Promise(resolve => other.close(resolve));
  });

  it('serves chosen GET operations as resources and templates', async () => {
    const parameters = [
      { in: 'path', name: 'pet-id', required: true, schema: { type: 'string' } },
      { in: 'query', name: 'fields', schema: { type: 'string' } },
    ];
    const { client, report } = await serve(
      createDocument({
        '/pets': { get: { operationId: 'listPets' }, post: { operationId: 'addPet' } },
        '/pets/{pet-id}': { get: { operationId: 'getPet', parameters } },
        '/keyed': {
          get: { operationId: 'keyed', parameters: [{ in: 'header', name: 'X-A', required: true, schema: {} }] },
        },
      }),
      { resources: ['GET /*'] },
    );
    expect(report.taken).toEqual([
      { operation: 'GET /pets', as: 'resource', name: 'pet-shop:///pets' },
      { operation: 'POST /pets', as: 'tool', name: 'addPet' },
      { operation: 'GET /pets/{pet-id}', as: 'template', name: 'pet-shop:///pets/{pet_id}{?fields}' },
      { operation: 'GET /keyed', as: 'tool', name: 'keyed' },
    ]);
    expect(report.changed).toEqual([
      { tool: 'keyed', changes: [expect.stringContaining('it needs the header `X-A`')] },
    ]);
    respond = json({ name: 'Ada' });
    const { contents } = await client.readResource('pet-shop:///pets/a%20b?fields=name');
    expect(contents).toEqual([
      { uri: 'pet-shop:///pets/a%20b?fields=name', mimeType: 'application/json', text: '{"name":"Ada"}' },
    ]);
    expect(requests[0]?.url).toBe('/pets/a%20b?fields=name');
    respond = response => response.writeHead(404).end();
    await expect(client.readResource('pet-shop:///pets/none')).rejects.toMatchObject({
      message: expect.stringContaining('not found'),
    });
  });

  it('changes names and texts, and leaves operations out, by `transform`', async () => {
    const { client, report } = await serve(
      createDocument({
        '/a': { get: { operationId: 'a', tags: ['x'] }, post: { operationId: 'b' } },
        '/c': { get: {} },
      }),
      {
        transform: ({ method, tags }) =>
          method === 'POST'
            ? false
            : tags.includes('x')
              ? { name: 'read pets', description: 'Read.' }
              : { name: 'read_pets' },
      },
    );
    const { tools } = await client.call('tools/list');
    expect(tools.map(({ name, description }) => [name, description])).toEqual([
      ['read_pets', 'Read.'],
      ['read_pets_2', 'GET /c'],
    ]);
    expect(report.leftOut).toEqual([{ operation: 'POST /a', reason: 'left out by `transform`' }]);
  });

  it.each([[async () => false], [() => true], [() => null], [() => ({ nme: 'a' })], [() => ({ name: 3 })]])(
    'refuses the result of the `transform` %s',
    async transform => {
      const document = createDocument({ '/a': { get: { operationId: 'a' } } });
      await expect(serve(document, { transform: transform as never })).rejects.toMatchObject({
        code: 'openapi/option',
        message: expect.stringContaining('the result of `transform` for GET /a is invalid'),
      });
    },
  );

  it('sends requests to other servers of operations only if their origin is allowed', async () => {
    const servers = [{ url: 'https://uploads.example.com' }];
    const document = createDocument(
      { '/a': { get: { operationId: 'a', servers }, post: { operationId: 'b', servers: [{ url: '/v2' }] } } },
      { servers: [{ url: 'https://api.example.com/v1' }] },
    );
    const { report } = await serve(document, { base: 'https://api.example.com/openapi.json' });
    expect(report.leftOut).toEqual([
      { operation: 'GET /a', reason: expect.stringContaining('https://uploads.example.com') },
    ]);
    const { client, report: allowed } = await serve(document, {
      base: 'https://api.example.com/openapi.json',
      serverOrigins: ['https://uploads.example.com'],
    });
    expect(allowed.leftOut).toEqual([]);
    await client.callTool('b', {});
    expect(requests.map(each => each.url)).toEqual(['/v2/a']);
  });

  it('leads to no other host by the path of a server that begins with two slashes', async () => {
    const servers = [{ url: 'https://api.example.com//evil.example.com/v2' }];
    const { operations } = await readOperations(
      createDocument(
        { '/a': { get: { operationId: 'a', servers } } },
        { servers: [{ url: 'https://api.example.com' }] },
      ),
      { baseUrl: 'https://staging.example.com' },
    );
    expect(operations.map(each => each.url)).toEqual(['https://staging.example.com//evil.example.com/v2']);
  });

  it('reports each operation once, and names what the filter does not select', async () => {
    const { report } = await serve(
      createDocument({
        '/a': { get: {}, post: {}, trace: {} },
        '/b': { get: { parameters: [{ $ref: '#/none' }] } },
      }),
      { readOnly: true },
    );
    expect(report).toEqual({
      taken: [{ operation: 'GET /a', as: 'tool', name: 'get_a' }],
      changed: [],
      leftOut: [
        { operation: 'TRACE /a', reason: 'the method TRACE is not sent' },
        { operation: 'GET /b', reason: '$ref #/none: not found' },
      ],
      notChosen: ['POST /a'],
    });
  });

  it.each([
    [{ auth: { tokn: 'x' } }, 'unknown security scheme "tokn"'],
    [{ baseUrl: 'api.example.com' }, 'not the URL of an API'],
    [{ baseUrl: undefined }, 'no absolute URL'],
  ])('refuses the options %j', async (options, message) => {
    const document = createDocument({}, { components: { securitySchemes: { token: { type: 'oauth2' } } } });
    const refused = openapi(document, { baseUrl: url, ...options });
    await expect(refused).rejects.toMatchObject({ code: 'openapi/option', message: expect.stringContaining(message) });
  });
});

describe('options of requests', () => {
  it.each([
    [{ limits: { timeout: Number.NaN } }, 'invalid `timeout`'],
    [{ limits: { maxResponseSize: -1 } }, 'invalid `maxResponseSize`'],
    [{ headers: { 'x key': 'a' } }, 'valid names of headers'],
    [{ headers: { 'x-key': 'a\nb' } }, '`headers` of serveOperations is invalid at x-key'],
  ])('refuses %j before a request is sent', async (options, message) => {
    const refused = openapi(createDocument({}), { baseUrl: 'https://api.example.com', ...options });
    await expect(refused).rejects.toMatchObject({ code: 'options/invalid', message: expect.stringContaining(message) });
  });
});

it.each(['https://api.example.com/v1?key=1', 'https://api.example.com/#v1', 'https://ada@api.example.com'])(
  'refuses %s as the URL of an API, because no path can be added to it',
  async given => {
    await expect(openapi(createDocument({}), { baseUrl: given })).rejects.toMatchObject({ code: 'openapi/option' });
    const servers = [{ url: given }];
    const document = createDocument(
      { '/a': { get: { operationId: 'a', servers } } },
      { servers: [{ url: 'https://api.example.com' }] },
    );
    const { operations, report } = await readOperations(document);
    expect([operations, report.leftOut]).toEqual([
      [],
      [{ operation: 'GET /a', reason: 'the URL of its server has a query, a fragment or a user' }],
    ]);
  },
);

it('has the URL of a server whose variables have defaults only', async () => {
  const servers = [{ url: 'https://{host}:{port}/v1', variables: { host: { default: 'api.example.com' } } }];
  expect((await readOperations(createDocument({}, { servers }))).baseUrl).toBeUndefined();
  Object.assign(servers[0]?.variables ?? {}, { port: { default: 8443 } });
  expect((await readOperations(createDocument({}, { servers }))).baseUrl).toBe('https://api.example.com:8443/v1');
});

describe('a document of Swagger 2.0', () => {
  it('sends collections, forms and files as it says', async () => {
    const document = {
      swagger: '2.0',
      info: { title: 'Old', version: '1' },
      host: 'old.example.com',
      paths: {
        '/p': {
          get: {
            operationId: 'get',
            parameters: [
              { in: 'query', name: 'a', type: 'array', items: { type: 'string' }, collectionFormat: 'csv' },
              { in: 'query', name: 'b', type: 'array', items: { type: 'string' }, collectionFormat: 'multi' },
              { in: 'query', name: 'c', type: 'array', items: { type: 'string' }, collectionFormat: 'pipes' },
            ],
            responses: {},
          },
          post: {
            operationId: 'post',
            consumes: ['multipart/form-data'],
            parameters: [
              { in: 'formData', name: 'file', type: 'file' },
              { in: 'formData', name: 'title', type: 'string' },
            ],
            responses: {},
          },
        },
      },
    };
    const { client } = await serve(document);
    await client.callTool('get', { a: ['x', 'y'], b: ['x', 'y'], c: ['x', 'y'] });
    expect(requests[0]?.url).toBe('/p?a=x,y&b=x&b=y&c=x%7Cy');
    await client.callTool('post', { body: { file: { data: btoa('bytes') }, title: 't' } });
    expect(requests[1]?.body.toString()).toMatch(
      /name="file"; filename="file"\r\ncontent-type: application\/octet-stream\r\n\r\nbytes\r\n/,
    );
  });

  const withPaths = (paths: object, more: object = {}) => ({
    swagger: '2.0',
    info: { title: 'Pets', version: '1' },
    host: 'pets.example.com',
    paths,
    ...more,
  });
  const texts = { type: 'array', items: { type: 'string' } };

  it('has the schemas and the formats of the fields of forms', async () => {
    const field = (name: string, more: object) => ({ in: 'formData', name, ...more });
    const fields = [
      field('csv', { ...texts, required: true, description: 'Names' }),
      ...['multi', 'ssv', 'tsv', 'pipes'].map(format => field(format, { ...texts, collectionFormat: format })),
    ];
    const { client } = await serve(
      withPaths({
        '/form': {
          post: { operationId: 'form', parameters: [...fields, field('n', { type: 'integer', 'x-nullable': true })] },
        },
        '/file': { post: { operationId: 'file', parameters: [...fields.slice(0, 2), field('f', { type: 'file' })] } },
      }),
    );
    const { tools } = await client.call('tools/list');
    expect(tools.find(({ name }) => name === 'form')?.inputSchema).toMatchObject({
      required: ['body'],
      properties: {
        body: {
          required: ['csv'],
          properties: { csv: { ...texts, description: 'Names' }, n: { type: ['integer', 'null'] } },
        },
      },
    });
    const list = ['a', 'b'];
    await client.callTool('form', { body: { csv: list, multi: list, ssv: list, tsv: list, pipes: list, n: null } });
    expect(requests[0]?.headers['content-type']).toBe('application/x-www-form-urlencoded');
    expect(requests[0]?.body.toString()).toBe('csv=a,b&multi=a&multi=b&ssv=a%20b&tsv=a%09b&pipes=a%7Cb');
    await client.callTool('file', { body: { csv: list, multi: list } });
    const parts = [...(requests[1]?.body.toString() ?? '').matchAll(/name="(\w+)"\r\n\r\n(.*)\r\n/g)];
    expect(parts.map(([, name, value]) => `${name}=${value}`)).toEqual(['csv=a,b', 'multi=a', 'multi=b']);
  });

  it('has shared parameters, bodies and responses, and stays as it is', async () => {
    const document = withPaths(
      {
        '/pets': {
          parameters: [{ $ref: '#/parameters/tags' }],
          post: {
            operationId: 'add',
            parameters: [{ $ref: '#/parameters/pet' }],
            responses: { 200: { $ref: '#/responses/pet' } },
          },
        },
      },
      {
        parameters: {
          tags: { in: 'query', name: 'tags', ...texts, collectionFormat: 'pipes' },
          pet: { in: 'body', name: 'pet', required: true, schema: { $ref: '#/definitions/Pet' } },
        },
        responses: { pet: { description: 'A pet', schema: { $ref: '#/definitions/Pet' } } },
        definitions: {
          Pet: { type: 'object', required: ['id'], properties: { id: { type: 'integer', readOnly: true } } },
        },
        securityDefinitions: { user: { type: 'basic' } },
      },
    );
    const before = JSON.stringify(document);
    const { client, report } = await serve(document, { auth: { user: { username: 'ada', password: 'p' } } });
    respond = json({ id: 1 });
    expect(await client.callTool('add', { tags: ['a', 'b'], body: { name: 'x' } })).toMatchObject({
      structuredContent: { id: 1 },
    });
    expect(requests).toMatchObject([
      {
        url: '/pets?tags=a%7Cb',
        headers: { 'content-type': 'application/json', authorization: `Basic ${btoa('ada:p')}` },
        body: Buffer.from('{"name":"x"}'),
      },
    ]);
    expect(report.changed).toEqual([]);
    expect(JSON.stringify(document)).toBe(before);
  });

  it.each([
    [{ schemes: ['http', 'https'], basePath: '/v1' }, 'https://pets.example.com/v1'],
    [{ basePath: 'v1' }, 'https://pets.example.com/v1'],
    [{ schemes: ['http'] }, 'http://pets.example.com'],
    [{}, 'https://pets.example.com'],
    [{ host: '127.0.0.1:3000' }, 'http://127.0.0.1:3000'],
  ])('has the URL of its host and schemes: %j', async (more, expected) => {
    expect((await readOperations(withPaths({}, more))).baseUrl).toBe(expected);
  });
});
