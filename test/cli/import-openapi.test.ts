// biome-ignore-all lint/suspicious/noTemplateCurlyInString: a hostile text
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type Client, connect } from 'tenon';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root } from '../docs/pages.js';
import { getText } from '../interop/collect.js';
import { isFull } from '../support/extent.js';
import { edit } from '../types/editor.js';
import { buildCommand, projectWith, runTenon } from './command.js';

const API = `
openapi: 3.0.3
info: { title: Pet Shop, version: 2.1.0, description: Sells pets. }
servers: [{ url: 'https://{region}.example.com/v1', variables: { region: { default: eu } } }]
components:
  securitySchemes:
    key: { type: apiKey, in: header, name: X-Key }
    token: { type: http, scheme: bearer }
  schemas:
    Pet:
      type: object
      required: [name]
      properties:
        id: { type: integer, readOnly: true }
        name: { type: string }
        age: { type: number, minimum: 0, exclusiveMinimum: true, nullable: true }
        mother: { $ref: '#/components/schemas/Pet' }
paths:
  /pets:
    get:
      operationId: listPets
      summary: List pets
      parameters: [{ in: query, name: kind, schema: { type: array, items: { type: string } } }]
      responses: { '200': { description: ok } }
    post:
      operationId: addPet
      requestBody:
        required: true
        content: { application/json: { schema: { $ref: '#/components/schemas/Pet' } } }
      responses: { '201': { description: ok } }
  /pets/{id}:
    delete:
      parameters: [{ in: path, name: id, required: true, schema: { type: string } }]
      responses: { '204': { description: ok } }
`;

/** Parts in other files, and parts that cannot be used as they are. */
const SPLIT_API = `
openapi: 3.1.0
info: { title: Split, version: '1' }
servers: [{ url: 'https://api.example.com' }]
paths:
  /droplets/{id}:
    get: { $ref: 'parts/get.yaml' }
    delete: { $ref: '#/components/x-ops/del' }
  /search:
    get:
      operationId: search
      parameters:
        - { in: query, name: q, schema: { type: number, minimum: 0, exclusiveMinimum: true } }
        - { in: query, name: p, schema: { type: string, pattern: '(?i)a' } }
        - { in: query, name: m, schema: { $ref: '#/components/schemas/None' } }
  /secret: { $ref: '../../secret.yaml' }
`;

