import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createServer as createMcpServer, tool } from 'tenon';
import { type HttpServer, serveHttp } from 'tenon/node';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { buildCommand, projectWith, runTenon, shopEntry } from './command.js';
import { createManifest, writeBundle } from './fixtures/write-bundle.js';
import { type Answer, hasTerminal, prompt, runOnTerminal } from './on-terminal.js';

/** A registry with the API v0.1. */
let registry: Server;
let remote: HttpServer;
let requests: string[] = [];
let env: Record<string, string>;
let project: Awaited<ReturnType<typeof projectWith>>;

const OFFICIAL = 'io.modelcontextprotocol.registry/official';
const entry = (server: object, status = 'active') => ({
  server: { description: 'A server of the tests', version: '1.2.0', ...server },
  _meta: { [OFFICIAL]: { status } },
});
const npm = (more: object = {}) => ({
  registryType: 'npm',
  identifier: '@example/notes',
  version: '1.2.0',
  transport: { type: 'stdio' },
  packageArguments: [
    { type: 'positional', value: 'serve' },
    { type: 'named', name: '--mode', default: 'safe' },
    { type: 'named', name: '--unused' },
  ],
  environmentVariables: [
    { name: 'NOTES_TOKEN', isRequired: true, isSecret: true },
    { name: 'NOTES_LEVEL', default: 'info' },
    { name: 'NOTES_OPTIONAL' },
  ],
  ...more,
});

let bundle: Buffer;
const boxed = (fileSha256: string) => ({
  registryType: 'mcpb',
  identifier: `${env.TENON_REGISTRY_URL}/boxed.mcpb`,
  fileSha256,
  transport: { type: 'stdio' },
});

let entries: readonly ReturnType<typeof entry>[] = [];
beforeAll(async () => {
  await buildCommand();
  project = await projectWith({ shop: shopEntry() });
  const key = { type: 'string', title: 'Key', description: '', sensitive: true, required: true };
  const manifest = createManifest({ user_config: { key } }, { env: { KEY: `\${user_config.key}` } });
  await writeBundle(project.path('source.mcpb'), manifest);
  bundle = await readFile(project.path('source.mcpb'));
  const ping = tool({ run: (_, { request }) => `pong ${request?.header('x-tenant')}` });
  remote = await serveHttp(createMcpServer({ name: 'remote', version: '1.0.0', tools: { ping } }), { port: 0 });
  registry = createServer((request, response) => {
    requests.push(request.url ?? '');
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://x');
    const [, name, version] = /^\/v0\.1\/servers\/([^/]+)\/versions\/([^/]+)$/.exec(pathname) ?? [];
    const found = entries
      .filter(Boolean)
      .find(
        ({ server }) =>
          'name' in server &&
          server.name === decodeURIComponent(name ?? '') &&
          (version === 'latest' || version === server.version),
      );
    const listed = entries.filter(
      each => !each || ('name' in each.server && String(each.server.name).includes(searchParams.get('search') ?? '')),
    );
    if (pathname === '/boxed.mcpb') return void response.end(bundle);
    const body = name === undefined ? { servers: listed, metadata: { nextCursor: 'page2' } } : found;
    response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body ?? { title: 'Not Found' }));
  });
  await new Promise<void>(resolve => registry.listen(0, '127.0.0.1', resolve));
  env = { TENON_REGISTRY_URL: `http://127.0.0.1:${(registry.address() as AddressInfo).port}` };
});
afterAll(async () => {
  await remote.close();
  registry.closeAllConnections();
  await new Promise(resolve => registry.close(resolve));
  await project.remove();
});
beforeEach(() => {
  requests = [];
  entries = [
    entry({ name: 'io.github.example/notes', packages: [npm()] }),
    entry({ name: 'io.github.example/old-notes', packages: [npm()] }, 'deprecated'),
    entry({ name: 'io.github.example/gone-notes', packages: [npm()] }, 'deleted'),
    entry({
      name: 'com.example/remote',
      remotes: [
        {
          type: 'streamable-http',
          url: remote.url,
          headers: [{ name: 'X-Tenant', value: '{tenant}', variables: { tenant: { isRequired: true } } }],
        },
      ],
    }),
    entry({ name: 'com.example/bundle', packages: [boxed(createHash('sha256').update(bundle).digest('hex'))] }),
    entry({ name: 'com.example/other-bundle', packages: [boxed('0'.repeat(64))] }),
    entry({ name: 'com.example/no-hash', packages: [boxed('')] }),
    entry({ name: 'com.example/floating', packages: [npm({ version: 'latest' })] }),
    entry({ name: 'com.example/option', packages: [npm({ identifier: '--eval' })] }),
  ];
});

