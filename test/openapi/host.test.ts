import { createServer as createHttpServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  createHost,
  createLock,
  createLockGuard,
  deny,
  findLiteralSecrets,
  type LockGuardOptions,
  openApiServer,
  parseConfig,
  parseLockFile,
  serializeLock,
} from '@tenon/host';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { MAX_VALUES } from '../../packages/host/src/config/entry-parser.js';
import { listEntryParts } from '../../packages/host/src/config/entry-parts.js';
import { toServerEntry } from '../../packages/host/src/connections/connector.js';
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

const SECURED = {
  ...DOCUMENT,
  components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'x-key' } } },
  security: [{ key: [] }],
};

/** A document with an operation on a server of another origin. */
const ELSEWHERE = {
  ...SECURED,
  paths: {
    ...DOCUMENT.paths,
    '/files': { get: { operationId: 'listFiles', servers: [{ url: 'https://files.example' }] } },
  },
};

const requests: Pick<IncomingMessage, 'method' | 'url' | 'headers'>[] = [];
const api = createHttpServer(({ method, url, headers }, response) => {
  requests.push({ method, url, headers });
  if (url === '/openapi.json') return response.end(JSON.stringify(DOCUMENT));
  if (url === '/elsewhere.json') return response.end(JSON.stringify({ ...ELSEWHERE, servers: [{ url: '/' }] }));
  if (url === '/secured.json') return response.end(JSON.stringify(SECURED));
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

  it('takes the credentials, resources and limits of its document', async () => {
    const host = await createHost({
      servers: {
        pets: {
          url: `${url}/secured.json`,
          transport: 'openapi',
          openapi: { auth: { key: 'the-key' }, resources: ['GET /pets'], exclude: ['addPet'] },
        },
      },
      onError: () => {},
    });
    expect((await host.client.call('resources/list')).resources).toMatchObject([{ uri: 'pet-shop:///pets' }]);
    expect(await host.client.readResource('pet-shop:///pets')).toMatchObject({ contents: [{ text: '["Ada"]' }] });
    expect((await host.client.call('tools/list')).tools).toEqual([]);
    expect(requests.map(each => [each.url, each.headers['x-key']])).toEqual([
      ['/secured.json', undefined],
      ['/pets', 'the-key'],
    ]);
    await host.close();
  });

  it('has the operations of another origin only if `serverOrigins` has it', async () => {
    const list = async (openapi: object) => {
      const target = { url: `${url}/elsewhere.json`, transport: 'openapi', openapi } as const;
      const host = await createHost({ servers: { pets: target }, onError: () => {} });
      const { tools } = await host.client.call('tools/list');
      await host.close();
      return tools.map(({ name }) => name);
    };
    expect(await list({})).toEqual(['pets__listPets', 'pets__addPet']);
    expect(await list({ serverOrigins: ['https://files.example'] })).toEqual([
      ...['pets__listPets', 'pets__addPet', 'pets__listFiles'],
    ]);
  });

  it('refuses a response above the limit of its target', async () => {
    const target = { url: `${url}/openapi.json`, transport: 'openapi', openapi: { limits: { maxResponseSize: 4 } } };
    const host = await createHost({ servers: { pets: { ...target, transport: 'openapi' } }, onError: () => {} });
    expect(await host.callTool('pets__listPets', {})).toMatchObject({ isError: true });
    expect(requests.map(each => each.url)).toEqual(['/openapi.json', '/pets']);
    await host.close();
  });

  it('is not opened if its settings are not those of the lock, and the lock has no credential', async () => {
    const settings = { auth: { key: 'k-1' }, resources: ['GET /pets'], serverOrigins: ['https://files.example'] };
    const open = async (options: LockGuardOptions, openapi: object) => {
      const target = { url: `${url}/secured.json`, transport: 'openapi', openapi } as const;
      expect(JSON.stringify(toServerEntry('pets', target))).not.toContain('k-1');
      const lockGuard = createLockGuard(options);
      const host = await createHost({ servers: { pets: target }, lockGuard, onError: () => {} });
      const { tools } = await host.client.call('tools/list').catch(() => ({ tools: [] }));
      await host.close();
      return { lock: lockGuard.lock, tools: tools.map(({ name }) => name) };
    };
    const { lock } = await open({ lock: { servers: new Map() }, onUnknown: 'trust-first' }, settings);
    expect(serializeLock(lock)).not.toContain('k-1');
    expect((await open({ lock }, { ...settings, auth: { key: 'k-2' } })).tools).toEqual(['pets__addPet']);
    const changes = [{ resources: ['GET /none'] }, { serverOrigins: ['https://other.example'] }, { auth: {} }];
    for (const change of changes) expect((await open({ lock }, { ...settings, ...change })).tools).toEqual([]);
  });

  it('names the security schemes of its document in place of an unknown one', async () => {
    const pets = {
      url: `${url}/secured.json`,
      transport: 'openapi',
      openapi: { auth: { kye: 'the-key' } },
    } as const;
    await expect(openApiServer(pets)).rejects.toMatchObject({
      code: 'openapi/option',
      summary: '`auth` has the unknown security scheme "kye"',
      hint: 'did you mean "key"?',
    });
    const host = await createHost({ servers: { pets }, onError: () => {} });
    await expect(host.client.call('tools/list')).rejects.toThrow('`auth` has the unknown security scheme "kye"');
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
      env: name => (name === 'PETS_KEY' ? 'the-key' : undefined),
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

  it('has credentials by security schemes, resources and origins of servers', async () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: variables of configurations are written so
    const auth = { key: '${PETS_KEY}', basic: { username: 'ada', password: 'p' } };
    const choice = { resources: ['GET /pets'], serverOrigins: ['https://files.example'] };
    expect(await read({ openapi: 'https://a.example/o.json', auth, ...choice })).toMatchObject({
      target: { openapi: { auth: { ...auth, key: 'the-key' }, ...choice } },
      findings: [],
    });
  });

  it('has credentials whose parts are variables', async () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: variables of configurations are written so
    const auth = { basic: { username: 'ada', password: '${PETS_KEY}' } };
    expect(await read({ openapi: 'https://a.example/o.json', auth })).toMatchObject({
      target: { openapi: { auth: { basic: { username: 'ada', password: 'the-key' } } } },
      findings: [],
    });
  });

  it('warns of credentials that go to an API without encryption', async () => {
    const warning = 'the credentials are sent without encryption';
    const more = { openapi: 'a.yaml', auth: { key: 'k' } };
    expect((await read({ ...more, apiUrl: 'http://api.example.com' })).findings).toEqual([
      expect.stringContaining(warning),
    ]);
    expect((await read({ ...more, apiUrl: 'https://api.example.com' })).findings).toEqual([]);
    expect((await read({ openapi: 'a.yaml', apiUrl: 'http://api.example.com' })).findings).toEqual([]);
  });

  it('refuses more credentials than an entry may have', async () => {
    const list = (length: number) => Object.fromEntries(Array.from({ length }, (_, at) => [`key${at}`, 'k']));
    expect(await read({ openapi: 'a.yaml', auth: list(MAX_VALUES) })).toMatchObject({ findings: [] });
    expect(await read({ openapi: 'a.yaml', auth: list(MAX_VALUES + 1) })).toMatchObject({
      target: undefined,
      findings: [expect.stringContaining('invalid value')],
    });
  });

  it('reports settings of a document beside a URL, and ignores them', async () => {
    const { target, findings } = await read({
      url: 'https://a.example/mcp',
      resources: [],
      apiUrl: 'https://b.example',
    });
    expect(target).toEqual({ url: 'https://a.example/mcp' });
    expect(findings).toEqual([
      expect.stringContaining('the key is ignored without `openapi`'),
      expect.stringContaining('the key is ignored without `openapi`'),
    ]);
  });

  it('needs another approval when an origin or a credential changes, and shows no credential', async () => {
    const list = async (more: object) => {
      const { entries } = await parse({ openapi: 'p.yaml', auth: { key: 'k-1' }, ...more });
      const [entry] = entries;
      return entry ? listEntryParts(entry) : [];
    };
    const parts = await list({ serverOrigins: ['https://files.example'] });
    expect(parts.map(({ key }) => key)).toEqual(['url', 'transport', 'auth.key', 'serverOrigins']);
    expect(JSON.stringify(parts.map(({ shown }) => shown))).not.toContain('k-1');
    const identities = parts.map(({ identity }) => identity);
    for (const more of [
      { serverOrigins: ['https://other.example'] },
      { serverOrigins: ['https://files.example'], auth: { key: 'k-2' } },
    ])
      expect((await list(more)).map(({ identity }) => identity)).not.toEqual(identities);
  });

  it('finds credentials that are not variables', async () => {
    const { entries } = await parse({ openapi: 'p.yaml', auth: { a: 'k-1', b: { username: 'u', password: 'p' } } });
    expect(entries.flatMap(({ target }) => findLiteralSecrets(target))).toEqual(['auth.a', 'auth.b.password']);
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
    [{ openapi: 'a.yaml', auth: 'token' }, 'invalid value'],
    [{ openapi: 'a.yaml', auth: { basic: { username: 'a' } } }, 'invalid value'],
    [{ openapi: 'a.yaml', auth: { basic: { user: 'a' } } }, 'unknown key "auth.basic.user"'],
    [{ openapi: 'a.yaml', auth: { type: 'client-credentials', clientId: 'a' } }, 'a service account is only for'],
    [{ openapi: 'a.yaml', resources: 'GET /pets' }, 'invalid value'],
    [{ openapi: 'a.yaml', serverOrigins: ['https://a.example/v1'] }, 'invalid origin'],
  ])('refuses %j', async (entry, message) => {
    expect(await read(entry)).toMatchObject({ target: undefined, findings: [expect.stringContaining(message)] });
  });

  it('is pinned by a lock without the folder of the configuration', async () => {
    const settings = { auth: { key: 'k-1' }, resources: ['GET /pets'], serverOrigins: ['https://files.example'] };
    const { entries } = await parse({ openapi: 'p.yaml', apiUrl: url, ...settings });
    const inventory = { server: 'pets', info: undefined, instructions: undefined, protocolVersion: '2026-07-28' };
    const lists = {
      tools: [{ name: 'a', inputSchema: { type: 'object' as const } }],
      prompts: [],
      resources: [],
      templates: [],
    };
    const lock = await createLock([{ ...inventory, ...lists }], entries);
    const text = serializeLock(lock);
    expect(text).toContain('<folder>/p.yaml');
    expect(text).not.toContain('k-1');
    expect((await parseLockFile(text)).servers.get('pets')?.source).toMatchObject({ ...settings, auth: ['key'] });
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
