import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { PassThrough } from 'node:stream';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { bundle } from '../../../../../../test/support/bundle.js';
import { createSuccess } from '../../../jsonrpc/message.js';
import type { Transport } from '../../../jsonrpc/transport.js';
import { serveStdio } from './stdio-server.js';

const SERVER = fileURLToPath(new URL('../../../transports/stdio/fixtures/server.mjs', import.meta.url));
const OPEN_CALLS = fileURLToPath(new URL('../../../transports/stdio/fixtures/open-calls.mjs', import.meta.url));
const started: ChildProcess[] = [];

function start(args: string[] = [], options: SpawnOptions = {}, program = SERVER) {
  return follow(spawn(process.execPath, [bundle(pathToFileURL(program)), ...args], { stdio: 'pipe', ...options }));
}

/** Reads what a server process writes, and writes requests to it. */
function follow(child: ChildProcess) {
  started.push(child);
  const seen = { err: '' };
  const received: ReturnType<typeof JSON.parse>[] = [];
  let rest = '';
  child.stdout!.setEncoding('utf8').on('data', (chunk: string) => {
    rest += chunk;
    if (!chunk.includes('\n')) return;
    const texts = rest.split('\n');
    rest = texts.pop() ?? '';
    for (const text of texts) received.push(JSON.parse(text));
  });
  child.stderr!.on('data', chunk => {
    seen.err += chunk;
  });
  child.stdin!.on('error', () => {});
  const exited = new Promise<[number | null, string | null]>(resolve => child.once('close', (...how) => resolve(how)));
  const lines = () => received;
  let ids = 0;
  const send = (method: string, params: object = {}) => {
    child.stdin!.write(`${JSON.stringify({ jsonrpc: '2.0', id: ++ids, method, params })}\n`);
    return ids;
  };
  const answer = async (id: number) => {
    const find = () => lines().find(line => line.id === id);
    await vi.waitFor(() => expect(find()).toBeDefined(), 20_000);
    return find().result;
  };
  return { child, seen, exited, lines, send, answer };
}

afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

describe('a server process [stdio.streams]', () => {
  it.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
    ['end of input', 0],
  ] as const)(
    'completes an open listen request at %s [subscriptions.graceful-close-result cancellation.server-listen-teardown]',
    async (ending, code) => {
      const { child, send, exited, lines } = start([], {}, OPEN_CALLS);
      const _meta = {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
      };
      const id = send('subscriptions/listen', { notifications: { toolsListChanged: true }, _meta });
      await vi.waitFor(() => expect(lines()).toHaveLength(1), 20_000);
      if (ending === 'end of input') child.stdin!.end();
      else child.kill(ending);
      expect(await exited).toEqual([code, null]);
      const result = { resultType: 'complete', _meta: { 'io.modelcontextprotocol/subscriptionId': id } };
      expect(lines().slice(1)).toMatchObject([
        { id, result },
        { method: 'notifications/cancelled', params: { requestId: id } },
      ]);
    },
  );

  it('responds, and exits when stdin ends [stdio.server-exits-on-eof]', async () => {
    const { child, send, answer, exited, seen } = start();
    expect(await answer(send('echo', { text: '😀' }))).toMatchObject({ text: '😀' });
    child.stdin!.end();
    expect(await exited).toEqual([0, null]);
    expect(seen.err).toBe('conversation ended\nclosed as asked\ncleaned up\nclosed\n');
  });

  it('responds to pending requests before it exits, also slow and large ones', async () => {
    const { child, send, exited, lines } = start();
    for (const [method, params] of [
      ['sleep', { ms: 300 }],
      ['unref', { ms: 500 }],
      ['large', { length: 3e6 }],
    ] as const)
      send(method, params);
    child.stdin!.end();
    expect(await exited).toEqual([0, null]);
    expect(lines().map(line => line.id)).toEqual([3, 1, 2]);
  });

  it('waits for them no longer than its timeout', async () => {
    const { child, send, answer, exited, lines } = start(['plain', '200']);
    await answer(send('echo'));
    send('sleep', { ms: 60_000 });
    child.stdin!.end();
    expect(await exited).toEqual([0, null]);
    expect(lines()).toHaveLength(1);
  });

  it.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const)('completes its calls at %s, and exits at the second', async (signal, code) => {
    const patient = start();
    await patient.answer(patient.send('echo'));
    const last = patient.send('sleep', { ms: 300 });
    await patient.answer(patient.send('echo'));
    patient.child.kill(signal);
    expect(await patient.exited).toEqual([code, null]);
    expect(patient.lines().map(line => line.id)).toContain(last);

    const hurried = start(['plain', '20000']);
    hurried.send('sleep', { ms: 60_000 });
    await hurried.answer(hurried.send('echo'));
    // A busy machine may deliver two signals as one, so they are repeated. Its work would take a minute.
    const signals = setInterval(() => hurried.child.kill(signal), 100);
    expect(await hurried.exited).toEqual([code, null]);
    clearInterval(signals);
  });

  it('exits when no client reads its responses any more', async () => {
    const { child, send, answer, exited, seen } = start();
    await answer(send('echo'));
    child.stdout!.destroy();
    send('large', { length: 1e6 });
    expect(await exited).toEqual([0, null]);
    expect(seen.err).toContain('closed stdio/write-failed');
  });

  it('exits when its parent is killed, or disconnects by IPC', async () => {
    const script = `
      const { spawn } = require('node:child_process');
      const child = spawn(process.execPath, [${JSON.stringify(bundle(pathToFileURL(SERVER)))}], { stdio: ['pipe', 'pipe', 'inherit'] });
      child.stdout.once('data', () => console.log(child.pid));
      child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"echo","params":{}}\\n');`;
    const parent = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'pipe'] });
    started.push(parent);
    let err = '';
    parent.stderr.on('data', chunk => {
      err += chunk;
    });
    await new Promise(resolve => parent.stdout.once('data', resolve));
    parent.kill('SIGKILL');
    await vi.waitFor(() => expect(err).toContain('closed as asked'), 10_000);

    const forked = start(['parent'], { stdio: ['pipe', 'pipe', 'pipe', 'ipc'] });
    await new Promise(resolve => forked.child.once('message', resolve));
    const exited = new Promise(resolve => forked.child.once('exit', resolve));
    forked.child.disconnect();
    expect(await exited).toBe(0);
  });

  it('survives unreadable input, in bounded memory', async () => {
    const { child, send, answer, lines } = start();
    const before = (await answer(send('memory'))).rss;
    child.stdin!.write('not json\n');
    const piece = Buffer.alloc(1024 * 1024, 'x');
    for (let sent = 0; sent < 100; sent++) {
      if (!child.stdin!.write(piece)) await new Promise(resolve => child.stdin!.once('drain', resolve));
    }
    child.stdin!.write(`\n${'['.repeat(10_000)}${']'.repeat(10_000)}\n`);
    const after = (await answer(send('memory'))).rss;
    expect(lines().flatMap(({ error }) => (error ? [[error.code, error.message]] : []))).toEqual([
      [-32700, 'stdio/not-json'],
      [-32700, 'stdio/line-too-long'],
      [-32600, 'stdio/too-deep'],
    ]);
    expect(after - before).toBeLessThan(100 * 1024 * 1024);
  });

  it('stops reading requests while its responses are not read, and continues after', async () => {
    const { child, send, answer, lines } = start();
    await answer(send('memory'));
    child.stdout!.pause();
    for (let count = 0; count < 40; count++) send('large', { length: 1e6 });
    const padding = 'x'.repeat(1000);
    for (let count = 0; count < 2000; count++) send('echo', { padding });
    await new Promise(resolve => setTimeout(resolve, 1000));
    expect(child.stdin!.writableLength).toBeGreaterThan(0);
    child.stdout!.resume();
    const { rss } = await answer(send('memory'));
    expect(lines()).toHaveLength(2042);
    expect(rss).toBeLessThan(400 * 1024 * 1024);
  });
});