const run = (args: readonly string[], more: Record<string, string> = {}) =>
  runTenon(project.folder, args, { ...env, ...more });

describe('tenon search', () => {
  it('lists the servers of a registry, without deleted ones [cli.search]', async () => {
    const { code, out, err } = await run(['search', 'notes']);
    expect([
      code,
      out
        .trim()
        .split('\n')
        .map(line => line.split(/ {2,}/)),
    ]).toEqual([
      0,
      [
        ['io.github.example/notes', '1.2.0', 'A server of the tests'],
        ['io.github.example/old-notes', '1.2.0', '(deprecated) A server of the tests'],
      ],
    ]);
    expect(err).toContain('more: --cursor page2');
    expect(requests).toEqual(['/v0.1/servers?search=notes&version=latest&limit=20']);
  });

  it('prints one object of JSON, and continues after a page [cli.search]', async () => {
    const { out } = await run(['search', 'notes', '--json', '--limit', '5', '--cursor', 'page2']);
    expect(JSON.parse(out)).toMatchObject({
      servers: [
        { name: 'io.github.example/notes', packages: [{ registryType: 'npm', version: '1.2.0', transport: 'stdio' }] },
        { status: 'deprecated' },
      ],
      nextCursor: 'page2',
    });
    expect(requests[0]).toContain('limit=5&cursor=page2');
  });

  it('omits an invalid entry with a note, and lists the others [cli.search]', async () => {
    const { version: _, ...server } = entry({ name: 'io.github.example/broken-notes' }).server;
    entries = [{ ...entry({}), server: { ...server, version: undefined as never } }, null as never, ...entries];
    const { code, out, err } = await run(['search', 'notes', '--json']);
    const [first = '', second = ''] = err.trim().split('\n');
    expect([code, JSON.parse(out).servers.map(({ name }: { name: string }) => name)]).toEqual([
      0,
      ['io.github.example/notes', 'io.github.example/old-notes'],
    ]);
    expect(JSON.parse(first)).toEqual({
      level: 'warning',
      message: expect.stringMatching(/^io\.github\.example\/broken-notes: left out, .*version/),
    });
    expect(JSON.parse(second)).toMatchObject({
      message: expect.stringMatching(/is invalid: expected object, got null$/),
    });
  });

  it('reports an invalid response of a registry [cli.search]', async () => {
    for (const [url, code] of [
      ['http://example.com', 2],
      ['http://127.0.0.1:9', 4],
      [remote.url, 4],
    ] as const) {
      const ended = await run(['search', 'x', '--registry', url]);
      expect([url, ended.code]).toEqual([url, code]);
    }
  });
});

