import { createServer as createHttpServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createHost, createLock, deny, parseConfig, serializeLock } from '@tenon/host';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { buildCommand, projectWith, runTenon } from '../cli/command.js';
import { getText } from '../interop/collect.js';

const DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Pet Shop', version: '2.0.0' },
  paths: {
    '/pets': { get: { operationId: 'listPets' }, post: { operationId: 'addPet' } },
    '/none': { get: { parameters: [{ $ref: '#/none' }] } },
  },
};

const requests: Pick<IncomingMessage, 'method' | 'url' | 'headers'>[] = [];
const api = createHttpServer(({ method, url, headers }, response) => {
  requests.push({ method, url, headers });
  if (url === '/openapi.json') return response.end(JSON.stringify(DOCUMENT));
  response.end('["Ada"]');
});
let url = '';
beforeAll(async () => {
  await new Promise<void>(resolve => api.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;
});
afterEach(() => {
  requests.length = 0;
});
afterAll(() => new Promise(resolve => api.close(resolve)));

describe('a server of an OpenAPI document', () => {
  it('is served by a host, with its headers for the API alone, and reports what is left out', async () => {
    const errors: string[] = [];
    const host = await createHost({
      servers: { pets: { url: `${url}/openapi.json`, transport: 'openapi', headers: { 'x-key': 'secret' } } },
      onError: ({ code, summary }) => void errors.push(`${code}: ${summary}`),
    });
    expect(getText(await host.callTool('pets__listPets', {}))).toBe('["Ada"]');
    expect(requests.map(each => [each.url, each.headers['x-key']])).toEqual([
      ['/openapi.json', undefined],
      ['/pets', 'secret'],
    ]);
    expect(errors).toEqual([
      'openapi/left-out: 1 of 3 operations of the document are left out: GET /none ($ref #/none: not found)',
    ]);
    await host.close();
  });

  it('follows the policy and the choice of tools', async () => {
    const host = await createHost({
      servers: {
        pets: { url: `${url}/openapi.json`, transport: 'openapi', apiUrl: url, tools: { exclude: ['addPet'] } },
      },
      policy: [deny('pets/*')],
      onError: () => {},
    });
    expect(await host.callTool('pets__listPets', {})).toMatchObject({ isError: true });
    expect(requests.map(each => each.url)).toEqual(['/openapi.json']);
    await host.close();
  });
});

describe('`openapi` in a configuration', () => {
  const parse = (entry: object) =>
    parseConfig(JSON.stringify({ mcpServers: { pets: entry } }), {
      file: '/work/mcp.json',
      scope: 'user',
      workspace: '/work',
      env: () => undefined,
    });
  const read = async (entry: object) => {
    const { entries, findings } = await parse(entry);
    const { target, perCaller } = entries[0] ?? {};
    return { target, perCaller, findings: findings.map(each => each.error.message) };
  };

  it('is a path from the folder of the configuration, or a URL', async () => {
    expect(await read({ openapi: 'apis/pets.yaml' })).toMatchObject({
      target: { url: 'file:///work/apis/pets.yaml', transport: 'openapi' },
      findings: [],
    });
    const more = { apiUrl: 'https://api.example.com', headers: { 'X-Key': 'k' } };
    expect(await read({ openapi: 'https://a.example/openapi.json', ...more })).toMatchObject({
      target: { url: 'https://a.example/openapi.json', transport: 'openapi', ...more },
      findings: [],
    });
  });

  it('accepts values of the caller in headers', async () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: variables of configurations are written so
    const { perCaller } = await read({ openapi: 'https://a.example/o.json', headers: { 'X-User': '${caller:user}' } });
    // biome-ignore lint/suspicious/noTemplateCurlyInString: variables of configurations are written so
    expect(perCaller).toEqual({ headers: { 'X-User': '${caller:user}' } });
  });

  it.each([
    [{ openapi: 'a.yaml', command: 'node' }, '`openapi` and `command` exclude each other'],
    [{ openapi: 'a.yaml', url: 'https://a.example' }, '`openapi` and `url` exclude each other'],
    [{ openapi: 'a.yaml', apiUrl: 'api' }, 'invalid URL'],
    [{ openapi: 'https://u:p@a.example/o.json' }, 'contains credentials'],
    [{ openapi: {} }, 'invalid value'],
  ])('refuses %j', async (entry, message) => {
    expect(await read(entry)).toMatchObject({ target: undefined, findings: [expect.stringContaining(message)] });
  });

  it('is pinned by a lock without the folder of the configuration', async () => {
    const { entries } = await parse({ openapi: 'p.yaml', apiUrl: url });
    const inventory = { server: 'pets', info: undefined, instructions: undefined, protocolVersion: '2026-07-28' };
    const lists = {
      tools: [{ name: 'a', inputSchema: { type: 'object' as const } }],
      prompts: [],
      resources: [],
      templates: [],
    };
    const lock = await createLock([{ ...inventory, ...lists }], entries);
    expect(serializeLock(lock)).toContain('<folder>/p.yaml');
  });
});

describe('tenon list', () => {
  it('shows the tools of an OpenAPI document of the configuration, and calls one', async () => {
    await buildCommand();
    const project = await projectWith({});
    await project.write('pets.json', { ...DOCUMENT, servers: [{ url }] });
    await project.write('mcp.json', { mcpServers: { pets: { openapi: 'pets.json', headers: { 'x-key': 'secret' } } } });
    const listed = await runTenon(project.folder, ['list', 'pets', '--config', 'mcp.json', '--trust']);
    expect(listed).toMatchObject({ code: 0, out: expect.stringContaining('addPet') });
    expect(listed.err).toContain('1 of 3 operations of the document are left out');
    const called = await runTenon(project.folder, ['call', 'pets', 'listPets', '--config', 'mcp.json', '--trust']);
    expect(called).toMatchObject({ code: 0, out: expect.stringContaining('Ada') });
    expect(requests).toMatchObject([{ url: '/pets', headers: { 'x-key': 'secret' } }]);
    await project.remove();
  });
});