describe('tenon import-openapi', () => {
  let project: Awaited<ReturnType<typeof projectWith>>;
  let api: Server;
  let url: string;
  const requests: (Pick<IncomingMessage, 'method' | 'url' | 'headers'> & { body: string })[] = [];
  beforeAll(async () => {
    await buildCommand();
    project = await projectWith({});
    await project.write('api.yaml', API);
    api = createServer(async (request, response) => {
      const { method, url, headers } = request;
      if (url === '/openapi.yaml') return response.end(API);
      if (url === '/split/openapi.json')
        return response.end(
          JSON.stringify({
            openapi: '3.1.0',
            info: { title: 'Split', version: '1' },
            paths: { '/parts': { $ref: './parts.json#/all' }, '/other': { $ref: 'https://other.example/a.json' } },
          }),
        );
      if (url === '/split/parts.json')
        return response.end(JSON.stringify({ all: { get: { operationId: 'listParts' } } }));
      requests.push({ method, url, headers, body: await text(request) });
      if (url?.startsWith('/v1/pets/none')) return response.writeHead(404).end('no such pet');
      return response.writeHead(method === 'DELETE' ? 204 : 200).end(method === 'DELETE' ? undefined : '["Ada"]');
    });
    await new Promise<void>(resolve => api.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    await Promise.all([project.remove(), new Promise(resolve => api.close(resolve))]);
  });
  const importApi = (...args: string[]) => runTenon(project.folder, ['import-openapi', ...args]);

  it.runIf(isFull)('writes a server that compiles', async () => {
    expect(edit((await importApi('api.yaml')).out).errors).toEqual([]);
  });

  it('takes operations of other servers, and larger schemas, by the options that its report names', async () => {
    const properties = { a: { type: 'string' }, b: { type: 'string' } };
    const content = { 'application/json': { schema: { type: 'object', properties } } };
    await project.write('servers.json', {
      openapi: '3.1.0',
      info: { title: 'Files', version: '1' },
      servers: [{ url: 'https://api.example.com' }],
      paths: {
        '/files': { get: { operationId: 'getFiles', servers: [{ url: 'https://files.example.com' }] } },
        '/all': { get: { operationId: 'getAll', responses: { 200: { description: 'ok', content } } } },
      },
    });
    const run = async (...options: string[]) => {
      const { out } = await runTenon(project.folder, ['import-openapi', 'servers.json', '--json', ...options]);
      return JSON.parse(out);
    };
    expect(await run('--max-output-parts', '2')).toMatchObject({
      changed: [
        { tool: 'getAll', changes: ['the schema of the response is left out: more than 2 parts (`maxOutputParts`)'] },
      ],
      leftOut: [{ operation: 'GET /files', reason: expect.stringContaining('not in `serverOrigins`') }],
    });
    expect(await run('--server-origins', 'https://files.example.com')).toMatchObject({
      tools: ['getFiles', 'getAll'],
      changed: [],
      leftOut: [],
    });
    const refused = await runTenon(project.folder, ['import-openapi', 'servers.json', '--server-origins', 'files']);
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('an origin, such as') });
  });

  it('writes a server that calls the API [cli.import-openapi]', async () => {
    const { code, out, err } = await runTenon(project.folder, ['import-openapi', 'api.yaml', '--json']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const { text: module, tools, variables } = JSON.parse(out);
    expect(tools).toEqual(['listPets', 'addPet', 'delete_pets_id']);
    expect(variables).toEqual(['PET_SHOP_URL', 'PET_SHOP_KEY', 'PET_SHOP_TOKEN']);
    expect(module).toContain("?? 'https://eu.example.com/v1'");

    const client = await load(module);
    expect(client.server.info).toMatchObject({ name: 'pet-shop', version: '2.1.0', description: 'Sells pets.' });
    const [list, add, remove] = (await client.call('tools/list')).tools;
    expect(list).toMatchObject({ name: 'listPets', title: 'List pets', annotations: { readOnlyHint: true } });
    expect(add).toMatchObject({ annotations: { readOnlyHint: false, destructiveHint: false } });
    expect(remove).toMatchObject({ annotations: { destructiveHint: true, idempotentHint: true } });

    expect(getText(await client.callTool('listPets', { kind: ['cat', 'a b'] }))).toBe('["Ada"]');
    expect(getText(await client.callTool('addPet', { body: { name: 'Bo', mother: { name: 'Ada' } } }))).toBe('["Ada"]');
    expect(getText(await client.callTool('delete_pets_id', { id: 'a/b$&' }))).toBe('done: status 204');
    expect(requests.map(({ method, url, body }) => [method, url, body])).toEqual([
      ['GET', '/v1/pets?kind=cat&kind=a+b', ''],
      ['POST', '/v1/pets', '{"name":"Bo","mother":{"name":"Ada"}}'],
      ['DELETE', '/v1/pets/a%2Fb%24%26', ''],
    ]);
    expect(requests[1]?.headers).toMatchObject({
      'x-key': 'the-key',
      authorization: 'Bearer the-token',
      'content-type': 'application/json',
    });

    // Read-only properties cannot be set, and a schema of OpenAPI 3.0 is one of JSON Schema 2020-12.
    expect(await client.callTool('addPet', { body: { name: 'Bo', age: 0 } })).toMatchObject({ isError: true });
    expect(JSON.stringify(add?.inputSchema)).not.toContain('readOnly');
    const missing = await client.callTool('delete_pets_id', { id: 'none' });
    expect(missing).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('status 404. no such pet') }],
    });
    const climbing = await client.callTool('delete_pets_id', { id: '..' });
    expect(climbing).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('expected a value') }] });
    expect(requests).toHaveLength(4);
    await client.close();
  });

  /** Loads a generated module as a server. Inside the repository it finds the package. */
  async function load(module: string, baseUrl = `${url}/v1/`): Promise<Client> {
    Object.assign(process.env, { PET_SHOP_URL: baseUrl, PET_SHOP_KEY: 'the-key', PET_SHOP_TOKEN: 'the-token' });
    const cache = join(root, '.cache');
    await mkdir(cache, { recursive: true });
    const folder = await mkdtemp(join(cache, 'openapi-'));
    try {
      await writeFile(join(folder, 'server.ts'), module);
      const { server } = await import(join(folder, 'server.ts'));
      return await connect(server);
    } finally {
      await rm(folder, { recursive: true, maxRetries: 10 });
    }
  }

  it('sends credentials to the origin of the API only, for each kind of redirect', async () => {
    const reached: { method: string | undefined; headers: IncomingMessage['headers'] }[] = [];
    const other = createServer((request, response) => {
      reached.push({ method: request.method, headers: request.headers });
      response.end('reached');
    });
    await new Promise<void>(resolve => other.listen(0, '127.0.0.1', resolve));
    const otherUrl = `http://127.0.0.1:${(other.address() as AddressInfo).port}/x`;
    const first: IncomingMessage['headers'][] = [];
    let answer = { status: 301, location: otherUrl };
    const redirecting = createServer((request, response) => {
      first.push(request.headers);
      if (request.url === '/same') return response.end('same');
      response.writeHead(answer.status, { location: answer.location }).end();
    });
    await new Promise<void>(resolve => redirecting.listen(0, '127.0.0.1', resolve));
    const { out } = await importApi('api.yaml');
    const client = await load(out, `http://127.0.0.1:${(redirecting.address() as AddressInfo).port}`);
    for (const status of [301, 302, 303, 307, 308]) {
      answer = { status, location: otherUrl };
      expect(getText(await client.callTool('listPets', {}))).toBe('reached');
      const refused = await client.callTool('addPet', { body: { name: 'Bo' } });
      expect(refused).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('redirected') }] });
      answer = { status, location: '/same' };
      expect(getText(await client.callTool('listPets', {}))).toBe('same');
    }
    expect(reached.map(({ method }) => method)).toEqual(['GET', 'GET', 'GET', 'GET', 'GET']);
    for (const { headers } of reached)
      expect(Object.keys(headers).sort()).toEqual(['accept', 'accept-encoding', 'connection', 'host']);
    for (const headers of first)
      expect(headers).toMatchObject({ 'x-key': 'the-key', authorization: 'Bearer the-token' });
    await client.close();
    for (const each of [other, redirecting]) await new Promise(resolve => each.close(resolve));
  });

  it('writes texts of a hostile document as data', async () => {
    const text =
      "*/;globalThis.pwned=1;/* `${globalThis.pwned=1}` '+(globalThis.pwned=1)+' \u2028globalThis.pwned=1//\u202e\u001b[2J";
    await project.write('hostile.json', {
      openapi: '3.1.0',
      info: { title: text, version: text, description: text },
      servers: [{ url: 'https://a.example' }],
      components: {
        securitySchemes: {
          [text]: { type: 'apiKey', in: 'cookie', name: text },
          b: { type: 'apiKey', in: 'header', name: text },
          c: { type: 'apiKey', in: 'query', name: text },
        },
      },
      paths: {
        [`/${text}/{id}`]: {
          get: {
            operationId: text,
            summary: text,
            description: text,
            parameters: [
              { in: 'path', name: 'id', required: true, schema: { type: 'string', default: text } },
              { in: 'query', name: text, schema: { enum: [text], properties: { ['__proto__']: { const: text } } } },
            ],
          },
        },
      },
    });
    const { code, out } = await importApi('hostile.json');
    expect(code).toBe(0);
    expect(out).not.toMatch(/[\0-\x08\x0b-\x1f\x7f-\x9f\u2028\u202e]/);
    expect(edit(out).errors).toEqual([]);
    const client = await load(out);
    expect((await client.call('tools/list')).tools).toHaveLength(1);
    expect(Reflect.has(globalThis, 'pwned')).toBe(false);
    await client.close();
  });

  it('names the document in one line of a comment', async () => {
    await project.write('pet\nshop.yaml', API);
    const { out } = await importApi('pet\nshop.yaml');
    expect(out.split('\n')[0]).toContain('from pet shop.yaml. Change it');
  });

  it('reads URLs, and Swagger 2.0 in JSON', async () => {
    const fetched = await importApi(`${url}/openapi.yaml`, '--read-only', '--json');
    expect(JSON.parse(fetched.out).tools).toEqual(['listPets']);
    await project.write('swagger.json', {
      swagger: '2.0',
      info: { title: 'Old', version: '1' },
      host: 'old.example.com',
      schemes: ['https'],
      basePath: '/v1',
      paths: {
        '/save': {
          post: {
            operationId: 'save',
            consumes: ['application/json'],
            parameters: [{ in: 'body', name: 'thing', required: true, schema: { $ref: '#/definitions/Thing' } }],
            responses: { 200: { description: 'ok' } },
          },
        },
      },
      definitions: { Thing: { type: 'object', properties: { size: { type: 'integer' } } } },
    });
    const { out } = await importApi('swagger.json');
    expect(out).toContain("'https://old.example.com/v1'");
    expect(out).toContain('"$ref": "#/$defs/Thing"');
    expect(edit(out).errors).toEqual([]);
  });

  it('follows references to files beside the document, repairs schemas, and reports what it changed and left out', async () => {
    await mkdir(project.path('split/parts'), { recursive: true });
    await project.write('split/api.yaml', SPLIT_API);
    await project.write('split/parts/get.yaml', 'operationId: getDroplet\nparameters: [{ $ref: "ids.yaml#/id" }]\n');
    await project.write(
      'split/parts/ids.yaml',
      'id: { in: path, name: id, required: true, schema: { type: integer } }\n',
    );
    const { code, out, err } = await importApi('split/api.yaml', '--json');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const { text: module, ...report } = JSON.parse(out);
    expect(report).toMatchObject({
      tools: ['getDroplet', 'search'],
      changed: [
        { tool: 'search', changes: [expect.stringContaining('`pattern`'), expect.stringContaining('not found')] },
      ],
      leftOut: [
        { operation: 'DELETE /droplets/{id}', reason: '$ref #/components/x-ops/del: not found' },
        { operation: '/secret', reason: expect.stringContaining('outside of the folder') },
      ],
    });
    const client = await load(module);
    const { tools } = await client.call('tools/list');
    expect(tools.map(({ inputSchema }) => inputSchema.required)).toEqual([['id'], undefined]);
    await client.close();
    const noted = await importApi('split/api.yaml', '--out', 'split.ts');
    expect(noted.err).toContain('changed: search: `pattern` of a schema is left out');
    expect(noted.err).toContain('left out: DELETE /droplets/{id}: $ref #/components/x-ops/del: not found');
  });

  it('follows references to documents of the same origin, for a document at a URL', async () => {
    const document = await importApi(`${url}/split/openapi.json`, '--json');
    expect(JSON.parse(document.out)).toMatchObject({
      tools: ['listParts'],
      leftOut: [{ operation: '/other', reason: expect.stringContaining('another origin') }],
    });
  });

  it('writes a file once, and overwrites it only with the option', async () => {
    expect(await importApi('api.yaml', '--out', 'server.ts')).toMatchObject({
      code: 0,
      out: '',
      err: expect.stringContaining('wrote server.ts: 3 tools'),
    });
    expect((await importApi('api.yaml', '--out', 'server.ts')).code).toBe(0);
    expect(await importApi('api.yaml', '--out', 'server.ts', '--read-only')).toMatchObject({ code: 2 });
    expect((await importApi('api.yaml', '--out', 'server.ts', '--read-only', '--force')).code).toBe(0);
  });

  it.each([
    [['none.yaml'], 'cannot read'],
    [['mcp.json'], 'not an OpenAPI document'],
    [['broken.yaml'], 'broken.yaml:4:1'],
    [['api.yaml', '--include', 'nothing'], 'no operations'],
    [['api.yaml', '--out', 'server.txt'], 'not a TypeScript file'],
    [['relative.yaml'], '--base-url'],
  ])('refuses invalid input: %j [cli.exit]', async (args, error) => {
    await project.write('broken.yaml', 'openapi: 3.0.0\ninfo: { title: a }\npaths: [\n');
    await project.write('relative.yaml', API.replace('https://{region}.example.com', ''));
    const { code, out, err } = await importApi(...args, '--json');
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(error);
  });
});
