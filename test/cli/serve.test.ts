import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { connect } from 'tenon';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasRedis, startRedis } from '../../packages/tenon/src/stores/redis/fixtures/start-redis.js';
import { getText } from '../interop/collect.js';
import { buildCommand, commandLine, projectWith, runTenon, serving, startTenon } from './command.js';

const library = fileURLToPath(new URL('../../packages/tenon/dist/esm', import.meta.url));
/** A module of a project that has the library installed. */
const MODULE = `
import { createServer, tool } from ${JSON.stringify(join(library, 'index.node.js'))};
const tools = {
  pid: tool({ run: () => String(process.pid) }),
  broken: tool({ run: () => { throw new Error('first line\\nAuthorization: Bearer abcdefghijklmnopqrstuvwxyz012345'); } }),
  wait: tool({ run: async () => { await new Promise(done => setTimeout(done, 500)); return 'waited'; } }),
};
export const server = createServer({ name: 'first', version: '1.0.0', tools });
export const admin = () => createServer({ name: 'second', version: '1.0.0', tools });
export const other = 1;
`;

/** Lets the system choose a worker for each request. */
const fetchOnNewConnection: typeof fetch = (input, init) =>
  fetch(input, { ...init, headers: { ...Object.fromEntries(new Headers(init?.headers)), connection: 'close' } });

interface Listening {
  readonly url: string;
  readonly ready: string;
  readonly live: string;
  readonly pid: number;
}

