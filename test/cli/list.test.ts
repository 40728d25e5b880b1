import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startV2Handler } from '../interop/fixtures/sdk-v2-http.js';
import { buildCommand, EVERYTHING, projectWith, runTenon, shopEntry, startTenon } from './command.js';
import { serveKitchen } from './fixtures/kitchen.js';

const DATABASE_SERVER = fileURLToPath(new URL('./fixtures/database-server.mjs', import.meta.url));

describe('tenon list', () => {
  let project: Awaited<ReturnType<typeof projectWith>>;
  let kitchen: Awaited<ReturnType<typeof serveKitchen>>;
  let official: Awaited<ReturnType<typeof startV2Handler>>;
  beforeAll(async () => {
    await buildCommand();
    project = await projectWith({ shop: shopEntry(), none: { command: 'no-such-program' } });
    kitchen = await serveKitchen();
    official = await startV2Handler();
  });
  afterAll(() => Promise.all([project.remove(), kitchen.close(), official.close()]));
  const list = (...args: string[]) => runTenon(project.folder, ['list', ...args]);

  it('prints signatures, tokens, resources and prompts of a server at a URL [cli.list]', async () => {
    const { code, out, err } = await runTenon(project.folder, ['list', kitchen.url]);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/^kitchen 1\.0\.0 {2}protocol 2026-07-28\n\nTools \(9, about \d+ tokens\)\n/);
    expect(out).toMatch(
      / {2}echo\(message: string, times\?: number, tags\?: string\[\]\) {2}· \d+ tokens\n {4}Repeats a message\n/,
    );
    expect(out).toContain('  sum(a: number, b: number): { total: number }  · ');
    expect(out).toContain('note://Glue');
    expect(out).toContain('note://{title}');
    expect(out).toContain('summarize(title: string)');
    expect(out).not.toContain('\u001b');
    const { out: withSchemas } = await runTenon(project.folder, ['list', kitchen.url, '--schema']);
    expect(withSchemas).toContain('"required":["a","b"]');
  });

  it('prints one JSON object on standard output and nothing else', async () => {
    const { code, out, err } = await runTenon(project.folder, ['list', kitchen.url, '--json']);
    expect({ code, err, lines: out.trimEnd().split('\n').length }).toEqual({ code: 0, err: '', lines: 1 });
    const listing = JSON.parse(out);
    expect(listing.server).toEqual({ name: 'kitchen', version: '1.0.0' });
    expect(listing.tools[0]).toMatchObject({ name: 'echo', inputSchema: { type: 'object' } });
    expect(listing.tools.reduce((sum: number, { tokens }: { tokens: number }) => sum + tokens, 0)).toBe(listing.tokens);
    expect(listing.resourceTemplates).toHaveLength(1);
  });

  it('prints the other lists of a server whose list fails, the error of that list, and its exit code', async () => {
    const server = [process.execPath, DATABASE_SERVER, 'resources/list'];
    const { code, out, err } = await list('--', ...server);
    expect(code).toBe(1);
    expect(out).toContain('query()');
    expect(out).toContain('explain()');
    expect(err).toMatch(
      /^tenon: the resources could not be read: .*connect ECONNREFUSED 127\.0\.0\.1:5432\. Read the message of the server: .*\n$/,
    );
    const json = await list('--json', '--', ...server);
    expect({ code: json.code, err: json.err }).toEqual({ code: 1, err: '' });
    expect(JSON.parse(json.out)).toMatchObject({
      tools: [{ name: 'query' }],
      resources: [],
      prompts: [{ name: 'explain' }],
      failedLists: [{ list: 'resources', code: 'peer/error', rpcCode: -32603, exit: 1 }],
    });
  });

  it('fails when all lists of a server fail, and writes no types when one list fails', async () => {
    const all = ['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list'];
    const { code, out, err } = await list('--json', '--', process.execPath, DATABASE_SERVER, ...all);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(JSON.parse(err)).toMatchObject({ code: 'peer/error', rpcCode: -32603 });
    const types = ['types', '--', process.execPath, DATABASE_SERVER, 'prompts/list'];
    expect(await runTenon(project.folder, types)).toMatchObject({ code: 1, out: '' });
  });

  it('lists official servers of both versions', async () => {
    const v1 = await list('--json', '--', ...EVERYTHING);
    expect(JSON.parse(v1.out)).toMatchObject({
      protocolVersion: '2025-11-25',
      server: { name: 'mcp-servers/everything' },
    });
    // The server offers this tool only to clients that can be asked.
    expect(JSON.parse(v1.out).tools).toContainEqual(expect.objectContaining({ name: 'trigger-elicitation-request' }));
    const v2 = await list('--json', `${official.origin}/mcp`);
    expect(JSON.parse(v2.out)).toMatchObject({ protocolVersion: '2026-07-28', server: { name: 'sdk-v2' } });
    expect(JSON.parse(v2.out).tools.map(({ signature }: { signature: string }) => signature)).toContain(
      'add(a: number, b: number): { sum: number }',
    );
  });

  it('negotiates the protocol version, or uses a fixed one [cli.revision]', async () => {
    const { out: negotiated } = await runTenon(project.folder, ['list', kitchen.url, '--json']);
    expect(JSON.parse(negotiated).protocolVersion).toBe('2026-07-28');
    const pinned = ['list', kitchen.url, '--json', '--protocol-version', '2025-06-18'];
    const { out } = await runTenon(project.folder, pinned);
    expect(JSON.parse(out).protocolVersion).toBe('2025-06-18');
    expect((await list(kitchen.url, '--protocol-version', '1999-01-01')).code).toBe(2);
  });

  it('starts a server of a configuration by its name, once it is approved', async () => {
    const refused = await list('shop', '--json');
    expect(refused).toMatchObject({ code: 6, out: '' });
    expect(JSON.parse(refused.err.trim().split('\n').at(-1) ?? '')).toMatchObject({
      code: 'config/not-approved',
      fix: expect.stringContaining('--trust'),
    });
    expect(JSON.parse((await list('shop', '--json', '--trust')).out).server.name).toBe('shop');
    const other = await project.write('other.json', { mcpServers: { kiosk: shopEntry() } });
    expect(other).toBeUndefined();
    expect((await list('kiosk', '--trust', '--config', 'other.json')).code).toBe(0);
  });

  it("lists the servers of the user's MCP hosts where the folder has no configuration", async () => {
    const entry = { url: kitchen.url };
    for (const folder of ['home/.cursor', 'home/.codeium/windsurf', 'empty'])
      await mkdir(project.path(folder), { recursive: true });
    await project.write('home/.cursor/mcp.json', { mcpServers: { menu: entry } });
    await project.write('home/.codeium/windsurf/mcp_config.json', { mcpServers: { menu: { serverUrl: kitchen.url } } });
    const home = project.path('home');
    const env = { HOME: home, XDG_CONFIG_HOME: `${home}/.config`, TENON_HOME: `${home}/.tenon` };
    const { code, out } = await runTenon(project.path('empty'), ['list', '--json'], env);
    expect(JSON.parse(out).servers).toMatchObject([{ name: 'menu', state: 'connected' }]);
    expect(code).toBe(0);
  });

  it('starts a server file with its runtime', async () => {
    const [, everything = ''] = EVERYTHING;
    await project.write('server.js', `import ${JSON.stringify(everything)};`);
    await project.write('package.json', '{ "type": "module" }');
    expect(JSON.parse((await list('server.js', '--json')).out).server.name).toBe('mcp-servers/everything');
  });

  it.each([
    [['shp'], 2, 'did you mean "shop"'],
    [['ftp://example.com'], 2, 'invalid URL'],
    [['./none.ts'], 2, 'file not found'],
    [['--'], 2, 'no command after --'],
    [['--', ''], 2, 'no command after --'],
    [['none', '--trust'], 4, 'no-such-program'],
    [['http://127.0.0.1:9/mcp'], 4, 'cannot connect'],
  ])('exits with a code and one JSON line for an error: %j [cli.exit]', async (args, exit, text) => {
    const { code, out, err } = await list('--json', ...args);
    expect({ code, out }).toEqual({ code: exit, out: '' });
    const report = JSON.parse(err.trim().split('\n').at(-1) ?? '');
    expect(Object.keys(report)).toEqual(['code', 'cause', 'fix', 'exit']);
    expect(report.exit).toBe(exit);
    expect(`${report.cause} ${report.fix}`).toContain(text);
  });

  it('exits with 3 when the server requires authorization and no user can sign in [cli.exit]', async () => {
    const locked = createServer((_, response) => void response.writeHead(401, { 'www-authenticate': 'Bearer' }).end());
    await once(locked.listen(0, '127.0.0.1'), 'listening');
    const url = `http://127.0.0.1:${(locked.address() as AddressInfo).port}/mcp`;
    for (const more of [[], ['--auth', 'none'], ['--no-input']]) {
      const { code, out, err } = await list(url, '--json', ...more);
      expect({ code, out, more }).toEqual({ code: 3, out: '', more });
      expect(JSON.parse(err)).toMatchObject({ exit: 3 });
    }
    locked.closeAllConnections();
    await new Promise(resolve => locked.close(resolve));
  });

  it('exits quietly when the reader closes the pipe [cli.tty]', async () => {
    const child = startTenon(project.folder, ['list', '--', ...EVERYTHING]);
    let errors = '';
    child.stderr?.setEncoding('utf8').on('data', text => (errors += text));
    const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
    await once(lines, 'line');
    child.stdout?.destroy();
    const [code] = await once(child, 'close');
    expect({ code, errors }).toEqual({ code: 0, errors: '' });
  });

  it('works with a home that cannot be written [cli.tty]', async () => {
    await project.write('file', 'not a folder');
    const env = { TENON_HOME: project.path('file/home') };
    expect((await runTenon(project.folder, ['list', kitchen.url], env)).code).toBe(0);
  });
});
