import { createServer, createTransportPair, tool } from 'tenon';
import { describe, expect, it } from 'vitest';
import { connectPair, protocolVersions } from './connect-pair.js';
import { fakeClock } from './fake-clock.js';
import { delay, drop, duplicate, type FaultSchedule, replaceWith, withFaults } from './faults.js';

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

describe('withFaults', () => {
  const start = (send: FaultSchedule, receive: FaultSchedule = () => undefined) => {
    const pair = createTransportPair();
    const clock = fakeClock();
    const [local, remote]: [unknown[], unknown[]] = [[], []];
    const hear = (log: unknown[]) => ({
      onMessage: (value: unknown) => log.push((value as { method?: string }).method ?? value),
      onParseError() {},
      onResponseLost() {},
      onClose: () => log.push('closed'),
    });
    const channel = withFaults(pair.client, { send, receive, clock });
    pair.server.open(hear(remote));
    channel.open(hear(local));
    return { channel, server: pair.server, clock, local, remote };
  };
  const note = (method: string) => ({ jsonrpc: '2.0' as const, method });

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