describe('tenon serve', () => {
  let project: Awaited<ReturnType<typeof projectWith>>;
  beforeAll(async () => {
    await buildCommand();
    project = await projectWith({});
    await project.write('server.mjs', MODULE);
  });
  afterAll(() => project.remove());

  const serve = async (args: readonly string[], env?: Readonly<Record<string, string>>) => {
    const started = await serving(project.folder, ['serve', ...args, '--port', '0', '--json'], env);
    return { ...started, ...(await started.waitForEvent<Listening>(({ event }) => event === 'listening')) };
  };

  it('serves a module, completes its calls after SIGTERM, and exits with 0 [cli.serve] [so.drain]', async () => {
    const { url, live, ready, pid, waitForEvent, ended } = await serve(['server.mjs', '--drain-delay', '300ms']);
    expect([(await fetch(live)).status, (await fetch(ready)).status]).toEqual([200, 200]);
    const client = await connect(url);
    expect(client.server.info?.name).toBe('first');
    const call = client.callTool('wait');
    await client.callTool('pid');
    process.kill(pid, 'SIGTERM');
    await waitForEvent(({ event, signal }) => event === 'draining' && signal === 'SIGTERM');
    expect((await fetch(ready)).status).toBe(503);
    expect(getText(await call)).toBe('waited');
    await client.close();
    await waitForEvent(({ event }) => event === 'closed');
    expect(await ended).toBe(0);
  });

  it('serves another export, with options from a file and from the command line [cli.serve]', async () => {
    await project.write('serve.json', { server: 'server.mjs#admin', port: 1, health: false, store: 'sqlite:state.db' });
    const { url, live, end } = await serve(['--config', 'serve.json']);
    const client = await connect(url, { protocolVersion: '2025-11-25' });
    expect(client.server.info?.name).toBe('second');
    await client.close();
    expect(live).toBeUndefined();
    expect((await readFile(project.path('state.db'))).length).toBeGreaterThan(0);
    expect(await end()).toBe(0);
  });

  it('shares the sessions of all workers in a store [cli.serve]', async () => {
    const { url, end, pid } = await serve(['server.mjs', '--workers', '2', '--store', 'workers.db']);
    const client = await connect({ url, fetch: fetchOnNewConnection }, { protocolVersion: '2025-11-25' });
    const pids = new Set<string>();
    for (let n = 0; n < 6; n += 1) pids.add(getText(await client.callTool('pid')));
    expect(pids.size).toBe(2);
    expect(pids).not.toContain(String(pid));
    await client.close();
    expect(await end()).toBe(0);
  });

  it.skipIf(!hasRedis)('keeps sessions in Redis over a restart [cli.serve] [so.session-record]', async () => {
    const redis = await startRedis();
    const env = { STORE_URL: redis.url, KEYS: `a:${Buffer.alloc(32, 7).toString('base64')}` };
    const args = ['server.mjs', '--store-env', 'STORE_URL', '--keys-env', 'KEYS'];
    const one = await serve(args, env);
    const client = await connect(one.url, { protocolVersion: '2025-11-25' });
    await client.callTool('pid');
    expect(await one.end()).toBe(0);
    const { port } = new URL(one.url);
    const two = await serving(project.folder, ['serve', ...args, '--port', port, '--json'], env);
    expect(getText(await client.callTool('pid'))).toBe(String(two.pid));
    await client.close();
    await two.end();
    await redis.close();
  });

  it.skipIf(!hasRedis)('reads keys from a file, and keeps sessions while they are rotated [cli.serve]', async () => {
    const redis = await startRedis();
    const [old, next] = [7, 8].map(byte => `k${byte}:${Buffer.alloc(32, byte).toString('base64')}`);
    await project.write('keys.json', { server: 'server.mjs', keysFile: 'keys', storeEnv: 'STORE_URL' });
    const env = { STORE_URL: redis.url };
    const start = async (port: string, ...keys: (string | undefined)[]) => {
      await writeFile(project.path('keys'), `# keys of the deployment\n${keys.join('\n')}\n`, { mode: 0o600 });
      return serving(project.folder, ['serve', '--config', 'keys.json', '--port', port, '--json'], env);
    };
    let running = await start('0', old);
    const { port } = new URL(running.url);
    const client = await connect(running.url, { protocolVersion: '2025-11-25' });
    for (const keys of [
      [old, next],
      [next, old],
    ]) {
      expect(await running.end()).toBe(0);
      running = await start(port, ...keys);
      expect(getText(await client.callTool('pid'))).toBe(String(running.pid));
    }
    const approvals = ['approvals', 'list', '--store', redis.url, '--keys-file', 'keys', '--json'];
    expect(await runTenon(project.folder, approvals)).toMatchObject({ code: 0 });
    await client.close();
    await running.end();
    await redis.close();
  });

  it('logs an error of a handler as one line with time, level, code, method and trace ID [cli.serve]', async () => {
    const { url, lines, waitForEvent, end } = await serve(['server.mjs', '--metrics', '0']);
    const { url: metrics } = await waitForEvent<{ url: string }>(({ event }) => event === 'metrics');
    const client = await connect(url);
    const traceId = '0af7651916cd43dd8448eb211c80319c';
    const _meta = { traceparent: `00-${traceId}-b7ad6b7169203331-01` };
    await client.call('tools/call', { name: 'broken', arguments: {}, _meta });
    const error = await waitForEvent(({ event }) => event === 'error');
    expect(error).toEqual({
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      level: 'error',
      event: 'error',
      code: 'tool/threw',
      peer: expect.stringMatching(/^tenon \S+ \(2026-07-28, [^)]+\)$/),
      method: 'tools/call broken',
      message: expect.stringContaining('first line'),
      traceId,
    });
    expect(JSON.stringify(error)).not.toContain('abcdefghij');
    expect(await (await fetch(metrics)).text()).toContain('mcp_server_operation_duration_seconds');
    await client.close();
    expect(await end()).toBe(0);
    expect(lines.filter(({ time, level }) => time === undefined || level === undefined)).toEqual([]);
  });

  it('serves the metrics of each worker at one address, and those of its replacement [cli.serve]', async () => {
    const { url, lines, waitForEvent, end } = await serve(['server.mjs', '--workers', '2', '--metrics', '0']);
    const { url: metrics } = await waitForEvent<{ url: string }>(({ event }) => event === 'metrics');
    const callBothWorkers = async (): Promise<readonly string[]> => {
      const pids: string[] = [];
      while (new Set(pids).size < 2) {
        const client = await connect({ url, fetch: fetchOnNewConnection });
        pids.push(getText(await client.callTool('pid')));
        await client.close();
      }
      return pids;
    };
    const countCalls = async () => {
      const text = await (await fetch(metrics)).text();
      expect(text.match(/^# TYPE mcp_server_operation_duration_seconds /gm)).toHaveLength(1);
      const calls =
        /^mcp_server_operation_duration_seconds_count\{worker="(\d+)",.*mcp_method_name="tools\/call".* (\d+)$/gm;
      return [...text.matchAll(calls)].map(([, worker, count]) => ({ worker, count: Number(count) }));
    };
    const pids = await callBothWorkers();
    const counts = await countCalls();
    expect(counts.map(({ worker }) => worker).sort()).toEqual(['1', '2']);
    expect(counts.reduce((sum, { count }) => sum + count, 0)).toBe(pids.length);
    process.kill(Number(pids.at(-1)), 'SIGKILL');
    const { message } = await waitForEvent<{ message: string }>(({ code }) => code === 'serve/worker');
    expect(message).toContain('got SIGKILL. Another worker starts in 200 ms; read the output');
    const later = await callBothWorkers();
    expect(later).not.toContain(pids.at(-1));
    expect((await countCalls()).map(({ worker }) => worker).sort()).toEqual(['1', '2']);
    expect(await end()).toBe(0);
    expect(lines.filter(({ event }) => event === 'metrics')).toHaveLength(1);
  });

  it('serves on stdio, and keeps standard output for the protocol [cli.serve]', async () => {
    const client = await connect(commandLine(project.folder, 'serve', 'server.mjs', '--stdio'));
    expect(getText(await client.callTool('wait'))).toBe('waited');
    await client.close();
  });

  it.each<[readonly string[], number, string]>([
    [['missing.mjs'], 2, 'file not found'],
    [['none.mjs'], 2, 'no server is exported'],
    [['.'], 2, 'this is a folder: '],
    [['folder.mjs'], 2, 'this is a folder: '],
    [['server.mjs#other'], 2, 'the export \\"other\\" is not a server'],
    [['--config', 'bad.json'], 2, 'unknown member \\"prot\\"'],
    [[], 2, 'no server module'],
    [['server.mjs', '--store', 'mysql://db'], 2, 'unknown kind of store'],
    [['server.mjs', '--store', 'sqllite:state.db'], 2, 'unknown kind of store'],
    [['server.mjs', '--store', 'sqlite:'], 2, '--store: the path is missing'],
    [['server.mjs', '--store', ''], 2, '--store: the path is missing'],
    [['server.mjs', '--store', 'redis://user:secret-password@db'], 2, 'a password is not accepted'],
    [['server.mjs', '--keys-env', 'KEYS', '--keys-file', 'keys'], 2, '--keys-env and --keys-file exclude each other'],
    [['server.mjs', '--keys-file', 'no-keys'], 2, '--keys-file: file not found: no-keys'],
    [['server.mjs', '--store', 'redis://db'], 2, 'pass --keys-env NAME or --keys-file FILE'],
    [['server.mjs', '--stdio', '--workers', '2'], 2, '--stdio cannot be used'],
    [['server.mjs', '--host', '0.0.0.0'], 2, 'without authorization'],
  ])('reports an error and the next step for %j [cli.exit]', async (args, code, text) => {
    await project.write('none.mjs', 'export const other = 1;');
    await mkdir(project.path('folder.mjs'), { recursive: true });
    await project.write('bad.json', { port: 3000, prot: 1 });
    const ended = await runTenon(project.folder, ['serve', ...args, '--json']);
    expect({ code: ended.code, out: ended.out }).toEqual({ code, out: '' });
    expect(ended.err).toContain(text);
    expect(ended.err).not.toContain('secret-password');
  });

  it('exits at once at a second signal [cli.serve]', async () => {
    const child = startTenon(project.folder, ['serve', 'server.mjs', '--port', '0', '--drain-delay', '10m', '--json']);
    const ended = new Promise<number | null>(resolve => child.once('close', code => resolve(code)));
    let timer: ReturnType<typeof setInterval> | undefined;
    child.stdout?.on('data', () => {
      timer ??= setInterval(() => child.kill('SIGTERM'), 50);
    });
    expect(await ended).toBe(143);
    clearInterval(timer);
  });
});
