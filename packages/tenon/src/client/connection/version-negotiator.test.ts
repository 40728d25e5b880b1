import type { JsonObject } from '@tenon/base';
import { connectPair, fakeClock } from '@tenon/testing';
import { describe, expect, it } from 'vitest';
import type { Transport } from '../../jsonrpc/transport.js';
import { wrapTransport } from '../../jsonrpc/wrap-transport.js';
import { createServer } from '../../server/server.js';
import { createTransportPair } from '../../transports/memory.js';
import { connectTo } from '../connect.js';
import type { ClientOptions } from '../options.js';
import { createTransportEndpoint } from './endpoint.js';
import { memoryVersionCache } from './version-cache.js';

const v = { jsonrpc: '2.0' };
const soon = () => new Promise(resolve => setImmediate(resolve));
const initialized = (id: unknown, protocolVersion: string) => ({
  ...v,
  id,
  result: { protocolVersion, capabilities: {}, serverInfo: { name: 'odd', version: '1' } },
});

/** Connects to a server that answers as the script says, on a new road each time. */
function start(
  script: (message: JsonObject, hangUp: () => void) => object | undefined,
  options: ClientOptions = {},
  key?: string,
) {
  const messages: JsonObject[] = [];
  let connectionCount = 0;
  const open = () => {
    connectionCount++;
    const pair = createTransportPair();
    const onMessage = (value: unknown) => {
      messages.push(value as JsonObject);
      const answer = script(value as JsonObject, () => pair.server.close());
      if (answer) pair.server.send(answer as never);
    };
    pair.server.open({ onMessage, onParseError() {}, onResponseLost() {}, onClose() {} });
    return pair.client;
  };
  const endpoint = key === undefined ? createTransportEndpoint(open) : { kind: 'stdio' as const, key, open };
  return {
    messages,
    methods: () => messages.map(({ method }) => method),
    countConnections: () => connectionCount,
    connecting: connectTo(endpoint, options),
  };
}

const byHandshake =
  (refusal: object | undefined = { code: -32601, message: 'no' }, version = '2025-11-25') =>
  ({ id, method }: JsonObject) => {
    if (method === 'initialize') return initialized(id, version);
    return refusal && id !== undefined ? { ...v, id, error: refusal } : undefined;
  };

