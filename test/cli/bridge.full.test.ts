import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { connect, createServer, tool } from 'tenon';
import { type HttpServer, serveHttp } from 'tenon/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { waitForExit } from '../interop/process.js';
import { isFull } from '../support/extent.js';
import { buildCommand, commandLine, projectWith, runTenon, serving, shopEntry, tenon } from './command.js';

let project: Awaited<ReturnType<typeof projectWith>>;
beforeAll(async () => {
  await buildCommand();
  project = await projectWith({});
});
afterAll(() => project.remove());

/** A client that has an answer for forms. */
async function officialClient(...args: string[]) {
  const { command, args: all, env, cwd } = commandLine(project.folder, 'bridge', ...args);
  const client = new Client({ name: 'official', version: '1.0.0' }, { capabilities: { elicitation: {} } });
  const errors: Error[] = [];
  client.onerror = error => errors.push(error);
  await client.connect(new StdioClientTransport({ command, args: all, env, cwd, stderr: 'ignore' }));
  return { client, errors };
}

describe('tenon bridge URL', () => {
  let remote: HttpServer;
  const seen: (string | undefined)[] = [];
  beforeAll(async () => {
    const greet = tool({
      description: 'Greets',
      input: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
      run: ({ name }: { name: string }) => `Hello ${name}`,
    });
    const remove = tool({
      run: async (_, ctx) => (await ctx.elicit({ message: 'Sure?', input: { type: 'object', properties: {} } })).action,
    });
    const server = createServer({ name: 'remote', version: '1.0.0', tools: { greet, remove } });
    remote = await serveHttp(server, {
      port: 0,
      authorize(facts) {
        seen.push(facts.header('x-key'));
        return { auth: undefined };
      },
    });
  });
  afterAll(() => remote.close());

  it('serves the official client on stdio, with input requests of the server', async () => {
    const { client, errors } = await officialClient(remote.url, '--header', 'x-key=K');
    const { ElicitRequestSchema } = await import('@modelcontextprotocol/sdk/types.js');
    client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept' as const, content: {} }));
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['greet', 'remove']);
    expect(await client.callTool({ name: 'greet', arguments: { name: 'you' } })).toMatchObject({
      content: [{ type: 'text', text: 'Hello you' }],
    });
    expect(await client.callTool({ name: 'remove', arguments: {} })).toMatchObject({ content: [{ text: 'accept' }] });
    expect(errors).toEqual([]);
    expect(seen.every(key => key === 'K')).toBe(true);
    await client.close();
  });

  it('reports an unreachable server, to the client too', async () => {
    const { client } = await officialClient('http://127.0.0.1:9/mcp');
    await expect(client.listTools()).rejects.toThrow(/127\.0\.0\.1/);
    await client.close();
  });

  it('refuses a target that is no server', async () => {
    expect((await runTenon(project.folder, ['bridge', 'ftp://example.com'])).code).toBe(2);
    expect((await runTenon(project.folder, ['bridge', remote.url, 'more'])).code).toBe(2);
    const { code, err } = await runTenon(project.folder, ['bridge', remote.url, '--bearer-env', 'NOT_SET']);
    expect(code).toBe(2);
    expect(err).toContain('--bearer-env: environment variable not found');
  });
});

it.each([
  [['https://example.com/mcp', '--port', '3000'], '--port is for a bridge to a command'],
  [['https://example.com/mcp', '--env', 'A=b'], '--env is for a bridge to a command'],
  [['--header', 'a: b', '--', 'node'], '--header is for a bridge to a URL'],
  [['--auth', 'none', '--', 'node'], '--auth is for a bridge to a URL'],
])('refuses options of the other direction: tenon bridge %j', async (args, text) => {
  const { code, out, err } = await runTenon(project.folder, ['bridge', ...args]);
  expect({ code, out, err }).toEqual({ code: 2, out: '', err: expect.stringContaining(text) });
});

describe('tenon bridge -- COMMAND', () => {
  const { command, args } = shopEntry();
  const bridged = (...flags: string[]) =>
    serving(project.folder, ['bridge', ...flags, '--port', '0', '--json', '--', command, ...args]);
  const process = async (client: Awaited<ReturnType<typeof connect>>) => {
    const { content } = await client.callTool('process');
    return Number((content[0] as { text: string }).text);
  };

  it('serves a stdio server over HTTP, with a process for each session, which ends with it', async () => {
    const bridge = await bridged();
    const clients = await Promise.all([1, 2].map(() => connect(bridge.url, { protocolVersion: '2025-11-25' })));
    const [first, second] = await Promise.all(clients.map(process));
    expect(first).not.toBe(second);
    expect(await clients[0]?.callTool('price', { of: 'tea' })).toMatchObject({ content: [{ text: 'tea costs 3' }] });
    await clients[0]?.close();
    await waitForExit(first ?? 0);
    expect(await process(clients[1] as never)).toBe(second);
    expect(await bridge.end()).toBe(0);
    await waitForExit(second ?? 0);
  });

  it('announces no URL for a missing program or folder', async () => {
    for (const flags of [['no-such-program'], ['./no-such-program'], ['--cwd', '/no-such-folder', '--', command]]) {
      const { code, out, err } = await runTenon(project.folder, ['bridge', '--port', '0', ...flags]);
      expect({ code, out }).toEqual({ code: 4, out: '' });
      expect(err).toMatch(/the command “\S*no-such-program”|the folder “\/no-such-folder”/);
    }
    await project.write('not-executable', 'text');
    const { err } = await tenon(project.folder, ['bridge', '--port', '0', './not-executable']);
    expect(err).toContain('the file “./not-executable” without permission to run it');
  });

  it('shares one process among requests that belong to no session', async () => {
    const bridge = await bridged();
    const clients = await Promise.all([1, 2].map(() => connect(bridge.url, { protocolVersion: '2026-07-28' })));
    const [first, second] = await Promise.all(clients.map(process));
    expect(first).toBe(second);
    await bridge.end();
  });

  it.runIf(isFull)('limits its processes', async () => {
    const bridge = await bridged('--max', '1');
    const client = await connect(bridge.url, { protocolVersion: '2025-11-25' });
    const pid = await process(client);
    // A client waits within its timeout until a server that asks for a pause accepts it.
    const refused = connect(bridge.url, { protocolVersion: '2025-11-25', idleTimeout: 1000 });
    await expect(refused).rejects.toMatchObject({ status: 503 });
    expect(await process(client)).toBe(pid);
    await bridge.end();
  });

  it.runIf(isFull)('ends an unused process after a while', async () => {
    const bridge = await bridged('--idle', '300ms');
    const client = await connect(bridge.url, { protocolVersion: '2026-07-28' });
    await waitForExit(await process(client));
    expect(await process(client)).toBeGreaterThan(0);
    await bridge.end();
  });
});
