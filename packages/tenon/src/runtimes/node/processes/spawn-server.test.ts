import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TenonError } from '@tenon/base';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createNotification, createRequest } from '../../../jsonrpc/message.js';
import type { Transport } from '../../../jsonrpc/transport.js';
import { createStdioTransport, type StdioTransportOptions } from '../../../transports/stdio/client.js';
import { spawnServer } from './spawn-server.js';

const CHILD = fileURLToPath(new URL('../../../transports/stdio/fixtures/child.mjs', import.meta.url));
const opened: Transport[] = [];

interface Ready {
  method: 'ready';
  params: { pid: number; env?: Record<string, string> };
}

function start(mode: string, options: Partial<StdioTransportOptions> = {}) {
  const messages: unknown[] = [];
  const unreadable: TenonError[] = [];
  const lost: unknown[] = [];
  const closed: (TenonError | undefined)[] = [];
  const args = [CHILD, ...mode.split(' ')];
  const channel = createStdioTransport(
    { command: process.execPath, args, exitTimeout: 300, terminateTimeout: 300, ...options },
    spawnServer,
  );
  opened.push(channel);
  const receiver = {
    onMessage: (value: unknown) => void messages.push(value),
    onParseError: (error: TenonError) => void unreadable.push(error),
    onResponseLost: (id: unknown) => void lost.push(id),
    onClose: (error?: TenonError) => void closed.push(error),
  };
  const open = () => Promise.resolve(channel.open(receiver));
  const ready = async () => {
    const find = () => messages.find((message): message is Ready => (message as Ready).method === 'ready');
    await vi.waitFor(() => expect(find()).toBeDefined(), 20_000);
    return find()!.params;
  };
  return { channel, messages, unreadable, lost, closed, open, ready };
}

/** One that has ended but whom init has not noticed yet is not alive. */
function isAlive(pid: number): boolean {
  try {
    if (process.platform === 'linux') return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

const isGone = (pid: number) => vi.waitFor(() => expect(isAlive(pid)).toBe(false), 5000);

afterEach(async () => {
  await Promise.all(opened.splice(0).map(channel => channel.close()));
});

describe('a child process [stdio.client-spawns] [stdio.client-support]', () => {
  it('exchanges messages only, unchanged in both directions [stdio.stdin-only-messages]', async () => {
    const { channel, open, messages, closed } = start('echo');
    await open();
    const sent = Array.from({ length: 300 }, (_, id) =>
      createRequest(id, 'm', { text: '😀\n\r\u2028'.repeat(id * 10) }),
    );
    for (const message of sent) await channel.send(message);
    await vi.waitFor(() => expect(messages).toHaveLength(300), 10_000);
    expect(messages).toEqual(sent);
    await channel.close();
    expect(closed).toEqual([undefined]);
  });

  it('gets a clean environment', async () => {
    vi.stubEnv('AMBIENT_SECRET', 'hunter22');
    const { open, ready } = start('environment', { env: { ASKED_FOR: 'yes' } });
    await open();
    const { env } = await ready();
    vi.unstubAllEnvs();
    expect(env).toMatchObject({ ASKED_FOR: 'yes', PATH: process.env.PATH });
    expect(env).not.toHaveProperty('AMBIENT_SECRET');
  });

  it('may write lines that are no messages, which are reported and skipped', async () => {
    const { open, ready, unreadable, closed } = start('noisy');
    await open();
    await ready();
    expect(unreadable.map(error => error.code)).toEqual(['stdio/not-json', 'stdio/not-json']);
    expect(unreadable[0]?.message).toContain('“Server listening!”');
    expect(closed).toEqual([]);
  });

  it('may write a line of 100 MB, which is dropped and fails its call', async () => {
    const before = process.memoryUsage().rss;
    const { open, ready, unreadable, lost } = start('huge');
    await open();
    await ready();
    expect(unreadable.map(error => error.code)).toEqual(['stdio/line-too-long']);
    expect(lost).toEqual([1]);
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024);
  });

  it('makes a sender wait, and refuses messages beyond the limit', async () => {
    const { channel, open, ready } = start('asleep', { maxBufferedSize: 8 * 1024 * 1024 });
    await open();
    await ready();
    const text = 'x'.repeat(1024 * 1024);
    const sends = Array.from({ length: 20 }, () => Promise.resolve(channel.send(createNotification('n', { text }))));
    const outcomes = Promise.allSettled(sends.map(send => send));
    const first = await Promise.race([
      Promise.any(sends.slice(1, 7)).then(() => 'sent'),
      new Promise(r => setTimeout(r, 200, 'waits')),
    ]);
    expect(first).toBe('waits');
    await channel.close();
    const codes = (await outcomes).map(each =>
      each.status === 'rejected' ? (each.reason as TenonError).code : 'taken',
    );
    expect(new Set(codes)).toEqual(new Set(['stdio/write-failed', 'stdio/queue-full']));
  });
});

describe('a server that cannot be started', () => {
  it.each([
    [
      { command: 'no-such-program' },
      /ENOENT.*Got the command “no-such-program”, which was not found. Install the program, or pass its full path.*PATH of this process/s,
    ],
    [{ command: 'no-such-program --x', env: { PATH: '/secret/bin' } }, /PATH in `env`; pass arguments in `args`/],
    [{ command: './no/such' }, /Correct the path\.$/],
    [{ cwd: '/no/such' }, /Got the folder “\/no\/such”, which was not found. Correct `cwd`/],
    [{ command: CHILD }, /EACCES.*without permission to run it/s],
  ])('causes an error with the next step: %j', async (options, message) => {
    const { channel, open } = start('echo', { ...options, args: ['--token=hunter22'] });
    const error = await open().catch((thrown: TenonError) => thrown);
    expect(error).toMatchObject({ code: 'stdio/spawn', message: expect.stringMatching(message) });
    expect((error as TenonError).message).not.toMatch(/hunter22|secret/);
    await expect(channel.send(createNotification('n'))).rejects.toMatchObject({ code: 'connection/closed' });
  });
});

describe('takeProgress', () => {
  it('reports output of a child process once', async () => {
    const { channel, open, ready } = start('chatty');
    await open();
    await ready();
    expect(channel.takeProgress?.()).toBe(true);
    await vi.waitFor(() => expect(channel.takeProgress?.()).toBe(false), 20_000);
  });

  it.runIf(process.platform === 'linux')('reports use of the processor, also by its children', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tenon-busy-'));
    const path = join(folder, 'used');
    writeFileSync(path, '');
    const { channel, open } = start(`busy-wrapper ${path}`);
    await open();
    for (const _ of ['first', 'second']) {
      const { size } = statSync(path);
      await vi.waitFor(() => expect(statSync(path).size).toBeGreaterThan(size + 1));
      expect(channel.takeProgress?.()).toBe(true);
    }
    await channel.close();
    rmSync(folder, { recursive: true, maxRetries: 10 });
  });
});