describe('stdout [stdio.stdout-only-messages]', () => {
  it('carries messages only: other output goes to stderr, with one note for each place', async () => {
    // The sources as they are, because the places are in them.
    const { send, answer, lines, seen } = follow(spawn(process.execPath, ['--import', 'tsx', SERVER, 'stray']));
    await answer(send('stray'));
    await answer(send('stray'));
    expect(lines()).toHaveLength(2);
    expect(seen.err).toContain('starting up\n');
    expect(seen.err.match(/left over/g)).toHaveLength(6);
    expect(seen.err.match(/^raw$/gm)).toHaveLength(2);
    expect(seen.err.match(/^descriptor$/gm)).toHaveLength(2);
    const places = [...seen.err.matchAll(/^tenon: stdout .* from (.*)$/gm)].map(found => found[1]);
    expect(places).toHaveLength(4);
    expect(new Set(places).size).toBe(4);
    expect(places.every(place => /fixtures\/server\.mjs:\d+:\d+$/.test(place!))).toBe(true);
  });

  it('carries no error of the program that ends it', async () => {
    const { send, exited, lines, seen } = start();
    send('reject');
    const [code] = await exited;
    expect(code).toBe(1);
    expect(lines().every(line => line.jsonrpc === '2.0')).toBe(true);
    expect(seen.err).toContain('from user code');
  });

  it('is served once at a time, and released', async () => {
    const channels: Transport[] = [];
    const service = {
      async connect(channel: Transport) {
        channels.push(channel);
        await channel.open({ onMessage() {}, onParseError() {}, onResponseLost() {}, onClose() {} });
        return { dialect: undefined, inFlight: 0, end() {} };
      },
    };
    const options = () => ({ exit: false, input: new PassThrough(), onStdoutWrite: () => {} });
    const serving = await serveStdio(service, options());
    await expect(serveStdio(service, options())).rejects.toMatchObject({ code: 'stdio/in-use' });
    await serving.close();
    await (await serveStdio(service, options())).close();

    const output = new PassThrough();
    const input = new PassThrough();
    const embedded = await serveStdio(service, { exit: false, input, output });
    await channels.at(-1)!.send(createSuccess(1, {}));
    await vi.waitFor(() => expect(String(output.read())).toBe('{"jsonrpc":"2.0","id":1,"result":{}}\n'));
    input.end();
    await embedded.closed;
  });
});
