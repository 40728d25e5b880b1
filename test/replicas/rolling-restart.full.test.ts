import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { connect } from 'tenon';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { findFreePort } from '../../packages/tenon/src/stores/fixtures/find-free-port.js';
import { startRedis } from '../../packages/tenon/src/stores/redis/fixtures/start-redis.js';
import { getProgram, hasPrograms } from '../../scripts/optional-programs.mjs';
import { buildCommand, commandLine } from '../cli/command.js';
import { getText } from '../interop/collect.js';
import { retryUntilPasses } from '../interop/retry.js';
import { isFull } from '../support/extent.js';

const folder = fileURLToPath(new URL('../../examples/replicas', import.meta.url));
const canRun = hasPrograms('redis-server', 'haproxy');

/** A replica as `tenon serve --config serve.json` starts it. */
async function startReplica(command: string, port: number, env: Readonly<Record<string, string>>) {
  const args = [command, 'serve', '--config', 'serve.json', '--host', '127.0.0.1', '--port', String(port)];
  const drain = ['--drain-delay', '2500ms'];
  const child = spawn(process.execPath, [...args, ...drain], {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const getReadiness = async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).status;
  await vi.waitFor(async () => expect(await getReadiness()).toBe(200), { timeout: 60_000, interval: 50 });
  return child;
}

async function stop(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const exited = once(child, 'exit');
  child.kill(signal);
  const [code] = await exited;
  return code;
}

describe.skipIf(!canRun || !isFull)('the replicas of examples/replicas behind HAProxy', () => {
  const children: ChildProcess[] = [];
  let redis: Awaited<ReturnType<typeof startRedis>>;
  let ports: number[] = [];
  let balancer: ChildProcess;
  let url = '';
  let command = '';
  let env: Readonly<Record<string, string>> = {};
  beforeAll(async () => {
    await buildCommand();
    [command = ''] = commandLine(folder).args;
    redis = await startRedis();
    env = { STORE_URL: redis.url, SEAL_KEYS: `test:${Buffer.alloc(32, 7).toString('base64')}` };
    ports = await Promise.all([findFreePort(), findFreePort(), findFreePort()]);
    children.push(...(await Promise.all(ports.map(port => startReplica(command, port, env)))));
    const listen = `127.0.0.1:${await findFreePort()}`;
    const [one, two, three] = ports.map(port => `127.0.0.1:${port}`);
    balancer = spawn(getProgram('haproxy'), ['-db', '-f', 'haproxy.cfg'], {
      cwd: folder,
      env: { ...process.env, LISTEN: listen, REPLICA_ONE: one, REPLICA_TWO: two, REPLICA_THREE: three },
      stdio: 'ignore',
    });
    url = `http://${listen}/mcp`;
    await retryUntilPasses(async () => expect((await fetch(`http://${listen}/readyz`)).status).toBe(200));
  }, 120_000);
  afterAll(async () => {
    await Promise.all([...children, balancer].map(child => child && stop(child, 'SIGKILL')));
    await redis?.close();
  });

  it('lose no call, no progress and no session while one after another is restarted [so.drain]', async () => {
    let isOver = false;
    const outcomes: string[] = [];
    const replicas = new Set<string>();
    const versions = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26'] as const;
    const clients = await Promise.all(versions.map(protocolVersion => connect(url, { protocolVersion })));
    const visitors = clients.map(async client => {
      while (!isOver) {
        const progress: number[] = [];
        const options = { onProgress: (each: { progress: number }) => progress.push(each.progress) };
        const result = await client.callTool('work', { steps: 3 }, options).then(getText, error => String(error));
        replicas.add(getText(await client.callTool('replica')));
        outcomes.push(`${result}: ${progress.join(' ')}`);
      }
    });
    for (const [index, port] of ports.entries()) {
      expect(await stop(children[index] as ChildProcess, 'SIGTERM')).toBe(0);
      children[index] = await startReplica(command, port, env);
    }
    isOver = true;
    await Promise.all(visitors);
    await Promise.all(clients.map(client => client.close()));
    expect([...new Set(outcomes)]).toEqual(['did 3 steps: 1 2 3']);
    expect(outcomes.length).toBeGreaterThan(versions.length);
    expect(replicas.size).toBeGreaterThan(3);
  }, 180_000);
});