describe('the end of a child process', () => {
  it('is reported with its last output when it was not requested', async () => {
    const { open, closed, ready } = start('crash', { env: { API_KEY: 'hunter22' } });
    await open();
    await vi.waitFor(() => expect(closed).toHaveLength(1), 5000);
    await ready();
    expect(closed[0]?.code).toBe('stdio/exited');
    expect(closed[0]?.message).toMatch(
      /exited with code 7: last lines of stderr:\n {2}Error: no database\n {2}.*key … refused/,
    );
    expect(closed[0]?.message).toMatch(/\nCorrect the problem that these lines describe\.$/);
  });

  it('is not assumed from text on stderr [stdio.stderr-not-an-error]', async () => {
    const lines: string[] = [];
    const { open, ready, closed, channel } = start('chatty', { stderr: line => void lines.push(line) });
    await open();
    await ready();
    await vi.waitFor(() => expect(lines).toEqual(['working…']));
    expect(closed).toEqual([]);
    await channel.close();
    expect(closed).toEqual([undefined]);
  });

  it.each(['deaf', 'stubborn'])('follows a signal when it is %s to the end of stdin', async mode => {
    const { open, ready, channel, closed } = start(mode);
    await open();
    const { pid } = await ready();
    await channel.close();
    await isGone(pid);
    expect(closed).toEqual([undefined]);
  });

  it.each(['wrapper deaf', 'wrapper stubborn'])('includes processes that it started: %s', async mode => {
    const { open, ready, channel } = start(mode);
    await open();
    const { pid } = await ready();
    await channel.close();
    await isGone(pid);
  });

  it('includes processes that it left behind', async () => {
    const { open, ready, closed } = start('deserter');
    await open();
    const { pid } = await ready();
    await vi.waitFor(() => expect(closed.map(error => error?.code)).toEqual(['stdio/exited']), 5000);
    await isGone(pid);
  });

  it('follows when it closes its stdout and keeps running', async () => {
    const { open, ready, closed } = start('mute');
    await open();
    const { pid } = await ready();
    await vi.waitFor(() => expect(closed.map(error => error?.code)).toEqual(['stdio/output-closed']), 5000);
    await isGone(pid);
  });

  it('follows the end of this process, even by process.exit', async () => {
    const script = `
      import { createStdioTransport } from ${JSON.stringify(fileURLToPath(new URL('../../../transports/stdio/client.ts', import.meta.url)))};
      import { spawnServer } from ${JSON.stringify(fileURLToPath(new URL('./spawn-server.ts', import.meta.url)))};
      const channel = createStdioTransport({ command: process.execPath, args: [${JSON.stringify(CHILD)}, 'wrapper', 'stubborn'] }, spawnServer);
      await channel.open({ onMessage: ({ params }) => { console.log(params.pid); process.exit(0) }, onParseError() {}, onResponseLost() {}, onClose() {} });`;
    const host = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let printed = '';
    host.stdout.on('data', chunk => {
      printed += chunk;
    });
    await new Promise(resolve => host.once('close', resolve));
    expect(Number(printed)).toBeGreaterThan(0);
    await isGone(Number(printed));
  });
});
