import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { createInterface } from 'node:readline';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { connect } from 'tenon';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { getText } from '../interop/collect.js';
import { retryUntilPasses } from '../interop/retry.js';
import { bundle } from '../support/bundle.js';
import { isFull } from '../support/extent.js';

interface ProgramEvent {
  readonly event: 'listening' | 'failed' | 'error' | 'closed';
  readonly url?: string;
  readonly pid?: number;
  readonly isPrimary?: boolean;
  readonly code?: string;
}

let program: string;
beforeAll(() => {
  program = bundle('test/workers/program.ts');
});

const children: ChildProcess[] = [];
afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
});

/** Starts the program, and collects its events. */
function start(...args: string[]) {
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  const events: ProgramEvent[] = [];
  createInterface({ input: child.stdout }).on('line', line => events.push(JSON.parse(line)));
  const waitFor = async (isWanted: (event: ProgramEvent) => boolean) => {
    await retryUntilPasses(() => expect(events.find(isWanted)).toBeDefined());
    return events.find(isWanted) as ProgramEvent;
  };
  return { child, events, waitFor };
}

async function startListening(...args: string[]) {
  const started = start(...args);
  const { url = '' } = await started.waitFor(({ event, isPrimary }) => event === 'listening' && isPrimary === true);
  return { ...started, url };
}

/** Sends each request on a connection of its own, so that the next worker gets it. */
const fetchOnNewConnection: typeof fetch = async (input, init) =>
  fetch(input, { ...init, headers: { ...Object.fromEntries(new Headers(init?.headers)), connection: 'close' } });

const connectSpread = (url: string, handlers?: Parameters<typeof connect>[1]) =>
  connect({ url, fetch: fetchOnNewConnection }, handlers);

const isRunning = (pid: number) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

describe('a server with workers', () => {
  it('serves on one port in as many processes as there are workers, and closes them all', async () => {
    const { url, child, events, waitFor } = await startListening('3');
    await using client = await connectSpread(url);
    const pids = new Set<string>();
    for (let n = 0; n < 9; n += 1) pids.add(getText(await client.callTool('pid')));
    expect(pids.size).toBe(3);
    expect([...pids]).not.toContain(String(child.pid));
    child.kill('SIGTERM');
    const [code] = await once(child, 'exit');
    expect(code).toBe(0);
    await waitFor(({ event, pid }) => event === 'closed' && pid === child.pid);
    expect([...pids].filter(pid => isRunning(Number(pid)))).toEqual([]);
    expect(events.filter(({ event }) => event === 'error')).toEqual([]);
  });

  it('completes a call before its worker closes', async () => {
    const { url, child } = await startListening('2');
    await using client = await connect(url);
    const call = client.callTool('sleep', { ms: 500 });
    await client.callTool('pid');
    child.kill('SIGTERM');
    expect(getText(await call)).toMatch(/^\d+$/);
    await once(child, 'exit');
  });

  it.runIf(isFull)('replaces a worker that ends, and reports it', async () => {
    const { url, events } = await startListening('2');
    await using client = await connectSpread(url);
    await expect(client.callTool('crash')).rejects.toMatchObject({ code: 'call/outcome-unknown' });
    await retryUntilPasses(() => expect(events).toContainEqual({ event: 'error', code: 'serve/worker' }));
    await retryUntilPasses(() =>
      expect(events.filter(({ event, isPrimary }) => event === 'listening' && !isPrimary)).toHaveLength(3),
    );
    expect(getText(await client.callTool('pid'))).toMatch(/^\d+$/);
  });

  it('continues a call in its worker after the user has responded, whichever worker gets the response', async () => {
    const { url } = await startListening('2');
    await using client = await connectSpread(url, { elicit: () => ({ action: 'accept', content: { sure: true } }) });
    for (let n = 0; n < 4; n += 1) {
      const [action, first, last] = getText(await client.callTool('confirm')).split(' ');
      expect([action, last]).toEqual(['accept', first]);
    }
  });

  it('serves a session in all workers', async () => {
    const { url } = await startListening('2');
    await using client = await connectSpread(url, {
      protocolVersion: '2025-11-25',
      elicit: () => ({ action: 'accept', content: { sure: true } }),
    });
    const pids = new Set<string>();
    for (let n = 0; n < 6; n += 1) pids.add(getText(await client.callTool('pid')));
    expect(pids.size).toBe(2);
    expect(getText(await client.callTool('confirm'))).toMatch(/^accept /);
  });

  it.runIf(isFull)('shows a task of one worker to all of them', async () => {
    const { url } = await startListening('2');
    await using client = await connectSpread(url);
    const handle = await client.tasks.start('wait', { ms: 100 });
    for (let n = 0; n < 4; n += 1)
      expect((await client.tasks.get(handle.id as string)).status).toMatch(/working|completed/);
    expect(getText((await handle.result()) as never)).toMatch(/^\d+$/);
  });

  it.runIf(isFull)('passes the key of the workers to no process that they start', async () => {
    const { url } = await startListening('2');
    await using client = await connect(url);
    expect(getText(await client.callTool('environment'))).not.toContain('TENON_WORKER_KEY');
  });

  it.runIf(isFull)('serves the official client', async () => {
    const { url } = await startListening('2');
    const client = new Client({ name: 'official', version: '1' });
    await client.connect(new StreamableHTTPClientTransport(new URL(url)));
    const { content } = await client.callTool({ name: 'pid', arguments: {} });
    expect(content).toEqual([{ type: 'text', text: expect.stringMatching(/^\d+$/) }]);
    await client.close();
  });

  it.runIf(isFull)('ends its workers when the first process is killed', async () => {
    const { url, child } = await startListening('2');
    await using client = await connectSpread(url);
    const pids = [await client.callTool('pid'), await client.callTool('pid')].map(result => Number(getText(result)));
    child.kill('SIGKILL');
    await once(child, 'exit');
    await retryUntilPasses(() => expect(pids.filter(isRunning)).toEqual([]));
  });

  it.runIf(isFull)('fails as one process does when the port is taken, and leaves no worker', async () => {
    const { url } = await startListening('1');
    const { waitFor, child } = start('2', new URL(url).port);
    const failed = await waitFor(({ event, isPrimary }) => event === 'failed' && isPrimary === true);
    expect(failed.code).toBe('serve/port-taken');
    await retryUntilPasses(() => expect(child.exitCode).toBe(1));
  });

  it.runIf(isFull)('starts at most one worker for each processor by default, and none for one', async () => {
    const { events } = await startListening('auto');
    // Workers write through a pipe of their own, so their lines may arrive after that of the first process.
    await retryUntilPasses(() => {
      const workers = events.filter(({ event, isPrimary }) => event === 'listening' && !isPrimary);
      expect(workers).toHaveLength(availableParallelism() === 1 ? 0 : availableParallelism());
    });
    const alone = await startListening('1');
    expect(alone.events).toHaveLength(1);
  });

  it.each(['0', '1.5', '2000', 'x'])('refuses %s workers', async count => {
    const { waitFor } = start(count);
    expect((await waitFor(({ event }) => event === 'failed')).code).toBe('serve/options');
  });
});
