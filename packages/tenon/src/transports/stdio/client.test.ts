import type { TenonError } from '@tenon/base';
import { describe, expect, it, vi } from 'vitest';
import { createNotification } from '../../jsonrpc/message.js';
import type { ByteReader } from './byte-streams.js';
import { createStdioTransport, type StdioTransportOptions } from './client.js';
import type { ProcessExit, ServerProcess } from './server-process-types.js';

/** A process that reacts as the test says, on a clock that runs by itself as fast as it can. */
function fake(
  reacts: { stdinEnd?: boolean; terminate?: boolean; leavesOrphan?: boolean } = {},
  options: Partial<StdioTransportOptions> = {},
) {
  const log: string[] = [];
  const state = { running: true, orphan: reacts.leavesOrphan ?? false, now: 0, holds: 0, releases: 0 };
  const readers = {} as { output: ByteReader; errors: ByteReader };
  let exit = (_: ProcessExit) => {};
  const exited = new Promise<ProcessExit>(resolve => {
    exit = how => {
      state.running = false;
      resolve(how);
    };
  });
  const clock = {
    now: () => state.now,
    elapsed: () => state.now,
    after(ms: number, run: () => void) {
      setImmediate(() => {
        state.now += ms;
        run();
      });
      return () => {};
    },
  };
  const child: ServerProcess = {
    input: {
      write: (_, done) => done(),
      end() {
        log.push('stdin ended');
        if (reacts.stdinEnd) exit({ code: 0, signal: null });
      },
      schedule: run => void setImmediate(run),
    },
    output: { read: reader => void Object.assign(readers, { output: reader }), pause() {}, resume() {} },
    errors: { read: reader => void Object.assign(readers, { errors: reader }) },
    exited,
    isRunning: () => state.running,
    keepAlive() {
      state.holds++;
      return () => void state.releases++;
    },
    isTreeRunning: () => state.running || state.orphan,
    getProcessorTime: () => undefined,
    terminate() {
      log.push(`terminated after ${Math.round(state.now / 100) * 100}`);
      if (reacts.terminate) {
        state.orphan = false;
        if (state.running) exit({ code: null, signal: 'SIGTERM' });
      }
    },
    kill() {
      log.push(`killed after ${Math.round(state.now / 100) * 100}`);
      state.orphan = false;
      if (state.running) exit({ code: null, signal: 'SIGKILL' });
    },
  };
  const closed: (TenonError | undefined)[] = [];
  const receiver = {
    onMessage: vi.fn(),
    onParseError: vi.fn(),
    onResponseLost: vi.fn(),
    onClose: (error?: TenonError) => void closed.push(error),
  };
  const channel = createStdioTransport(
    { command: 'node', args: ['x.js', '--token=hunter22'], clock, ...options },
    async () => child,
  );
  return { channel, receiver, closed, log, readers, exit, state, open: () => channel.open(receiver) };
}

describe('close() of a stdio client', () => {
  it('closes stdin and waits for the exit [lifecycle.shutdown.stdio-close-stdin]', async () => {
    const { open, channel, log, closed } = fake({ stdinEnd: true });
    await open();
    await Promise.all([channel.close(), channel.close()]);
    expect(log).toEqual(['stdin ended']);
    expect(closed).toEqual([undefined]);
  });

  it('sends SIGTERM, then SIGKILL [lifecycle.shutdown.stdio-sigterm] [lifecycle.shutdown.stdio-sigkill]', async () => {
    const polite = fake({ terminate: true });
    await polite.open();
    await polite.channel.close();
    expect(polite.log).toEqual(['stdin ended', 'terminated after 2000']);
    const stubborn = fake({}, { exitTimeout: 300, terminateTimeout: 500 });
    await stubborn.open();
    await stubborn.channel.close();
    expect(stubborn.log).toEqual(['stdin ended', 'terminated after 300', 'killed after 800']);
    expect(stubborn.closed).toEqual([undefined]);
  });

  it('ends processes that an exited wrapper started', async () => {
    const { open, channel, log, state } = fake({ stdinEnd: true, terminate: true, leavesOrphan: true });
    await open();
    await channel.close();
    expect(state).toMatchObject({ holds: 1, releases: 1 });
    expect(log).toEqual(['stdin ended', 'terminated after 2000']);
  });

  it('prevents further messages in both directions', async () => {
    const { open, channel, readers, receiver } = fake({ stdinEnd: true });
    await open();
    const closing = channel.close();
    readers.output.push(Buffer.from('{"id":1}\n'));
    await expect(channel.send(createNotification('n'))).rejects.toMatchObject({ code: 'connection/closed' });
    await closing;
    expect(receiver.onMessage).not.toHaveBeenCalled();
  });
});

