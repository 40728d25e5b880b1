import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { connect } from 'tenon';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { getText } from '../interop/collect.js';
import { retryUntilPasses } from '../interop/retry.js';
import { bundle } from '../support/bundle.js';

interface ProgramEvent {
  readonly event: 'listening' | 'running' | 'closed';
  readonly pid: number;
  readonly url?: string;
}

let program: string;
beforeAll(() => {
  program = bundle('test/shutdown/program.ts');
});

const children: ChildProcess[] = [];
afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
});

async function start(workers: number, delay = 0) {
  const child = spawn(process.execPath, [program, String(workers), String(delay)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const events: ProgramEvent[] = [];
  createInterface({ input: child.stdout }).on('line', line => events.push(JSON.parse(line)));
  const list = (event: ProgramEvent['event']) => events.filter(each => each.event === event);
  const isPrimary = ({ pid }: ProgramEvent) => pid === child.pid;
  await retryUntilPasses(() => expect(list('listening').some(isPrimary)).toBe(true));
  const { url = '' } = list('listening').find(isPrimary) ?? {};
  const exited = once(child, 'exit').then(([code]) => code as number | null);
  const startCall = async () => {
    const client = await connect(url);
    const result = client.callTool('sleep', { ms: 700 }).then(getText);
    await retryUntilPasses(() => expect(list('running')).toHaveLength(1));
    return { result, close: () => client.close() };
  };
  const getReadiness = async () => (await fetch(new URL('/readyz', url))).status;
  return { child, list, exited, startCall, getReadiness };
}

describe.each([1, 2])('a program with `exitOnSignal` in %i process(es) that serve', workers => {
  it('completes its calls, cleans up in each process and exits with 0 [so.drain]', async () => {
    const { child, list, exited, startCall } = await start(workers);
    const { result, close } = await startCall();
    // Process managers such as systemd signal each process of a service.
    for (const { pid } of list('listening')) process.kill(pid, 'SIGTERM');
    expect(await result).toBe('rested');
    expect(await exited).toBe(0);
    await retryUntilPasses(() =>
      expect(new Set(list('closed').map(({ pid }) => pid))).toEqual(new Set(list('listening').map(({ pid }) => pid))),
    );
    expect(list('closed')).toHaveLength(workers === 1 ? 1 : workers + 1);
    expect(child.signalCode).toBeNull();
    await close();
  });

  it('reports not ready during the delay, and still serves [so.drain]', async () => {
    const { child, exited, startCall, getReadiness } = await start(workers, 1500);
    expect(await getReadiness()).toBe(200);
    child.kill('SIGTERM');
    await retryUntilPasses(async () => expect(await getReadiness()).toBe(503));
    const { result, close } = await startCall();
    expect(await result).toBe('rested');
    expect(await exited).toBe(0);
    await close();
  });

  it('exits at once at a second signal [so.drain]', async () => {
    const { child, exited, startCall } = await start(workers, 60_000);
    const { result, close } = await startCall();
    result.catch(() => {});
    child.kill('SIGTERM');
    await new Promise(resolve => setImmediate(resolve));
    // Two signals that are pending at the same time count as one.
    const timer = setInterval(() => child.kill('SIGTERM'), 50);
    expect(await exited).toBe(143);
    clearInterval(timer);
    await close();
  });
});

it('cleans up in a worker that is signalled alone, and replaces it [so.drain]', async () => {
  const { child, list, exited } = await start(2);
  const getWorkers = () => list('listening').filter(({ pid }) => pid !== child.pid);
  await retryUntilPasses(() => expect(getWorkers()).toHaveLength(2));
  const [worker] = getWorkers() as [ProgramEvent];
  process.kill(worker.pid, 'SIGTERM');
  await retryUntilPasses(() => expect(getWorkers()).toHaveLength(3));
  expect(list('closed').map(({ pid }) => pid)).toEqual([worker.pid]);
  child.kill('SIGTERM');
  expect(await exited).toBe(0);
});