describe('a server of a registry', () => {
  it('is not started before its command is shown and approved [cli.search]', async () => {
    const { code, err } = await runTenon(project.folder, ['list', 'io.github.example/notes', '--no-input'], env);
    expect([code, err]).toEqual([6, expect.stringContaining('npx -y @example/notes@1.2.0 serve --mode safe')]);
    expect(err).toContain('variables: NOTES_TOKEN');
  });

  it('starts with its variables, or the command names those that are not set [cli.search]', async () => {
    const { code, err } = await run(['list', 'io.github.example/notes', '--trust']);
    expect([code, err]).toEqual([2, expect.stringContaining('not set: NOTES_TOKEN')]);
  });

  it('is called at its address, with its variables in headers [cli.search] [cli.target]', async () => {
    const call = ['call', 'com.example/remote', 'ping', '--trust'];
    const called = await runTenon(project.folder, call, { ...env, TENANT: 'blue' });
    expect([called.code, called.out.trim()]).toEqual([0, 'pong blue']);
    const pinned = await run(['call', 'com.example/remote@1.2.0', 'ping', '--trust'], { TENANT: 'blue' });
    expect(pinned.code).toBe(0);
    expect(requests).toEqual([
      '/v0.1/servers/com.example%2Fremote/versions/latest',
      '/v0.1/servers/com.example%2Fremote/versions/1.2.0',
    ]);
  });

  it('may be a bundle that is downloaded once, and runs if its hash is that of the registry [cli.search] [cli.target]', async () => {
    const call = (...more: string[]) => run(['call', 'com.example/bundle', 'show', '--json', ...more], { KEY: 'hush' });
    expect((await call()).code).toBe(6);
    const given = ['--trust', '--user-config-env', 'key=KEY'];
    const { out, err } = await call(...given);
    expect(JSON.parse(JSON.parse(out).content[0].text).env).toMatchObject({ KEY: 'hush' });
    expect(err).toMatch(/boxed 1\.0\.0, unsigned, SHA-256/);
    const downloads = () => requests.filter(each => each === '/boxed.mcpb').length;
    expect(downloads()).toBe(1);
    const folder = project.path('home/state/bundles');
    const [name = ''] = (await readdir(folder)).filter(each => each.endsWith('.mcpb'));
    await writeFile(join(folder, name), 'changed');
    expect((await call(...given)).code).toBe(0);
    expect(downloads()).toBe(2);
  });

  it.each([
    ['com.example/none', 'registry/unknown-server'],
    ['io.github.example/gone-notes', 'registry/unknown-server'],
    ['com.example/no-hash', 'registry/bundle'],
    ['com.example/floating', 'registry/not-runnable'],
    ['com.example/option', 'registry/not-runnable'],
  ])('causes an error with a fix: %s [cli.search]', async (name, errorCode) => {
    const { code, err } = await run(['list', name, '--trust', '--json']);
    expect([code, JSON.parse(err.trim())]).toMatchObject([1, { code: errorCode, fix: expect.any(String) }]);
  });

  it('names the URL that an address without https:// may mean [cli.search]', async () => {
    const address = await run(['list', 'example.org/mcp', '--json']);
    expect(JSON.parse(address.err).fix).toContain('pass https://example.org/mcp for the server at this URL');
    const name = await run(['list', 'com.example/none', '--json']);
    expect(JSON.parse(name.err).fix).not.toContain('https://');
  });

  it('does not start from a bundle with another hash than the registry states [cli.search]', async () => {
    const { code, err } = await run(['list', 'com.example/other-bundle', '--trust', '--json']);
    const [progress = '', error = ''] = err.trim().split('\n');
    expect([code, JSON.parse(progress).message]).toEqual([1, expect.stringMatching(/^downloading http.*boxed\.mcpb$/)]);
    expect(JSON.parse(error)).toMatchObject({ code: 'registry/bundle', fix: expect.stringContaining('hash differs') });
  });

  it('is added to hosts with a fixed version, and without secrets [cli.search]', async () => {
    const given = ['add', 'notes', 'io.github.example/notes', '--host', 'cursor', '--project', '--no-input', '--yes'];
    const ended = await run(given, { NOTES_TOKEN: 'token-secret' });
    expect([ended.code, ended.err]).toEqual([0, expect.stringContaining('io.github.example/notes 1.2.0 of http')]);
    const written = await readFile(project.path('.cursor/mcp.json'), 'utf8');
    expect(JSON.parse(written).mcpServers.notes).toMatchObject({
      command: 'npx',
      args: ['-y', '@example/notes@1.2.0', 'serve', '--mode', 'safe'],
      env: { NOTES_TOKEN: `\${env:NOTES_TOKEN}`, NOTES_LEVEL: 'info' },
    });
    expect(written).not.toContain('token-secret');
  });

  it('is not added before its command and its variables are shown and approved [cli.search]', async () => {
    const given = ['add', 'asked', 'io.github.example/notes', '--host', 'cursor', '--project'];
    const { code, err } = await run([...given, '--no-input']);
    expect([code, err]).toEqual([6, expect.stringContaining('It runs npx -y @example/notes@1.2.0 serve --mode safe')]);
    expect(err).toContain('It gets these variables: NOTES_TOKEN, NOTES_LEVEL=info');
    expect(err).toContain('pass --yes');
    const hosts = () => readFile(project.path('.cursor/mcp.json'), 'utf8').catch(() => '');
    expect(await hosts()).not.toContain('asked');
    // A dry run changes nothing, so it needs no approval.
    expect((await run([...given, '--no-input', '--dry-run'])).code).toBe(0);
    expect(
      (await run(['add', 'remote', 'com.example/remote', '--host', 'cursor', '--no-input', '--yes'])).err,
    ).toContain('--user-config tenant=VALUE');
  });

  it.skipIf(!hasTerminal)('is added to hosts when the user approves it on a terminal [cli.search]', async () => {
    const given = ['add', 'asked', 'io.github.example/notes', '--host', 'cursor', '--project'];
    const hosts = () => readFile(project.path('.cursor/mcp.json'), 'utf8').catch(() => '');
    const usual = ['NOTES_OPTIONAL (optional)', 'mode', 'unused (optional)'].map(
      (each): Answer => [prompt(each), '\r'],
    );
    // The default is deleted first.
    const level: Answer = [prompt('NOTES_LEVEL'), `${'\u007f'.repeat(4)}debug\r`];
    const ask = (keys: string) =>
      runOnTerminal(project.folder, given, [level, ...usual, [prompt('Add asked?'), keys]], {
        env: { ...env, NO_COLOR: '1' },
      });
    expect((await ask('\r')).code).toBe(6);
    expect(await hosts()).not.toContain('asked');
    expect((await ask('\u001b[B\r')).code).toBe(0);
    expect(JSON.parse(await hosts()).mcpServers.asked.env).toMatchObject({ NOTES_LEVEL: 'debug' });
  });

  it('is added to hosts as the command of its bundle [cli.search]', async () => {
    const add = (target: string, ...more: string[]) =>
      run(['add', 'boxed', target, '--host', 'cursor', '--project', '--no-input', '--force', '--yes', ...more]);
    const command = async () => JSON.parse(await readFile(project.path('.cursor/mcp.json'), 'utf8')).mcpServers.boxed;
    const ended = await add('com.example/bundle', '--env', 'OTHER=x');
    expect([ended.code, ended.err]).toEqual([0, expect.stringContaining('It gets these variables: KEY')]);
    const entry = await command();
    expect(entry).toEqual({
      command: 'node',
      args: [expect.stringMatching(/state\/bundles\/[0-9a-f]{64}\/server\/index\.mjs$/)],
      env: { KEY: `\${env:KEY}`, OTHER: 'x' },
    });
    await writeFile(project.path('boxed.mcpb'), bundle);
    expect((await add('boxed.mcpb', '--env', 'key=hush')).err).toContain('"key" is a secret');
    expect((await add('boxed.mcpb', '--env', `key=\${BOX_KEY}`)).code).toBe(0);
    expect(await command()).toEqual({ ...entry, env: { KEY: `\${env:BOX_KEY}` } });
  });

  it('is added after a review of its definitions, which are locked [cli.search]', async () => {
    const names = ['add', 'locked', 'com.example/bundle', '--host', 'vscode', '--project', '--no-input', '--lock'];
    const add = (...more: string[]) => run([...names, ...more], { KEY: 'hush' });
    const file = project.path('.vscode/mcp.json');
    expect((await add()).code).toBe(6);
    const unconfirmed = await runTenon(project.folder, [...names, '--trust'], { ...env, KEY: 'hush' });
    expect([unconfirmed.code, unconfirmed.err]).toEqual([7, expect.stringContaining('show')]);
    await expect(readFile(file)).rejects.toMatchObject({ code: 'ENOENT' });
    expect((await run([...names, '--trust', '--yes'])).err).toContain('not set: KEY');
    const added = await runTenon(project.folder, [...names, '--trust', '--yes'], { ...env, KEY: 'hush' });
    expect([added.code, added.err]).toEqual([0, expect.stringContaining('mcp.lock has 1 server')]);
    // A lock file that exists is used without the option.
    const others = ['add', 'other', 'com.example/bundle', '--host', 'vscode', '--project', '--trust', '--yes'];
    expect((await run(others, { KEY: 'hush' })).err).toContain('mcp.lock has 2 servers');
    expect((await run(['remove', 'other', '--host', 'vscode', '--project'])).code).toBe(0);
    // The gateway finds nothing changed when it reads the configuration of the host.
    await writeFile(file, (await readFile(file, 'utf8')).replace(/\$\{input:\w+\}/, `\${KEY}`));
    expect((await run(['lock', '--check', '--trust', file], { KEY: 'hush' })).code).toBe(0);
  });
});

it('searches a registry as an installed command [cli.search]', async () => {
  const { code, out } = await runTenon(project.folder, ['search', 'notes', '--json'], env);
  expect([code, JSON.parse(out).servers.length]).toEqual([0, 2]);
});
