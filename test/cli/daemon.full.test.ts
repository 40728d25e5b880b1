import { once } from 'node:events';
import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { createRequire } from 'node:module';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { waitForExit } from '../interop/process.js';
import { isFull } from '../support/extent.js';
import { buildCommand, EVERYTHING, projectWith, shopEntry, startTenon, tenon } from './command.js';
import { serveKitchen } from './fixtures/kitchen.js';
import { hasTerminal, prompt, runOnTerminal } from './on-terminal.js';

const FILESYSTEM = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-filesystem/dist/index.js');

interface DaemonRecord {
  readonly pid: number;
  readonly version: string;
  readonly socket: string;
}

describe('tenon daemon', () => {
  let project: Awaited<ReturnType<typeof projectWith>>;
  let kitchen: Awaited<ReturnType<typeof serveKitchen>>;
  beforeAll(async () => {
    await buildCommand();
    project = await projectWith({});
    kitchen = await serveKitchen();
  });
  afterEach(() => run('daemon', 'stop'));
  afterAll(() => Promise.all([project.remove(), kitchen.close()]));

  const run = (...args: string[]) => tenon(project.folder, args);
  const shop = (...more: string[]) => {
    const { command, args } = shopEntry(...more);
    return ['--', command, ...args];
  };
  /** Calls the tool that returns the id of the server's process. */
  const callShop = async (...more: string[]) => {
    const { code, out, err } = await run('call', '--keep', 'process', ...shop(...more));
    expect({ code, err }).toEqual({ code: 0, err: '' });
    return Number(out);
  };
  const recordPath = () => project.path('home/state/daemon/daemon.json');
  const readRecord = async (): Promise<DaemonRecord> => JSON.parse(await readFile(recordPath(), 'utf8'));
  const readMode = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

  it('uses the process of an earlier command, for this user only [cli.keep]', async () => {
    const pid = await callShop();
    expect(await callShop()).toBe(pid);
    const direct = await tenon(project.folder, ['call', '--keep', 'process', ...shop()], { TENON_KEEP: '0' });
    expect(Number(direct.out)).not.toBe(pid);
    const byVariable = await tenon(project.folder, ['call', 'process', ...shop()], { TENON_KEEP: '1' });
    expect(Number(byVariable.out)).toBe(pid);
    const listed = await run('list', '--keep', '--json', ...shop());
    const unkept = await run('list', '--json', ...shop());
    expect(JSON.parse(listed.out)).toEqual(JSON.parse(unkept.out));
    const daemon = await readRecord();
    const modes = [project.path('home/state/daemon'), recordPath(), daemon.socket].map(readMode);
    expect(await Promise.all(modes)).toEqual(['700', '600', '600']);
    const status = await run('daemon', 'status', '--json');
    expect(JSON.parse(status.out)).toMatchObject({ running: true, pid: daemon.pid, servers: [{ active: 0 }] });
    expect(JSON.parse((await run('daemon', 'start', '--json')).out)).toEqual({ running: true, pid: daemon.pid });
    expect(await run('daemon', 'stop')).toEqual({ code: 0, out: 'stopped\n', err: '' });
    await Promise.all([waitForExit(pid), waitForExit(daemon.pid)]);
    expect(await run('daemon', 'status')).toEqual({ code: 1, out: 'not running\n', err: '' });
  });

  it('starts below a relative TENON_HOME [cli.keep]', async () => {
    const env = { TENON_HOME: 'own' };
    const { code, err } = await tenon(project.folder, ['call', '--keep', 'process', ...shop()], env);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect((await tenon(project.folder, ['daemon', 'stop'], env)).out).toBe('stopped\n');
  });

  it.runIf(isFull)('shows the protocol version of the server, and its name in errors', async () => {
    const listed = await run('list', '--keep', '--json', '--', ...EVERYTHING);
    const unkept = await run('list', '--json', '--', ...EVERYTHING);
    const { protocolVersion } = JSON.parse(unkept.out);
    expect(JSON.parse(listed.out)).toMatchObject({ protocolVersion });
    const { code, err } = await run('call', '--keep', '--timeout', '300ms', kitchen.url, 'slow');
    expect({ code, err }).toEqual({ code: 8, err: expect.stringContaining(kitchen.url) });
    expect(err).not.toContain('/servers/');
    const status = JSON.parse((await run('daemon', 'status', '--json')).out);
    for (const { unused } of status.servers) expect(Number.isInteger(unused)).toBe(true);
  });

  it.runIf(isFull && process.platform !== 'win32')("needs file access for the server's user only", async () => {
    const file = project.path('written.txt');
    const server = ['--', process.execPath, FILESYSTEM, project.folder];
    expect((await run('call', '--keep', 'write_file', `path=${file}`, 'content=x', ...server)).code).toBe(0);
    expect(await readMode(file)).toBe((0o666 & ~process.umask()).toString(8));
  });

  it.runIf(isFull)('reports that all kept servers are in use', async () => {
    await run('daemon', 'start', '--max', '1');
    const begun = once(kitchen.events, 'slow');
    const child = startTenon(project.folder, ['call', '--keep', kitchen.url, 'slow']);
    child.stderr?.resume();
    await begun;
    const { code, err } = await run('call', '--keep', 'process', ...shop());
    expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining('the maximum number of kept servers is 1') });
    child.kill('SIGINT');
    await once(child, 'close');
  });

  it.runIf(isFull)('refuses requests without the secret of the daemon', async () => {
    await callShop();
    const { socket } = await readRecord();
    const sent = request({ socketPath: socket, path: '/status', headers: { 'x-tenon-token': 'x' } }).end();
    const [response] = await once(sent, 'response');
    response.resume();
    expect(response.statusCode).toBe(401);
  });

  it.runIf(isFull)('exits with the codes of a direct call, and keeps no server that fails', async () => {
    expect(await run('call', '--keep', kitchen.url, 'fail')).toMatchObject({ code: 5 });
    expect(await run('call', '--keep', kitchen.url, 'nope')).toMatchObject({ code: 2 });
    const broken = await run('call', '--keep', 'x', '--', process.execPath, '-e', 'process.exit(3)');
    expect(broken).toMatchObject({ code: 4, err: expect.stringContaining('exited with code 3') });
    expect(JSON.parse((await run('daemon', 'status', '--json')).out).servers).toHaveLength(1);
  });

  it.runIf(isFull)('passes Ctrl-C on to the server', async () => {
    const [begun, cancelled] = [once(kitchen.events, 'slow'), once(kitchen.events, 'cancelled')];
    const child = startTenon(project.folder, ['call', '--keep', kitchen.url, 'slow']);
    child.stderr?.resume();
    await begun;
    child.kill('SIGINT');
    const [code] = await once(child, 'close');
    expect(code).toBe(130);
    await cancelled;
  });

  it('stores an input request, and continues after the response', async () => {
    const waitingCall = await run('call', '--keep', '--json', kitchen.url, 'order', 'item=apples');
    expect(waitingCall.code).toBe(9);
    const { id } = JSON.parse(waitingCall.out).inputRequired;
    const answered = await run('answer', id, 'count:=3');
    expect(answered).toMatchObject({ code: 0, out: 'ordered 3 apples\n' });
  });

  it.runIf(isFull)('reports at its end how many calls wait for input', async () => {
    const waitingCall = await run('call', '--keep', '--json', kitchen.url, 'order', 'item=apples');
    const { code, out, err } = await run('daemon', 'stop', '--json');
    expect({ code, out: JSON.parse(out) }).toEqual({ code: 0, out: { running: false, waitingCalls: 1 } });
    expect(err).toContain('1 call of a kept server waits for an answer');
    await run('answer', JSON.parse(waitingCall.out).inputRequired.id, '--forget');
  });

  it.runIf(isFull && hasTerminal)('prompts on a terminal', async () => {
    const args = ['call', '--keep', kitchen.url, 'order', 'item=apples'];
    const { code, shown } = await runOnTerminal(project.folder, args, [
      [prompt('Answer?'), 'y'],
      [prompt('count'), '3\r'],
    ]);
    expect({ code, shown }).toMatchObject({ code: 0, shown: expect.stringContaining('ordered 3 apples') });
  });

  it.runIf(isFull)('replaces a daemon that was killed, and one of another version [cli.keep]', async () => {
    const first = await callShop();
    const killed = await readRecord();
    process.kill(killed.pid, 'SIGKILL');
    await Promise.all([waitForExit(killed.pid), waitForExit(first)]);
    expect((await run('daemon', 'status')).code).toBe(1);
    const second = await callShop();
    const running = await readRecord();
    expect(second).not.toBe(first);
    await expect(stat(killed.socket)).rejects.toThrow('ENOENT');
    await writeFile(recordPath(), JSON.stringify({ ...running, version: '0.0.1' }));
    expect(await callShop()).not.toBe(second);
    await Promise.all([waitForExit(running.pid), waitForExit(second)]);
    expect((await readRecord()).pid).not.toBe(running.pid);
  });

  it.runIf(isFull)('closes the least recently used server at the limit, and exits when unused', async () => {
    await run('daemon', 'start', '--max', '1', '--idle', '2s');
    const first = await callShop();
    await writeFile(project.path('words'), 'Tells it');
    const second = await callShop(project.path('words'));
    const { pid } = await readRecord();
    await Promise.all([waitForExit(first), waitForExit(second), waitForExit(pid)]);
  });

  it.runIf(isFull && process.platform !== 'win32')('connects directly if other users can use its folder', async () => {
    await callShop();
    await run('daemon', 'stop');
    await chmod(project.path('home/state/daemon'), 0o755);
    const { code, out, err } = await run('call', '--keep', 'price', 'of=glue', ...shop());
    await chmod(project.path('home/state/daemon'), 0o700);
    expect({ code, out, err }).toEqual({
      code: 0,
      out: 'glue costs 4\n',
      err: expect.stringContaining('other users have access'),
    });
  });
});
