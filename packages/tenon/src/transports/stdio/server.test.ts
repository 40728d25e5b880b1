import type { Clock, TenonError } from '@tenon/base';
import { describe, expect, it } from 'vitest';
import { createSuccess } from '../../jsonrpc/message.js';
import type { MessageReceiver, Transport } from '../../jsonrpc/transport.js';
import type { ServerSession } from '../../protocol/request-handler.js';
import type { ByteReader } from './byte-streams.js';
import { serveLines } from './server.js';

function manualClock() {
  let now = 0;
  let timers: { at: number; run: () => void }[] = [];
  const clock: Clock = {
    now: () => now,
    elapsed: () => now,
    after(ms, run) {
      const timer = { at: now + ms, run };
      timers.push(timer);
      return () => {
        timers = timers.filter(each => each !== timer);
      };
    },
  };
  /** Lets time pass in steps, and what waits for it happen. */
  const advance = async (ms: number) => {
    for (const end = now + ms; now < end; ) {
      now += 10;
      const due = timers.filter(each => each.at <= now);
      timers = timers.filter(each => each.at > now);
      for (const { run } of due) run();
      await settle();
    }
  };
  return { clock, advance };
}

const settle = () => new Promise(resolve => setImmediate(resolve));

/** A server whose answers the test gives, on streams that the test moves. */
async function serve(options: { drainTimeout?: number; cancelTimeout?: number } = {}) {
  const { clock, advance } = manualClock();
  const seen = {
    received: [] as unknown[],
    unreadable: 0,
    ended: 0,
    closed: [] as (TenonError | undefined)[],
    paused: false,
    finished: false,
  };
  const written: string[] = [];
  const stuck: ((error?: unknown) => void)[] = [];
  const state = {
    reader: undefined as ByteReader | undefined,
    channel: undefined as Transport | undefined,
    reads: true,
    inFlight: 0,
    activeHandlers: 0,
  };
  const receiver: MessageReceiver = {
    onMessage: value => void seen.received.push(value),
    onParseError: () => void seen.unreadable++,
    onResponseLost() {},
    onClose: error => void seen.closed.push(error),
  };
  const service = {
    async connect(channel: Transport): Promise<ServerSession> {
      state.channel = channel;
      await channel.open(receiver);
      return {
        dialect: undefined,
        get inFlight() {
          return state.inFlight;
        },
        get activeHandlers() {
          return state.activeHandlers;
        },
        end: () => void seen.ended++,
      };
    },
  };
  const source = {
    read: (reader: ByteReader) => void Object.assign(state, { reader }),
    pause: () => void Object.assign(seen, { paused: true }),
    resume: () => void Object.assign(seen, { paused: false }),
  };
  const sink = {
    write(text: string, done: (error?: unknown) => void) {
      if (!state.reads) return void stuck.push(done);
      written.push(text);
      done();
    },
    end() {},
    schedule: (run: () => void) => void setImmediate(run),
  };
  const serving = await serveLines(service, source, sink, { clock, ...options });
  void serving.closed.then(() => {
    seen.finished = true;
  });
  const answer = (id: number, length = 1) => state.channel!.send(createSuccess(id, { text: 'x'.repeat(length) }));
  return { serving, seen, state, written, stuck, answer, advance, reader: state.reader! };
}

describe('a stdio server [stdio.streams] [stdio.server-exits-on-eof]', () => {
  it('receives the messages of the last bytes, and lets running calls finish', async () => {
    const { reader, seen, state, written, answer, advance } = await serve();
    state.inFlight = 1;
    reader.push(Buffer.from('{"id":1}\n{"id":2}'));
    reader.end();
    await advance(1000);
    expect(seen).toMatchObject({ received: [{ id: 1 }, { id: 2 }], ended: 0, closed: [], finished: false });
    state.inFlight = 0;
    void answer(1);
    await advance(100);
    expect(written.join('')).toContain('"id":1');
    expect(seen).toMatchObject({ ended: 1, closed: [undefined], finished: true });
  });

  it('waits for running calls no longer than the drain time [lifecycle.errors.shutdown-timeout]', async () => {
    const { reader, seen, state, advance } = await serve({ drainTimeout: 300 });
    state.inFlight = 1;
    reader.end();
    await advance(250);
    expect(seen.finished).toBe(false);
    await advance(100);
    expect(seen).toMatchObject({ ended: 1, finished: true });
  });

  it('cancels open calls after the drain time, and then waits until they have ended', async () => {
    const { reader, seen, state, advance } = await serve();
    state.inFlight = 1;
    state.activeHandlers = 1;
    reader.end();
    await advance(1400);
    expect(seen).toMatchObject({ ended: 0, finished: false });
    await advance(200);
    expect(seen).toMatchObject({ ended: 1, finished: false });
    state.activeHandlers = 0;
    await advance(20);
    expect(seen).toMatchObject({ ended: 1, finished: true });
  });

  it('ends within 5 s while a call ignores its cancellation and responses are not read', async () => {
    const { reader, seen, state, answer, advance } = await serve();
    state.inFlight = 1;
    state.activeHandlers = 1;
    state.reads = false;
    void answer(1);
    reader.end();
    await advance(3000);
    expect(seen.finished).toBe(false);
    await advance(400);
    expect(seen).toMatchObject({ ended: 1, finished: true });
  });

  it('ends at once when the client no longer reads', async () => {
    const { seen, state, answer, stuck, advance } = await serve();
    state.inFlight = 1;
    state.reads = false;
    void answer(1);
    await advance(20);
    for (const done of stuck) done(new Error('EPIPE'));
    await advance(50);
    expect(seen.finished).toBe(true);
    expect(seen.closed.map(error => error?.code)).toEqual(['stdio/write-failed']);
  });

  it('stops reading requests while earlier responses are not read', async () => {
    const { seen, state, answer, stuck, advance } = await serve();
    state.reads = false;
    const sent = answer(1, 3 * 1024 * 1024);
    expect(seen.paused).toBe(true);
    await advance(20);
    stuck[0]?.();
    await sent;
    expect(seen.paused).toBe(false);
  });

  it('closes once, also after several requests to close [lifecycle.shutdown.transport-close]', async () => {
    const { serving, seen, state, advance } = await serve();
    const closes = [serving.close(), serving.close(), state.channel!.close()];
    await advance(100);
    await Promise.all(closes);
    expect(seen).toMatchObject({ ended: 1, closed: [undefined], finished: true });
  });

  it('ends when the service closes its channel', async () => {
    const { seen, state, advance } = await serve();
    void state.channel!.close();
    await advance(100);
    expect(seen).toMatchObject({ ended: 1, closed: [undefined], finished: true });
  });
});

it('rejects a server whose `connect` returns no session', async () => {
  const source = { read: () => () => {} };
  for (const returned of [undefined, null, {}, 'open'])
    await expect(
      serveLines({ connect: async () => returned as never }, source as never, {} as never),
    ).rejects.toMatchObject({ code: 'serve/service', hint: expect.stringContaining('return the session') });
});