describe('connect', () => {
  it('probes the server, and opens the connection accordingly [compat.stdio-probe-discover-result base.removed-notifications-not-sent meta.params-required meta.protocol-version-required]', async () => {
    const { methods, messages, connecting } = start(({ id }) => ({
      ...v,
      id,
      result: {
        resultType: 'complete',
        supportedVersions: ['2026-07-28'],
        capabilities: {},
        ttlMs: 0,
        cacheScope: 'private',
      },
    }));
    const client = await connecting;
    expect(methods()).toEqual(['server/discover']);
    expect(messages[0]?.params).toMatchObject({
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    });
    expect(client.server.protocolVersion).toBe('2026-07-28');
    await client.close();
  });

  it.each([-32601, -32602, -32600, -32000, 7])(
    'falls back to a handshake on the same transport after error %i [compat.stdio-probe-other-error compat.stdio-probe-not-one-code lifecycle.initialized-notification lifecycle.initialize.client-content]',
    async code => {
      const { methods, messages, connecting, countConnections } = start(byHandshake({ code, message: 'no' }));
      const client = await connecting;
      expect(methods()).toEqual(['server/discover', 'initialize', 'notifications/initialized']);
      expect(messages[1]?.params).toMatchObject({
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 'tenon', version: expect.any(String) },
      });
      expect([countConnections(), client.server.protocolVersion]).toEqual([1, '2025-11-25']);
      await client.close();
    },
  );

  it('falls back to a handshake when the server does not respond [compat.stdio-probe-other-error]', async () => {
    const clock = fakeClock();
    const { connecting, methods } = start(byHandshake(undefined), { clock });
    await soon();
    clock.advance(2000);
    const client = await connecting;
    expect(methods().filter(each => each !== 'notifications/cancelled')).toEqual([
      'server/discover',
      'initialize',
      'notifications/initialized',
    ]);
    await client.close();
  });

  it('waits for `initialize` until the signal of the attempt is aborted, whatever the timeouts of calls are', async () => {
    const clock = fakeClock();
    const controller = new AbortController();
    const { connecting, methods } = start(() => undefined, {
      clock,
      idleTimeout: 1000,
      totalTimeout: 1000,
      getOpenSignal: () => controller.signal,
    });
    const rejected = expect(connecting).rejects.toThrow('the start is over');
    await soon();
    clock.advance(2000);
    await soon();
    clock.advance(600_000);
    await soon();
    expect(methods()).toContain('initialize');
    controller.abort(new Error('the start is over'));
    await rejected;
  });

  describe('to a server that does not acknowledge `notifications/initialized`', () => {
    const ignoresNotifications = (channel: Transport) =>
      wrapTransport(channel, {
        send: (message, options) => ('id' in message ? channel.send(message, options) : new Promise(() => {})),
      });
    const options = { protocolVersion: '2025-11-25', wrapTransport: ignoresNotifications };

    it('opens the connection after `idleTimeout`, and reports the notification', async () => {
      const clock = fakeClock();
      const { connecting } = start(byHandshake(), { ...options, clock, idleTimeout: 1000 });
      let isOpen = false;
      void connecting.then(() => {
        isOpen = true;
      });
      await soon();
      clock.advance(999);
      await soon();
      expect(isOpen).toBe(false);
      clock.advance(1);
      const client = await connecting;
      const errors: string[] = [];
      client.on('error', error => errors.push(error.message));
      await soon();
      expect(errors).toEqual([expect.stringContaining('notifications/initialized: no acknowledgement after 1000 ms')]);
      expect(clock.timers).toBe(0);
      await client.close();
    });

    it('waits until the signal of the attempt is aborted', async () => {
      const controller = new AbortController();
      const { connecting } = start(byHandshake(), {
        ...options,
        clock: fakeClock(),
        idleTimeout: Number.POSITIVE_INFINITY,
        getOpenSignal: () => controller.signal,
      });
      const rejected = expect(connecting).rejects.toThrow('the start is over');
      await soon();
      controller.abort(new Error('the start is over'));
      await rejected;
    });
  });

  it('waits for a silent server once, also for clients that prefer the newest version', async () => {
    const clock = fakeClock();
    const versionCache = memoryVersionCache({ clock });
    const preferredVersion = '2026-07-28';
    const first = start(byHandshake(undefined), { clock, versionCache, preferredVersion }, 'silent');
    await soon();
    clock.advance(2000);
    await (await first.connecting).close();
    const second = start(byHandshake(undefined), { clock, versionCache, preferredVersion }, 'silent');
    await (await second.connecting).close();
    expect(second.methods()).toEqual(['initialize', 'notifications/initialized']);
  });

  it.each(['2026-07-28', '2025-06-18'])(
    'opens with the only version of the options, %s, whatever version is preferred',
    async protocolVersion => {
      const script = (message: JsonObject) =>
        message.method === 'initialize' ? initialized(message.id, '2025-06-18') : undefined;
      const { connecting, messages } = start(script, { protocolVersion, preferredVersion: '2024-11-05' });
      await soon();
      const opened = { '2026-07-28': { method: 'server/discover' }, '2025-06-18': { params: { protocolVersion } } };
      expect(messages[0]).toMatchObject(opened[protocolVersion as keyof typeof opened]);
      if (protocolVersion === '2025-06-18') await (await connecting).close();
      else connecting.catch(() => {});
    },
  );

  it('probes a server again that was still starting during the probe', async () => {
    const clock = fakeClock();
    const versionCache = memoryVersionCache({ clock });
    const script = ({ id, method }: JsonObject) => {
      if (method !== 'initialize') return undefined;
      clock.advance(6000);
      return initialized(id, '2025-11-25');
    };
    const first = start(script, { clock, versionCache }, 'late');
    await soon();
    clock.advance(2000);
    await (await first.connecting).close();
    expect(versionCache.get('late')).toBeUndefined();
  });

  const refusing = (accepted: readonly string[], code: number, data?: unknown) => {
    const requests: unknown[] = [];
    const script = ({ id, method, params }: JsonObject) => {
      if (method !== 'initialize')
        return id === undefined ? undefined : { ...v, id, error: { code: -32601, message: 'no' } };
      const { protocolVersion } = params as { protocolVersion: string };
      requests.push(protocolVersion);
      if (accepted.includes(protocolVersion)) return initialized(id, protocolVersion);
      return {
        ...v,
        id,
        error: { code, message: 'Unsupported protocol version', ...(data === undefined ? {} : { data }) },
      };
    };
    return { requests, script };
  };

  it.each([-32602, -32000])('opens again with the best version in the list of refusal %i', async code => {
    const supported = ['2024-11-05', '2025-03-26', '1999-01-01'];
    const { requests, script } = refusing(supported, code, { supported, requested: '2025-11-25' });
    const client = await start(script).connecting;
    expect([requests, client.server.protocolVersion]).toEqual([['2025-11-25', '2025-03-26'], '2025-03-26']);
    await client.close();
  });

  it.each([
    [-32602, '2025-06-18'],
    [-32600, '2025-03-26'],
    [-32000, '2024-11-05'],
    [-32603, '2025-06-18'],
    [1, '2025-03-26'],
  ])('tries each older version once after the error %i without a list, up to %s', async (code, accepted) => {
    const { requests, script } = refusing([accepted], code);
    const client = await start(script).connecting;
    const tried = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];
    expect(requests).toEqual(tried.slice(0, tried.indexOf(accepted) + 1));
    expect(client.server.protocolVersion).toBe(accepted);
    await client.close();
  });

  it('keeps an error that is not about the version when every version is refused', async () => {
    const { script } = refusing([], -32000);
    await expect(start(script).connecting).rejects.toMatchObject({
      code: 'peer/error',
      rpcCode: -32000,
      message: expect.stringContaining('Unsupported protocol version'),
    });
  });

  const starting = (exits: (message: JsonObject, process: number) => boolean, refused: readonly string[] = []) => {
    let processes = 0;
    let isStarted = false;
    return (message: JsonObject, exit: () => void) => {
      if (!isStarted) processes += 1;
      isStarted = true;
      if (exits(message, processes)) {
        isStarted = false;
        exit();
        return undefined;
      }
      const { id, method, params } = message;
      if (id === undefined) return undefined;
      const version = (params as { protocolVersion?: string }).protocolVersion ?? '';
      if (method !== 'initialize' || refused.includes(version))
        return { ...v, id, error: { code: -32600, message: 'no' } };
      return initialized(id, version);
    };
  };

  it('starts a process again that exits during the probe, and remembers its version', async () => {
    const versionCache = memoryVersionCache();
    const first = start(
      starting(({ method }) => method === 'server/discover'),
      { versionCache },
      'exits',
    );
    expect((await first.connecting).server.protocolVersion).toBe('2025-11-25');
    expect([first.countConnections(), first.methods()]).toEqual([
      2,
      ['server/discover', 'initialize', 'notifications/initialized'],
    ]);
    expect(versionCache.get('exits')).toBe('2025-11-25');
  });

  it('starts a process once more that refused the probe and then exits', async () => {
    const exiting = start(
      starting(({ method }, process) => method === 'initialize' && process === 1),
      {},
      'later',
    );
    expect((await exiting.connecting).server.protocolVersion).toBe('2025-11-25');
    expect(exiting.countConnections()).toBe(2);
    const broken = start(
      starting(({ method }) => method === 'initialize'),
      { versionCache: memoryVersionCache() },
      'later',
    );
    await expect(broken.connecting).rejects.toMatchObject({ code: 'connection/closed' });
    expect(broken.countConnections()).toBe(2);
  });

  it('forgets a remembered version that no longer works', async () => {
    const versionCache = memoryVersionCache();
    void versionCache.set('key', '2025-06-18');
    const lost = start(
      starting(({ method }) => method === 'initialize'),
      { versionCache },
      'key',
    );
    await expect(lost.connecting).rejects.toMatchObject({ code: 'connection/closed' });
    expect([lost.methods(), versionCache.get('key')]).toEqual([['initialize'], undefined]);
  });

  it.each([
    ['no version of ours', { supported: ['1999-01-01'] }, {}, 1, /2024-11-05.*1999-01-01/s],
    ['none, and refuses the oldest as well', undefined, {}, 4, /Unsupported protocol version.*2024-11-05/s],
    [
      'another version than the pinned one',
      { supported: ['2024-11-05'] },
      { protocolVersion: '2025-06-18' },
      1,
      /2025-06-18.*2024-11-05.*[Rr]emove the option/s,
    ],
  ])('names the versions of both sides when a refusal lists %s', async (_, data, options, attempts, words) => {
    const { requests, script } = refusing([], -32602, data);
    const error: Error = await start(script, options).connecting.then(
      () => expect.unreachable(),
      error => error,
    );
    expect(error).toMatchObject({ code: 'connect/no-shared-version', rpcCode: -32602 });
    expect(error.message).toMatch(words);
    expect(requests).toHaveLength(attempts);
  });

  it.each(['2024-11-05', '2025-03-26', '2025-06-18'])(
    'accepts the version %s that the server offers instead',
    async version => {
      const client = await start(byHandshake(undefined, version), {
        protocolVersion: undefined as never,
        probeTimeout: 1,
      }).connecting;
      expect(client.server.protocolVersion).toBe(version);
      await client.close();
    },
  );

  it.each(['2099-01-01', '2026-07-28', ''])(
    'disconnects without a message from a server that offers %j [lifecycle.version.client-disconnects]',
    async version => {
      const { connecting, methods } = start(byHandshake({ code: -32601, message: '' }, version));
      await expect(connecting).rejects.toMatchObject({
        code: 'connect/no-shared-version',
        expected: '2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05',
      });
      expect(methods()).not.toContain('notifications/initialized');
    },
  );

  it('sends no probe for a configured protocol version, and accepts no other version', async () => {
    const { connecting, methods } = start(byHandshake(), { protocolVersion: '2025-11-25' });
    const client = await connecting;
    expect(methods()).toEqual(['initialize', 'notifications/initialized']);
    await client.close();
    await expect(
      start(byHandshake(undefined, '2025-06-18'), { protocolVersion: '2025-11-25' }).connecting,
    ).rejects.toMatchObject({ code: 'connect/no-shared-version' });
    await expect(start(byHandshake(), { protocolVersion: '2099-01-01' }).connecting).rejects.toMatchObject({
      code: 'connect/protocol-version',
    });
  });

  it('does not fall back when the server knows the probe [compat.client-recognised-modern-error]', async () => {
    const { connecting, methods } = start(({ id }) => ({
      ...v,
      id,
      error: { code: -32022, message: 'no', data: { supported: ['2099-01-01'], requested: '2026-07-28' } },
    }));
    await expect(connecting).rejects.toMatchObject({ code: 'connect/no-shared-version' });
    expect(methods()).toEqual(['server/discover']);
  });

  it('remembers how a server opens, and detects when that changes', async () => {
    const versionCache = memoryVersionCache({ clock: fakeClock() });
    await (await start(byHandshake(), { versionCache }, 'key').connecting).close();
    const again = start(byHandshake(), { versionCache }, 'key');
    await (await again.connecting).close();
    expect(again.methods()).toEqual(['initialize', 'notifications/initialized']);
    const changed = start(
      ({ id, method }) =>
        method === 'initialize'
          ? { ...v, id, error: { code: -32022, message: 'no' } }
          : { ...v, id, result: { resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities: {} } },
      { versionCache },
      'key',
    );
    expect((await changed.connecting).server.protocolVersion).toBe('2026-07-28');
    expect(versionCache.get('key')).toBe('2026-07-28');
  });

  it.each([{}, { supportedVersions: 5 }, { supportedVersions: ['2026-07-28'] }, 'x'])(
    'rejects an invalid response: %j',
    async result => {
      await expect(start(({ id }) => ({ ...v, id, result })).connecting).rejects.toMatchObject({ name: 'TenonError' });
    },
  );

  it('sends no cancellation for an unanswered handshake [cancellation.not-initialize]', async () => {
    const clock = fakeClock();
    const { connecting, methods } = start(() => undefined, { protocolVersion: '2025-11-25', clock });
    const failed = connecting.catch(error => error.code);
    await soon();
    clock.advance(60_000);
    expect(await failed).toBe('call/timeout');
    await soon();
    expect(methods()).toEqual(['initialize']);
  });

  it('waits as long as for any call if a configured protocol version has no handshake', async () => {
    const clock = fakeClock();
    const { connecting, methods } = start(() => undefined, {
      protocolVersion: '2026-07-28',
      idleTimeout: 10_000,
      clock,
    });
    let failure: unknown;
    const failed = connecting.catch(error => {
      failure = error;
    });
    await soon();
    clock.advance(9_999);
    await soon();
    expect(failure).toBeUndefined();
    clock.advance(1);
    await failed;
    expect(failure).toMatchObject({ code: 'call/timeout' });
    expect(methods()).not.toContain('initialize');
  });

  it('rejects after the probe timeout of a silent server, also with a configured protocol version', async () => {
    const clock = fakeClock();
    const { connecting } = start(() => undefined, { protocolVersion: '2026-07-28', probeTimeout: 20, clock });
    const failed = connecting.catch(error => error.code);
    await soon();
    clock.advance(20);
    expect(await failed).toBe('call/timeout');
  });

  it('returns name, version and instructions of the server', async () => {
    const server = createServer({ name: 's', version: '2', title: 't', instructions: 'i' });
    for (const version of ['2026-07-28', '2025-11-25']) {
      const client = await connectPair(server, { protocolVersion: version });
      expect(client.server).toMatchObject({
        info: { name: 's', version: '2', title: 't' },
        instructions: 'i',
        protocolVersion: version,
      });
      await client.close();
    }
  });
});
