import { once } from 'node:events';
import { type Client, connect } from 'tenon';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { waitForExit } from '../interop/process.js';
import { retryUntilPasses } from '../interop/retry.js';
import { isFull } from '../support/extent.js';
import { buildCommand, commandLine, projectWith, runTenon, serving, shopEntry, spawned } from './command.js';

type Project = Awaited<ReturnType<typeof projectWith>>;

async function namesAt(url: string, headers: Record<string, string> = {}): Promise<string[]> {
  await using client = await connect({ url, headers });
  const names: string[] = [];
  for await (const { name } of client.listTools()) names.push(name);
  return names;
}

async function processOf(client: Client, server: string): Promise<number> {
  const { content } = await client.callTool(`${server}__process`);
  return Number((content[0] as { text: string }).text);
}

describe('tenon gateway', () => {
  let project: Project;
  beforeAll(async () => {
    await buildCommand();
    project = await projectWith({ corner: shopEntry(), market: shopEntry(), gone: { command: 'no-such-program' } });
  });
  afterAll(() => project.remove());

  it('serves all servers together and some at paths of their own, reports their states, and ends all processes', async () => {
    const gateway = await serving(project.folder, [
      'gateway',
      '--trust',
      '--port',
      '0',
      '--json',
      '--virtual',
      'one=market',
    ]);
    expect(gateway.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/);
    expect(await gateway.waitForEvent(({ name }) => name === 'market')).toMatchObject({
      event: 'server',
      state: 'connected',
    });
    expect(await gateway.waitForEvent(({ name }) => name === 'gone')).toMatchObject({
      state: 'failed',
      reason: expect.any(String),
    });
    expect(await namesAt(gateway.url)).toEqual([
      'corner__price',
      'corner__process',
      'market__price',
      'market__process',
    ]);
    expect(await namesAt(gateway.url.replace('/mcp', '/one'))).toEqual(['market__price', 'market__process']);

    const client = await connect(gateway.url);
    const { content } = await client.callTool('corner__process');
    const pid = Number((content[0] as { text: string }).text);
    await client.close();
    expect((await fetch(gateway.url.replace('/mcp', '/other'))).status).toBe(404);
    expect(await gateway.end()).toBe(0);
    await waitForExit(pid);
  });

  it('prints commands that list its tools and call one', async () => {
    const gateway = spawned(project.folder, ['gateway', '--trust', '--port', '0']);
    const ended = once(gateway, 'close');
    let output = '';
    gateway.stdout?.setEncoding('utf8').on('data', text => (output += text));
    await expect.poll(() => output).toContain('Ctrl-C ends it');
    const commands =
      /^Next, in another terminal:\n\n {2}(?:npx @tenon\/cli|tenon) (.*)\n {2}(?:npx @tenon\/cli|tenon) (.*)\n/m;
    const [, list = '', call = ''] = commands.exec(output) ?? [];
    expect(await runTenon(project.folder, list.split(' '))).toMatchObject({
      code: 0,
      out: expect.stringContaining('corner__price'),
    });
    const called = await runTenon(project.folder, call.replace('TOOL', 'corner__process').split(' '));
    expect(called).toMatchObject({ code: 0, out: expect.stringMatching(/\d/) });
    gateway.kill('SIGINT');
    expect(await ended).toEqual([0, null]);
  });

  it('responds to health checks, and reports not ready from the signal to its end [so.drain]', async () => {
    const gateway = await serving(project.folder, [
      'gateway',
      '--trust',
      '--port',
      '0',
      '--json',
      '--drain-delay',
      '1s',
    ]);
    const check = async (path: string) => (await fetch(new URL(path, gateway.url))).status;
    // The server that cannot start does not count: the gateway serves the others.
    expect([await check('/healthz'), await check('/readyz')]).toEqual([200, 200]);
    await gateway.waitForEvent(({ name, state }) => name === 'gone' && state === 'failed');
    await retryUntilPasses(async () =>
      expect(await (await fetch(new URL('/readyz', gateway.url))).json()).toEqual({
        status: 'ok',
        servers: { connected: 2, failed: 1 },
      }),
    );
    process.kill(gateway.pid, 'SIGTERM');
    await retryUntilPasses(async () => expect(await check('/readyz')).toBe(503));
    expect(await check('/healthz')).toBe(200);
    await waitForExit(gateway.pid);
  });

  it.runIf(isFull)('runs a server once for several clients, and stops it when unused', async () => {
    const gateway = await serving(project.folder, ['gateway', '--trust', '--port', '0', '--json', '--idle', '3s']);
    const clients = await Promise.all([connect(gateway.url), connect(gateway.url)]);
    const [first, same] = await Promise.all(clients.map(client => processOf(client, 'corner')));
    expect(same).toBe(first);
    await waitForExit(first ?? 0);
    expect(await processOf(clients[0], 'corner')).not.toBe(first);
    await Promise.all(clients.map(client => client.close()));
    expect(await gateway.end()).toBe(0);
  });

  it.runIf(isFull)('limits the processes that run at once', async () => {
    const options = ['--trust', '--port', '0', '--json', '--max-processes', '1'];
    const gateway = await serving(project.folder, ['gateway', ...options]);
    for (const server of ['corner', 'market']) {
      expect(await gateway.waitForEvent(({ name }) => name === server)).toMatchObject({ event: 'server' });
    }
    const client = await connect(gateway.url);
    const first = await processOf(client, 'corner');
    expect(await processOf(client, 'market')).not.toBe(first);
    await waitForExit(first);
    await client.close();
    expect(await gateway.end()).toBe(0);
  });

  it.runIf(isFull)('serves a virtual server of its configuration, with renamed tools', async () => {
    const tools = { overrides: { price: { name: 'cost', description: 'Tells what it costs' } } };
    const virtualServers = { desk: ['corner/price', 'market/process'] };
    await project.write('desk.json', {
      mcpServers: { corner: { ...shopEntry(), tools }, market: shopEntry() },
      virtualServers,
    });
    const args = ['gateway', 'desk.json', '--stdio', '--trust', '--servers', 'desk'];
    const client = await connect(commandLine(project.folder, ...args));
    const names: string[] = [];
    for await (const { name } of client.listTools()) names.push(name);
    expect(names).toEqual(['corner__cost', 'market__process']);
    expect(await client.callTool('corner__cost', { of: 'tea' })).toMatchObject({ content: [{ text: 'tea costs 3' }] });
    await client.close();
  });

  it.runIf(isFull)('reports each server on its own: one that does not respond, and one that is skipped', async () => {
    const hung = { command: process.execPath, args: ['-e', 'setInterval(() => {}, 1000)'] };
    await project.write('some.json', { mcpServers: { hung, invalid: { args: [] }, corner: shopEntry() } });
    const options = ['--trust', '--port', '0', '--json', '--ready-when', 'all'];
    const gateway = await serving(project.folder, ['gateway', 'some.json', ...options]);
    expect(await gateway.waitForEvent(({ name }) => name === 'invalid')).toMatchObject({
      state: 'failed',
      reason: expect.stringContaining('no command'),
    });
    expect(await gateway.waitForEvent(({ name }) => name === 'corner')).toMatchObject({ state: 'connected' });
    const ready = await fetch(new URL('/readyz', gateway.url));
    expect([ready.status, await ready.json()]).toEqual([
      503,
      { status: 'unavailable', failed: ['servers'], servers: { connected: 1, connecting: 1, failed: 1 } },
    ]);
    expect(await gateway.end()).toBe(0);
  });

  it.runIf(isFull)('serves metrics on a separate port', async () => {
    const project = await projectWith({ corner: shopEntry() });
    await project.write('policy.json', { rules: [{ deny: 'corner/process' }, { action: 'allow' }] });
    const args = ['--trust', '--port', '0', '--json', '--policy', 'policy.json', '--metrics', '0'];
    const gateway = await serving(project.folder, ['gateway', ...args]);
    const { url } = await gateway.waitForEvent<{ url: string }>(({ event }) => event === 'metrics');
    await gateway.waitForEvent(({ name }) => name === 'corner');
    // The connections that the gateway itself opens at the start are no requests of callers.
    expect(await (await fetch(url)).text()).not.toContain('mcp_server_operation_duration_seconds_count');
    const busy = await runTenon(project.folder, ['gateway', '--trust', '--port', '0', '--metrics', new URL(url).port]);
    expect(busy).toMatchObject({ code: 1, err: expect.stringContaining('pass another --metrics') });
    const client = await connect(gateway.url);
    await client.callTool('corner__price', { of: 'tea' });
    await client.callTool('corner__process');
    const text = await (await fetch(url)).text();
    const call = 'gen_ai_tool_name="corner__price".*tenon_upstream="corner",tenon_policy_decision="allow"';
    expect(text).toMatch(new RegExp(`mcp_server_operation_duration_seconds_count{.*${call}} 1`));
    expect(text).toMatch(
      /mcp_server_operation_duration_seconds_count{.*gen_ai_tool_name="corner__process".*tenon_policy_decision="deny",error_type="tool_error"} 1/,
    );
    expect(text).toMatch(/tenon_upstream_connections{tenon_upstream="corner",tenon_upstream_state="connected"} 1/);
    expect((await fetch(new URL('/metrics', gateway.url))).status).toBe(404);
    await client.close();
    expect(await gateway.end()).toBe(0);
    await project.remove();
  });

  it('serves the program that starts it', async () => {
    const client = await connect(commandLine(project.folder, 'gateway', '--stdio', '--trust', '--servers', 'corner'));
    expect(await client.callTool('corner__price', { of: 'tea' })).toMatchObject({ content: [{ text: 'tea costs 3' }] });
    await client.close();
  });

  const shop = shopEntry();
  const PREFIXED = ['corner__price', 'corner__process'];
  it.runIf(isFull).each<readonly [others: string, args: readonly string[], servers: object, names: readonly string[]]>([
    ['another one', [], { corner: shop, market: shop }, PREFIXED],
    ['a disabled one', [], { corner: shop, market: { ...shop, disabled: true } }, PREFIXED],
    ['an unreadable one', [], { corner: shop, market: { args: ['no-command'] } }, PREFIXED],
    ['one that is down', [], { corner: shop, market: { command: 'no-such-program' } }, PREFIXED],
    ['no other', [], { corner: shop }, PREFIXED],
    ['another one', ['--prefix', 'auto'], { corner: shop, market: shop }, PREFIXED],
    ['a disabled one', ['--prefix', 'auto'], { corner: shop, market: { ...shop, disabled: true } }, PREFIXED],
    ['an unreadable one', ['--prefix', 'auto'], { corner: shop, market: { args: ['no-command'] } }, PREFIXED],
    ['one that is down', ['--prefix', 'auto'], { corner: shop, market: { command: 'no-such-program' } }, PREFIXED],
    ['no other', ['--prefix', 'auto'], { corner: shop }, ['price', 'process']],
    ['another one', ['--prefix', 'auto', '--servers', 'corner'], { corner: shop, market: shop }, PREFIXED],
  ])('offers the same names beside %s, with the options %j', async (_, args, servers, names) => {
    await project.write('names.json', { mcpServers: servers });
    const options = ['--trust', '--port', '0', '--json', ...args];
    const gateway = await serving(project.folder, ['gateway', 'names.json', ...options]);
    const offered = await namesAt(gateway.url);
    await gateway.end();
    expect(offered.filter(name => !name.startsWith('market'))).toEqual(names);
  });

  it.runIf(isFull)('gives the reason of a server that fails as one short line', async () => {
    const crash = 'for (let i = 0; i < 25; i++) console.error("line " + i); process.exit(7)';
    await project.write('crash.json', { mcpServers: { crash: { command: process.execPath, args: ['-e', crash] } } });
    const gateway = await serving(project.folder, ['gateway', 'crash.json', '--trust', '--port', '0', '--json']);
    const { reason } = await gateway.waitForEvent<{ reason: string }>(({ event }) => event === 'server');
    expect(reason).toContain('exited');
    expect(reason).not.toContain('\n');
    expect(reason.length).toBeLessThanOrEqual(300);
    await gateway.end();
  });

  it.runIf(isFull)('refuses an audit file that another gateway writes', async () => {
    const args = ['gateway', '--trust', '--port', '0', '--audit', 'shared.jsonl'];
    const first = await serving(project.folder, [...args, '--json']);
    const second = await runTenon(project.folder, args);
    expect(second).toMatchObject({ code: 1, out: '' });
    expect(second.err).toMatch(/another process writes the audit record \S+shared\.jsonl\. Use a separate path/);
    await first.end();
  });

  it('names the policy file that it cannot read', async () => {
    const { code, err } = await runTenon(project.folder, ['gateway', '--trust', '--policy', 'none.json']);
    expect(code).toBe(1);
    expect(err).toMatch(/^tenon: cannot read the policy \S+none\.json\. Expected a policy file, got no file\. /);
    expect((await runTenon(project.folder, ['policy', 'lint', 'none.json'])).err).toContain(
      'cannot read the policy none.json',
    );
  });

  it('runs no server of a project without approval', async () => {
    const { code, out, err } = await runTenon(project.folder, ['gateway', '--port', '0']);
    expect(code).toBe(6);
    expect(out).toBe('');
    expect(err).toContain('mcp.json:1: the server "corner" was not approved yet');
    expect(err).toContain('--trust');
  });

  it('accepts only callers with the token', async () => {
    const token = 'a-token-of-many-characters';
    const args = ['gateway', '--trust', '--port', '0', '--json', '--servers', 'corner', '--bearer-env', 'TOKEN'];
    const gateway = await serving(project.folder, args, { TOKEN: token });
    expect(await namesAt(gateway.url, { authorization: `Bearer ${token}` })).toContain('corner__price');
    await expect(namesAt(gateway.url, { authorization: `Bearer ${token}x` })).rejects.toMatchObject({ status: 401 });
    await expect(namesAt(gateway.url)).rejects.toMatchObject({ status: 401 });
    expect(gateway.errors()).not.toContain(token);
    await gateway.end();
  });

  it.runIf(isFull)('listens beyond loopback with --allow-unauthenticated, and warns', async () => {
    const args = ['gateway', '--trust', '--port', '0', '--json', '--host', '127.0.0.1'];
    const everywhere = [...args.slice(0, -1), '::', '--allow-unauthenticated'];
    for (const each of [args, everywhere]) {
      const gateway = await serving(project.folder, each);
      const warning = '"level":"warning","message":"every machine that reaches :: may call';
      if (each === everywhere) expect(gateway.errors()).toContain(warning);
      else expect(gateway.errors()).not.toContain('every machine');
      await gateway.end();
    }
  });

  it('asks the user of the calling client, and treats a missing response as a denial', async () => {
    await project.write('policy.json', { rules: [{ ask: '*/price' }, { allow: '*/*' }] });
    const args = ['gateway', '--trust', '--port', '0', '--json', '--servers', 'corner', '--policy', 'policy.json'];
    const gateway = await serving(project.folder, args);
    const seen: string[] = [];
    await using request = await connect(gateway.url, {
      elicit: ({ message }) => {
        seen.push(message);
        return { action: 'accept', content: { decision: 'once' } };
      },
    });
    expect(await request.callTool('corner__price', { of: 'tea' })).toMatchObject({
      content: [{ text: 'tea costs 3' }],
    });
    expect(seen).toEqual([expect.stringContaining('Allow to call the tool price of corner?')]);
    await using silent = await connect(gateway.url);
    expect(await silent.callTool('corner__price', { of: 'tea' })).toMatchObject({ isError: true });
    expect(await silent.callTool('corner__process')).not.toHaveProperty('isError', true);
    await gateway.end();
  });

  it.runIf(isFull)('limits the tools and texts for a model', async () => {
    const limits = ['--budget', '10', '--max-output', '20'];
    const args = ['gateway', '--trust', '--port', '0', '--json', '--servers', 'corner', ...limits];
    const gateway = await serving(project.folder, args);
    expect(await namesAt(gateway.url)).toEqual(['search_tools', 'describe_tools', 'call_tool']);
    await using client = await connect(gateway.url);
    const { content } = await client.callTool('call_tool', {
      name: 'corner__price',
      arguments: { of: 'x'.repeat(4000) },
    });
    const link = content.at(-1) as { uri: string };
    expect(link).toMatchObject({ type: 'resource_link', uri: expect.stringMatching(/^tenon-overflow:/) });
    const { contents } = await client.readResource(link.uri);
    expect(contents).toMatchObject([{ text: expect.stringMatching(/^x{4000} costs 4000/) }]);
    await gateway.end();
  });

  it('reports why it cannot serve', async () => {
    const gateway = await serving(project.folder, ['gateway', '--trust', '--port', '0', '--json']);
    const port = new URL(gateway.url).port;
    const second = await runTenon(project.folder, ['gateway', '--trust', '--port', port]);
    expect(second).toMatchObject({ code: 1, out: '' });
    expect(second.err).toContain(`127.0.0.1:${port} is already in use. Stop the other program`);
    expect(second.err).toContain('--port');
    expect(second.err).not.toContain('{');
    expect(second.err).not.toContain('    at ');
    await gateway.end();
    expect((await runTenon(project.folder, ['gateway', '--servers', 'none', '--trust'])).code).toBe(2);
    expect((await runTenon(project.folder, ['gateway', 'none.json'])).code).toBe(1);
  });
});
