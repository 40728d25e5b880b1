import { spawn } from 'node:child_process';
import { readdir, stat, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Client, connect } from 'tenon';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { collect } from '../interop/collect.js';
import { isRunning } from '../interop/process.js';
import { retryUntilPasses } from '../interop/retry.js';
import { isFull } from '../support/extent.js';
import { buildCommand, commandLine, projectWith, runTenon, type Serving, serving, shopEntry } from './command.js';

type Project = Awaited<ReturnType<typeof projectWith>>;

const broken = { command: process.execPath, args: ['-e', 'process.exit(3)'] };
let project: Project;
beforeAll(async () => {
  await buildCommand();
});
beforeEach(async () => {
  project = await projectWith({
    corner: shopEntry(),
    market: shopEntry(),
    broken,
    off: { ...shopEntry(), disabled: true },
    typo: { ...shopEntry(), disable: true },
  });
});
afterEach(() => project.remove());

const getRecordFolder = () => join(project.folder, 'home/state/gateways');

async function control(...args: string[]) {
  const { code, out, err } = await runTenon(project.folder, ['gateway', ...args, '--json']);
  const parse = (text: string) =>
    text
      .split('\n')
      .filter(line => line.startsWith('{'))
      .map(line => JSON.parse(line));
  return { code, lines: parse(out), errors: parse(err) };
}

async function getServers() {
  const { lines } = await control('status');
  const { servers } = lines[0] as { servers: { name: string; state: string }[] };
  return Object.fromEntries(servers.map(server => [server.name, server]));
}

describe('a running gateway over HTTP', () => {
  let gateway: Serving;
  let client: Client;
  beforeEach(async () => {
    gateway = await serving(project.folder, ['gateway', '--trust', '--port', '0', '--json']);
    client = await connect(gateway.url);
  });
  afterEach(async () => {
    await client.close();
    expect(await gateway.end()).toBe(0);
    expect(await readdir(getRecordFolder())).toEqual([]);
  });
  const listNames = async () => (await collect(client.listTools())).map(({ name }) => name);
  const readPid = async () => Number(((await client.callTool('corner__process')).content[0] as { text: string }).text);

  it('lists each configured server with its state, tools and last error', async () => {
    await listNames();
    const { corner, broken, off, typo } = await getServers();
    expect(corner).toMatchObject({ state: 'connected', transport: 'stdio', tools: 2, connections: 1 });
    expect(corner).toMatchObject({ protocolVersion: '2026-07-28', tokens: expect.any(Number), serverName: 'shop' });
    expect(broken).toMatchObject({ state: 'failed', lastError: { code: 'stdio/exited' } });
    expect(off).toMatchObject({ state: 'disabled', reason: 'disabled in the configuration' });
    expect(typo).toMatchObject({ state: 'failed', reason: expect.stringContaining('"disable"') });
    const { out } = await runTenon(project.folder, ['gateway', 'status']);
    expect(out).toMatch(/corner +connected +stdio +2026-07-28 +2 tools +\d+ tokens +shop/);
    expect(out).toContain(gateway.url);
  });

  it.runIf(isFull)('appears in `tenon list` without a target', async () => {
    const pid = await readPid();
    const { code, out } = await runTenon(project.folder, ['list', '--json']);
    const { servers } = JSON.parse(out) as { servers: object[] };
    expect(servers).toContainEqual(expect.objectContaining({ name: 'corner', state: 'connected', tools: 2 }));
    expect(code).toBe(1);
    expect(await readPid()).toBe(pid);
  });

  it('disables a server, also across a changed configuration, and enables it', async () => {
    const pid = await readPid();
    expect(await control('disable', 'corner')).toMatchObject({ code: 0, lines: [{ state: 'disabled' }] });
    await retryUntilPasses(() => expect(isRunning(pid)).toBe(false));
    expect(await listNames()).toEqual(['market__price', 'market__process']);
    const servers = { corner: { ...shopEntry(), env: { SHOP: 'other' } }, harbour: shopEntry() };
    await project.write('mcp.json', { mcpServers: servers });
    await retryUntilPasses(async () => expect(await listNames()).toContain('harbour__price'));
    expect((await getServers()).corner).toMatchObject({ state: 'disabled' });
    expect(await listNames()).not.toContain('corner__price');
    expect(await control('enable', 'corner')).toMatchObject({ code: 0, lines: [{ state: 'connected', tools: 2 }] });
    expect(await listNames()).toContain('corner__price');
  });

  it('restarts and reconnects servers, and exits with 1 if one stays down', async () => {
    const pid = await readPid();
    expect(await control('restart', 'corner')).toMatchObject({ code: 0, lines: [{ state: 'connected' }] });
    const other = await readPid();
    expect(other).not.toBe(pid);
    expect(isRunning(pid)).toBe(false);
    expect(await control('reconnect', 'corner')).toMatchObject({ code: 0 });
    expect(await readPid()).toBe(other);
    expect(await control('reconnect', 'broken')).toMatchObject({ code: 1, lines: [{ state: 'failed' }] });
    await gateway.waitForEvent(({ event, name }) => event === 'server' && name === 'broken');
  });

  it.runIf(isFull)('refuses servers that it does not run, and names the next step', async () => {
    expect(await control('enable', 'off')).toMatchObject({ code: 1, errors: [{ code: 'cli/unusable-server' }] });
    expect(await control('restart', 'cornr')).toMatchObject({
      code: 2,
      errors: [{ code: 'cli/usage', fix: expect.stringContaining('corner') }],
    });
    expect(await control('status', '--pid', '1')).toMatchObject({ code: 1, errors: [{ code: 'cli/no-gateway' }] });
  });

  it.skipIf(process.platform === 'win32')('accepts only its user, with the token', async () => {
    const names = await readdir(getRecordFolder());
    const modes = await Promise.all(names.map(async name => (await stat(join(getRecordFolder(), name))).mode & 0o777));
    expect(modes).toEqual([0o600, 0o600]);
    expect((await stat(getRecordFolder())).mode & 0o777).toBe(0o700);
    const socketPath = join(getRecordFolder(), names.find(name => name.endsWith('.sock')) as string);
    const status = await new Promise(resolve => {
      request({ socketPath, path: '/status' }, response => resolve(response.resume().statusCode)).end();
    });
    expect(status).toBe(401);
  });
});

