import { createServer, createTransportPair, type TenonError, tool } from 'tenon';
import { describe, expect, it } from 'vitest';
import { connectPair, protocolVersions } from './connect-pair.js';
import { fakeClock } from './fake-clock.js';
import {
  cut,
  delay,
  drop,
  duplicate,
  type FaultSchedule,
  type InjectedFault,
  malformed,
  replaceWith,
  withFaults,
} from './faults.js';

const soon = () => new Promise(resolve => setImmediate(resolve));

describe('a fake clock', () => {
  it('runs due timers, in order, at their time', () => {
    const clock = fakeClock(100);
    const ran: unknown[] = [];
    const at = (name: string) => () => ran.push([name, clock.now()]);
    clock.after(20, at('b'));
    clock.after(10, () => {
      at('a')();
      clock.after(5, at('nested'));
    });
    const off = clock.after(15, at('off'));
    clock.after(-5, at('now'));
    off();
    off();
    clock.advance(20);
    expect(ran).toEqual([
      ['now', 100],
      ['a', 110],
      ['nested', 115],
      ['b', 120],
    ]);
    expect([clock.now(), clock.timers]).toEqual([120, 0]);
  });
});

const start = (send: FaultSchedule, receive: FaultSchedule = () => undefined) => {
  const pair = createTransportPair();
  const faults: InjectedFault[] = [];
  const clock = fakeClock();
  const [local, remote]: [unknown[], unknown[]] = [[], []];
  const hear = (log: unknown[]) => ({
    onMessage: (value: unknown) => log.push((value as { method?: string }).method ?? value),
    onParseError() {},
    onResponseLost() {},
    onClose: (error?: TenonError) => log.push(error?.code ?? 'closed'),
  });
  const channel = withFaults(pair.client, { send, receive, clock, onFault: fault => faults.push(fault) });
  pair.server.open(hear(remote));
  channel.open(hear(local));
  return { channel, server: pair.server, clock, local, remote, faults };
};
const note = (method: string) => ({ jsonrpc: '2.0' as const, method });

describe('withFaults', () => {
  it('drops, repeats, delays and corrupts messages as planned, and no others', async () => {
    const plans = [undefined, drop, duplicate, delay(50), replaceWith('?'), undefined];
    const { channel, clock, remote, local } = start((_, index) => plans[index]);
    for (const each of 'abcdef') await channel.send(note(each));
    await soon();
    expect(remote).toEqual(['a', 'c', 'c', '?', 'f']);
    clock.advance(50);
    await soon();
    expect(remote.at(-1)).toBe('d');
    await channel.close();
    await soon();
    expect([local, remote.at(-1)]).toEqual([['closed'], 'closed']);
  });

  it('reports a delayed request that cannot be sent any more as lost', async () => {
    const clock = fakeClock(0);
    const lost: unknown[] = [];
    const pair = createTransportPair();
    const delayed = withFaults(
      {
        ...pair.client,
        open: receiver => pair.client.open(receiver),
        send: () => Promise.reject(new Error('closed')),
        close: () => pair.client.close(),
      },
      { send: () => delay(50), clock },
    );
    await delayed.open({
      onMessage: () => {},
      onParseError: () => {},
      onResponseLost: (id, error) => lost.push([id, error.message]),
      onClose: () => {},
    });
    await delayed.send({ jsonrpc: '2.0', id: 7, method: 'ping' });
    clock.advance(50);
    await soon();
    expect(lost).toEqual([[7, expect.stringContaining('closed')]]);
    await delayed.close();
  });

  it('applies to received messages too', async () => {
    const { server, local } = start(
      () => undefined,
      (_, index) => (index === 0 ? duplicate : undefined),
    );
    server.send(note('a'));
    server.send(note('b'));
    await soon();
    expect(local).toEqual(['a', 'a', 'b']);
  });

  it('makes messages malformed, and keeps their ids', async () => {
    const { channel, server, local, faults } = start(
      () => malformed,
      () => malformed,
    );
    await channel.send({ jsonrpc: '2.0', id: 1, method: 'ping' });
    server.send({ jsonrpc: '2.0', id: 1, result: { ok: true } });
    await soon();
    expect(faults[0]?.replacement).toEqual({ jsonrpc: '2.0', id: 1, method: 'ping', params: 'malformed' });
    expect(local).toEqual([
      { jsonrpc: '2.0', id: 1, result: { ok: true }, error: { code: -32603, message: 'Internal error' } },
    ]);
  });

  it('reports each fault with the message before it', async () => {
    const { channel, faults } = start((_, index) => [drop, undefined, replaceWith('?')][index]);
    for (const each of 'abc') await channel.send(note(each));
    expect(faults).toEqual([
      { direction: 'send', fault: drop, message: note('a') },
      { direction: 'send', fault: replaceWith('?'), message: note('c'), replacement: '?' },
    ]);
  });

  it('closes a connection that is cut, and loses the message and all later ones', async () => {
    const { server, local, remote } = start(
      () => undefined,
      (_, index) => (index === 1 ? cut : undefined),
    );
    for (const each of 'abc') server.send(note(each));
    await soon();
    expect(local).toEqual(['a', 'connection/closed']);
    expect(remote).toEqual(['closed']);
  });

  it('rejects a message that is cut while it is sent', async () => {
    const { channel, local, remote } = start(() => cut);
    await expect(channel.send(note('a'))).rejects.toMatchObject({ code: 'connection/closed' });
    await soon();
    expect(local).toEqual(['connection/closed']);
    expect(remote).toEqual(['closed']);
  });
});

describe('connectPair', () => {
  const server = createServer({
    name: 's',
    version: '1',
    tools: { t: tool({ run: (_, ctx) => ctx.protocolVersion }) },
  });

  it.each(protocolVersions)(
    'uses %s [lifecycle.version.client-sends-supported lifecycle.operation.respect-version base.core-always-supported base.core-layers-mandatory]',
    async protocolVersion => {
      const seen: string[] = [];
      const client = await connectPair(server, { protocolVersion, onMessage: from => seen.push(from) });
      expect(client.server.protocolVersion).toBe(protocolVersion);
      expect(await client.tools.t()).toMatchObject({ content: [{ text: protocolVersion }] });
      expect(new Set(seen)).toEqual(new Set(['client', 'server']));
      await client.close();
    },
  );

  it('works with a transport that fails', async () => {
    const clock = fakeClock();
    const wrapTransport = (channel: Parameters<typeof withFaults>[0]) =>
      withFaults(channel, {
        send: message => ((message as { method?: string }).method === 'tools/call' ? drop : undefined),
      });
    const client = await connectPair(server, { clock, wrapTransport, validate: 'off' });
    const call = client.callTool('t').catch(error => error.code);
    await soon();
    clock.advance(60_000);
    expect(await call).toBe('call/timeout');
    await client.close();
  });
});