describe('a server process that prints its environment', () => {
  const env = { KEY: 'hunter23' };
  const wrongLines = [
    'the key is hunter23',
    `${'x'.repeat(76)} hunter23`,
    `{"a":"hunter23${'x'.repeat(300)}"}`,
    `${'x'.repeat(55)} hunter23 ${'x'.repeat(300)}`,
    `{"a":"hunter23","b":${'['.repeat(60)}${']'.repeat(60)}}`,
  ];

  it.each(wrongLines)('is reported without the values of `env`: %s', async line => {
    const { open, readers, receiver } = fake({}, { env, maxLineBytes: 300, maxJsonDepth: 50 });
    await open();
    readers.output.push(Buffer.from(`${line}\n`));
    const [error] = receiver.onParseError.mock.calls[0] ?? [];
    expect(error).toMatchObject({ code: expect.stringMatching(/^stdio\//), received: expect.any(String) });
    expect(error.message).not.toContain('hunt');
  });

  it('sends errors without the values of `env`, and results unchanged', async () => {
    const { open, readers, receiver } = fake({}, { env });
    await open();
    const result = { jsonrpc: '2.0', id: 1, result: { key: 'hunter23' } };
    const failure = {
      jsonrpc: '2.0',
      id: 2,
      error: { code: -32603, message: 'no account for hunter23', data: { a: 1 } },
    };
    for (const message of [result, failure]) readers.output.push(Buffer.from(`${JSON.stringify(message)}\n`));
    expect(receiver.onMessage.mock.calls).toEqual([
      [result],
      [{ ...failure, error: { ...failure.error, message: 'no account for …' } }],
    ]);
  });
});

describe('a server process that exits by itself [lifecycle.shutdown.stdio-server-initiated]', () => {
  it('causes an error with its exit code and last stderr lines, without secrets', async () => {
    const { open, closed, readers, exit } = fake({}, { env: { KEY: 'hunter23' } });
    await open();
    readers.errors.push(Buffer.from('no config for hunter23\nbye'));
    exit({ code: 7, signal: null });
    readers.output.end();
    await vi.waitFor(() => expect(closed).toHaveLength(1));
    expect(closed[0]).toMatchObject({ code: 'stdio/exited', summary: expect.stringContaining('exited with code 7') });
    expect(closed[0]?.message).toContain('no config for …\n  bye');
    expect(closed[0]?.message).toContain('stdio: node x.js --token=…');
    expect(closed[0]?.message).not.toContain('hunter');
  });

  it('closes the connection after its output was read to the end', async () => {
    const { open, closed, readers, receiver, exit } = fake();
    await open();
    exit({ code: 0, signal: null });
    await Promise.resolve();
    readers.output.push(Buffer.from('{"id":1}\n'));
    readers.output.end();
    await vi.waitFor(() => expect(closed).toHaveLength(1));
    expect(receiver.onMessage).toHaveBeenCalledWith({ id: 1 });
  });

  it('is stopped when it only closes its stdout', async () => {
    const { open, closed, log, readers } = fake({ terminate: true });
    await open();
    readers.output.end();
    await vi.waitFor(() => expect(log).toHaveLength(2));
    expect(closed.map(error => error?.code)).toEqual(['stdio/output-closed']);
  });
});

it('passes each line of stderr to a function, and survives its exceptions [stdio.stderr-not-an-error]', async () => {
  const lines: string[] = [];
  const { open, readers, closed } = fake(
    {},
    {
      stderr: line => {
        lines.push(line);
        throw new Error('listener');
      },
    },
  );
  await open();
  readers.errors.push(Buffer.from('one\ntwo\n'));
  expect(lines).toEqual(['one', 'two']);
  expect(closed).toEqual([]);
});