describe('a running gateway on stdio', () => {
  it.runIf(isFull)('can be described and changed, and leaves no files', async () => {
    const client = await connect(commandLine(project.folder, 'gateway', '--stdio', '--trust'));
    const listNames = async () => (await collect(client.listTools())).map(({ name }) => name);
    expect(await listNames()).toContain('corner__price');
    const { lines } = await control('status');
    expect(lines).toMatchObject([{ stdio: true, endpoints: [] }]);
    expect(await control('disable', 'corner')).toMatchObject({ code: 0 });
    expect(await listNames()).toEqual(['market__price', 'market__process']);
    await client.close();
    await retryUntilPasses(async () => expect(await readdir(getRecordFolder())).toEqual([]));
  });
});

describe('without a running gateway', () => {
  it.runIf(isFull)('names the command that starts one, and removes the files of one that was killed', async () => {
    expect(await control('status')).toMatchObject({
      code: 1,
      errors: [{ code: 'cli/no-gateway', fix: expect.stringContaining('`tenon gateway`') }],
    });
    const { command, args, env, cwd } = commandLine(project.folder, 'gateway', '--trust', '--port', '0', '--json');
    const child = spawn(command, args, { cwd, env: { ...process.env, ...env }, stdio: 'ignore' });
    await retryUntilPasses(async () => expect(await control('status')).toMatchObject({ code: 0 }));
    const exited = new Promise(resolve => child.once('exit', resolve));
    child.kill('SIGKILL');
    await exited;
    expect((await control('restart', 'corner')).errors).toMatchObject([{ code: 'cli/no-gateway' }]);
    expect(await readdir(getRecordFolder())).toEqual([]);
  });

  it('lets `tenon list` connect to each configured server once', async () => {
    const { code, out } = await runTenon(project.folder, ['list', '--trust']);
    expect(out).toMatch(/corner +connected +stdio +2026-07-28 +2 tools/);
    expect(out).toMatch(/broken +failed/);
    expect(out).toMatch(/off +disabled/);
    expect(code).toBe(1);
    await project.write('mcp.json', { mcpServers: { corner: shopEntry() } });
    expect((await runTenon(project.folder, ['list', '--trust', '--json'])).code).toBe(0);
  });

  it.runIf(isFull)('follows from --no-control', async () => {
    const gateway = await serving(project.folder, ['gateway', '--trust', '--port', '0', '--json', '--no-control']);
    expect((await control('status')).code).toBe(1);
    expect(await gateway.end()).toBe(0);
  });

  it('serves with a warning where the socket cannot be opened', async () => {
    const file = fileURLToPath(new URL(`file://${project.path('home')}`));
    await writeFile(file, '');
    const gateway = await serving(project.folder, ['gateway', '--trust', '--port', '0', '--json']);
    expect(gateway.errors()).toContain('tenon gateway status');
    expect(await gateway.end()).toBe(0);
  });
});
