import type { JsonObject } from '@tenon/base';
import { fakeClock } from '@tenon/testing';
import { describe, expect, it } from 'vitest';
import { createTransportPair } from '../../transports/memory.js';
import { connectTo } from '../connect.js';
import { memoryVersionCache } from './version-cache.js';

const soon = () => new Promise(resolve => setImmediate(resolve));
const DISCOVERED = {
  resultType: 'complete',
  supportedVersions: ['2026-07-28', '2025-11-25'],
  capabilities: {},
  ttlMs: 0,
  cacheScope: 'private',
};
const INITIALIZED = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'slow', version: '1' } };

/** Connects to a process that a test controls. */
function start(setup: { probeTimeout?: number; versionCache?: ReturnType<typeof memoryVersionCache> } = {}) {
  const clock = fakeClock();
  const pair = createTransportPair();
  const received: JsonObject[] = [];
  let write = (): void => {};
  const firstOutput = new Promise<void>(resolve => {
    write = resolve;
  });
  pair.server.open({
    onMessage: value => void received.push(value as JsonObject),
    onParseError() {},
    onResponseLost() {},
    onClose() {},
  });
  const open = () => Object.assign(pair.client, { firstOutput });
  const { versionCache = memoryVersionCache({ clock }) } = setup;
  const connecting = connectTo({ kind: 'stdio', key: 'slow', open }, { clock, ...setup, versionCache });
  const find = (method: string) => received.find(message => message.method === method);
  return {
    clock,
    connecting,
    versionCache,
    methods: () => received.map(({ method }) => method),
    write: async () => {
      write();
      await soon();
    },
    advance: async (ms: number) => {
      clock.advance(ms);
      await soon();
    },
    answer: (method: string, result: JsonObject) =>
      void pair.server.send({ jsonrpc: '2.0', id: find(method)?.id as number, result }),
  };
}

describe('the probe of a process', () => {
  it('counts its time from the first byte that the process writes', async () => {
    const slow = start();
    await slow.advance(5_000);
    await slow.write();
    await slow.advance(1_999);
    expect(slow.methods()).toEqual(['server/discover']);
    slow.answer('server/discover', DISCOVERED);
    const client = await slow.connecting;
    expect(client.server.protocolVersion).toBe('2026-07-28');
    await client.close();
  });

  it('sends the handshake two seconds after the first byte [compat.stdio-probe-other-error]', async () => {
    const old = start();
    await old.write();
    await old.advance(2_000);
    old.answer('initialize', INITIALIZED);
    await (await old.connecting).close();
    expect(old.methods()).toEqual(['server/discover', 'initialize', 'notifications/initialized']);
  });

  it.each([
    [undefined, 6_000],
    [500, 1_500],
  ])('sends the handshake to a silent process after three times probeTimeout %s', async (probeTimeout, limit) => {
    const silent = start(probeTimeout === undefined ? {} : { probeTimeout });
    await soon();
    await silent.advance(limit - 1);
    expect(silent.methods()).toEqual(['server/discover']);
    await silent.advance(1);
    silent.answer('initialize', INITIALIZED);
    await (await silent.connecting).close();
    expect(silent.methods()).toContain('initialize');
  });

  it.each([
    ['silent', 'before', 6_000],
    ['silent', 'after', 6_000],
    ['slow after its first byte', 'before', 2_000],
    ['slow after its first byte', 'after', 2_000],
  ])(
    'uses the newest version with a process that is %s, and responds to the probe %s the handshake',
    async (kind, order, time) => {
      const slow = start();
      await soon();
      if (kind !== 'silent') await slow.write();
      await slow.advance(time);
      expect(slow.methods()).toEqual(['server/discover', 'initialize']);
      await slow.advance(2_000);
      if (kind === 'silent') await slow.write();
      if (order === 'before') slow.answer('server/discover', DISCOVERED);
      slow.answer('initialize', INITIALIZED);
      await soon();
      if (order === 'after') slow.answer('server/discover', DISCOVERED);
      const client = await slow.connecting;
      expect(client.server.protocolVersion).toBe('2026-07-28');
      expect(slow.methods()).not.toContain('notifications/initialized');
      expect(slow.versionCache.get('slow')).toBe('2026-07-28');
      await client.close();
    },
  );

  it('uses an earlier version with a process that starts slowly and does not respond to the probe', async () => {
    const slow = start();
    await soon();
    await slow.advance(6_000);
    await slow.write();
    await slow.advance(1_000);
    slow.answer('initialize', INITIALIZED);
    await soon();
    expect(slow.methods()).not.toContain('notifications/initialized');
    await slow.advance(2_000);
    const client = await slow.connecting;
    expect(client.server.protocolVersion).toBe('2025-11-25');
    await client.close();
  });

  it('remembers a response that arrives after the handshake, and waits longer for the next process', async () => {
    const first = start();
    await soon();
    await first.advance(6_000);
    first.answer('initialize', INITIALIZED);
    const client = await first.connecting;
    expect(client.server.protocolVersion).toBe('2025-11-25');
    first.answer('server/discover', DISCOVERED);
    await soon();
    await client.close();

    const { versionCache } = first;
    expect(versionCache.get('slow')).toBe('2026-07-28');
    const second = start({ versionCache });
    await soon();
    await second.write();
    await second.advance(15_000);
    second.answer('server/discover', DISCOVERED);
    const next = await second.connecting;
    expect(next.server.protocolVersion).toBe('2026-07-28');
    await next.close();
  });

  it('sends the handshake to a known server that has become silent', async () => {
    const versionCache = memoryVersionCache();
    void versionCache.set('slow', '2026-07-28');
    const silent = start({ versionCache });
    await soon();
    await silent.advance(20_000);
    silent.answer('initialize', INITIALIZED);
    await (await silent.connecting).close();
    expect(versionCache.get('slow')).toBe('2025-11-25');
  });

  it('reports only a second response to the probe as unknown', async () => {
    const slow = start();
    await soon();
    await slow.advance(6_000);
    slow.answer('initialize', INITIALIZED);
    const client = await slow.connecting;
    const errors: string[] = [];
    client.on('error', ({ code }) => void errors.push(code));
    slow.answer('server/discover', DISCOVERED);
    await soon();
    expect(errors).toEqual([]);
    slow.answer('server/discover', DISCOVERED);
    await soon();
    expect(errors).toEqual(['peer/unknown-response']);
    await client.close();
  });
});
