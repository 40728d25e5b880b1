import { TenonError } from '@tenon/base';
import { fakeClock } from '@tenon/testing';
import type { UpstreamCall } from 'tenon/proxy';
import { describe, expect, it } from 'vitest';
import type { Client } from '../../../tenon/src/client/client.js';
import type { ClientOptions } from '../../../tenon/src/client/options.js';
import type { ConnectionOptions } from './connection-options.js';
import {
  audienceNamed,
  createFakeConnection,
  deferred,
  type FakeConnection,
  factsOf,
  sessionNamed,
  turns,
} from './fixtures/stand-in.js';
import { UpstreamConnection } from './upstream-connection.js';

function lineTo(connect: ConnectionOptions['connect'], audience = audienceNamed('all')) {
  const clock = fakeClock();
  const errors: TenonError[] = [];
  const line = new UpstreamConnection(factsOf(clock, connect, errors), audience);
  return { clock, errors, line };
}
const callOf = (): UpstreamCall => ({
  ids: new Set(),
  task: undefined,
  ask: undefined,
  cancelled: false,
  acceptsLogLevel: () => false,
  log() {},
});
const broken = new TenonError('stdio/exited', 'it has exited');

describe('UpstreamConnection', () => {
  it('opens when it is needed, once for concurrent callers', async () => {
    const opening = deferred<Client>();
    let opened = 0;
    const { line } = lineTo(() => {
      opened += 1;
      return opening.promise;
    });
    expect([line.state, opened]).toEqual(['idle', 0]);
    const both = [line.getClient(), line.getClient()];
    expect(line.state).toBe('connecting');
    const { client } = createFakeConnection();
    opening.resolve(client);
    expect(await Promise.all(both)).toEqual([client, client]);
    expect([await line.getClient(), opened, line.state]).toEqual([client, 1, 'connected']);
  });

  it('waits longer after each failure, and reports the delay', async () => {
    let opened = 0;
    const { line, clock, errors } = lineTo(async () => {
      opened += 1;
      throw broken;
    });
    await expect(line.getClient()).rejects.toBe(broken);
    await expect(line.getClient()).rejects.toMatchObject({ code: 'host/backoff', hint: 'try again in 1 s' });
    expect([opened, line.state, line.lastError]).toEqual([1, 'failed', broken]);
    clock.advance(500);
    await expect(line.getClient()).rejects.toBe(broken);
    clock.advance(499);
    await expect(line.getClient()).rejects.toMatchObject({ code: 'host/backoff' });
    clock.advance(501);
    await expect(line.getClient()).rejects.toBe(broken);
    expect([opened, errors]).toEqual([3, [broken, broken, broken]]);
  });

  it('rejects after the start timeout, closes a client that opens later, and reports it', async () => {
    const opening = deferred<Client>();
    let signal: AbortSignal | undefined;
    const { line, clock } = lineTo(options => {
      signal = options.getOpenSignal?.(() => false);
      return opening.promise;
    });
    const waiting = line.getClient();
    await turns();
    clock.advance(999);
    await turns();
    expect(signal?.aborted).toBe(false);
    clock.advance(1);
    await expect(waiting).rejects.toMatchObject({ code: 'host/start-timeout' });
    expect(signal?.reason).toMatchObject({ code: 'host/start-timeout' });
    const late = createFakeConnection();
    opening.resolve(late.client);
    await turns();
    expect(late.closed()).toBe(1);
    expect(line.openClient).toBeUndefined();
  });

  it('reports that it waits for a sign-in, and continues to open', async () => {
    const opening = deferred<Client>();
    let finishSignIn = () => {};
    const { line, clock } = lineTo((options, onSigningIn) => {
      options.getOpenSignal?.(() => false);
      onSigningIn(true);
      finishSignIn = () => onSigningIn(false);
      return opening.promise;
    });
    const changed: string[] = [];
    line.lists.onChange(list => changed.push(list));
    const waiting = expect(line.getClient()).rejects.toMatchObject({
      code: 'host/sign-in-pending',
      message: expect.stringMatching(
        /sign-in in a browser on the machine of the host.*bridge --auth client-credentials/,
      ),
    });
    await turns();
    expect([line.state, line.lastError?.code]).toEqual(['waiting', 'host/sign-in-pending']);
    clock.advance(1000);
    await waiting;
    clock.advance(5000);
    expect(changed).toEqual([]);
    finishSignIn();
    const { client } = createFakeConnection();
    opening.resolve(client);
    await turns();
    expect([line.state, line.openClient]).toEqual(['connected', client]);
    expect(changed).toEqual(['tools', 'prompts', 'resources']);
    expect(clock.timers).toBe(0);
  });

  it('stops opening when closed meanwhile, and waits for that', async () => {
    const opening = deferred<Client>();
    const { line } = lineTo(options => {
      options.getOpenSignal?.(() => false).addEventListener('abort', () => opening.reject(new Error('aborted')));
      return opening.promise;
    });
    const waiting = line.getClient();
    const rejected = expect(waiting).rejects.toMatchObject({ code: 'host/closed' });
    await turns();
    await line.close();
    await rejected;
    await expect(line.getClient()).rejects.toMatchObject({ code: 'host/closed' });
  });

  it('closes within a time limit whatever its server does', async () => {
    const { client } = createFakeConnection({ closing: new Promise(() => {}) });
    const { line, clock } = lineTo(async () => client);
    await line.getClient();
    let closed = false;
    void line.close().then(() => {
      closed = true;
    });
    clock.advance(9999);
    await turns();
    expect(closed).toBe(false);
    clock.advance(1);
    await turns();
    expect(closed).toBe(true);
    expect(clock.timers).toBe(0);
  });

  it('leaves no timer when it has opened or opened again', async () => {
    const fake = createFakeConnection();
    let opening: ClientOptions['getOpenSignal'];
    const { line, clock } = lineTo(async options => {
      opening = options.getOpenSignal;
      return fake.client;
    });
    await line.getClient();
    expect(clock.timers).toBe(0);
    fake.become('reconnecting');
    const signal = opening?.(() => false);
    expect([clock.timers, signal?.aborted]).toEqual([1, false]);
    fake.become('connected');
    expect(clock.timers).toBe(0);
  });

  it('waits, when it is closed, for earlier attempts to end', async () => {
    const opening = deferred<Client>();
    const ending = deferred<void>();
    const { line, clock } = lineTo(() => opening.promise);
    const waiting = expect(line.getClient()).rejects.toMatchObject({ code: 'host/start-timeout' });
    await turns();
    clock.advance(1000);
    await waiting;
    opening.resolve(createFakeConnection({ closing: ending.promise }).client);
    let closed = false;
    void line.close().then(() => {
      closed = true;
    });
    await turns();
    expect(closed).toBe(false);
    ending.resolve();
    await turns();
    expect(closed).toBe(true);
  });
});

describe('a lost upstream connection', () => {
  it('opens again at once, and with a delay when it is lost repeatedly', async () => {
    const fake = createFakeConnection();
    const { line, clock } = lineTo(async () => fake.client);
    await line.getClient();
    clock.advance(60_000);
    for (let time = 0; time < 5; time++) {
      fake.become('reconnecting');
      expect(await line.getClient()).toBe(fake.client);
      fake.become('connected');
      clock.advance(5000);
    }
    fake.become('reconnecting');
    fake.become('connected');
    fake.become('reconnecting');
    expect(await line.getClient()).toBe(fake.client);
    fake.become('connected');
    fake.become('reconnecting');
    await expect(line.getClient()).rejects.toMatchObject({ code: 'host/backoff' });
    expect(line.lastError).toMatchObject({ code: 'host/lost' });
    clock.advance(500);
    expect(await line.getClient()).toBe(fake.client);
    fake.become('connected');
    clock.advance(5000);
    fake.become('reconnecting');
    expect(await line.getClient()).toBe(fake.client);
  });

  it('opens again at once as long as each connection has had a response', async () => {
    const fake = createFakeConnection();
    const { line } = lineTo(async () => fake.client);
    for (let time = 0; time < 12; time++) {
      expect(await line.run(callOf(), () => Promise.resolve('done'))).toBe('done');
      fake.become('reconnecting');
      fake.become('connected');
      await line.lists.get('tools');
      fake.become('reconnecting');
      fake.become('connected');
    }
    expect(line.lastError).toBeUndefined();
  });

  it('counts an error of the server as a response, and a lost connection as none', async () => {
    const fake = createFakeConnection();
    const { line } = lineTo(async () => fake.client);
    const failWith = (code: string) => line.run(callOf(), () => Promise.reject(new TenonError(code, 'failed')));
    for (let time = 0; time < 6; time++) {
      await expect(failWith('peer/error')).rejects.toMatchObject({ code: 'peer/error' });
      fake.become('reconnecting');
      fake.become('connected');
    }
    expect(line.isUnstable).toBe(false);
    for (let time = 0; time < 3; time++) {
      await expect(failWith('stdio/exited')).rejects.toMatchObject({ code: 'stdio/exited' });
      fake.become('reconnecting');
      if (time < 2) fake.become('connected');
    }
    expect(line.isUnstable).toBe(true);
  });

  it('delays a call for a short backoff, and refuses it with the time during a longer one', async () => {
    let isDown = true;
    const fake = createFakeConnection();
    const { line, clock } = lineTo(async () => {
      if (isDown) throw broken;
      return fake.client;
    });
    await expect(line.getClient()).rejects.toMatchObject({ code: 'stdio/exited' });
    const waiting = line.run(callOf(), () => 'done');
    await expect(line.getClient()).rejects.toMatchObject({ code: 'host/backoff' });
    isDown = false;
    clock.advance(500);
    expect(await waiting).toBe('done');
    isDown = true;
    fake.become('failed');
    for (let time = 0; time < 4; time++) {
      clock.advance(60_000);
      await line.getClient().catch(() => {});
    }
    const { retryAfterMs } = (await line.getClient().catch(error => error)) as TenonError;
    expect(retryAfterMs).toBeGreaterThan(2000);
    await expect(async () => line.run(callOf(), () => 'done')).rejects.toMatchObject({ code: 'host/backoff' });
  });

  it('opens another client after a while when it is lost for good', async () => {
    const fakes: FakeConnection[] = [];
    const { line, clock } = lineTo(async () => {
      const fake = createFakeConnection();
      fakes.push(fake);
      return fake.client;
    });
    await line.getClient();
    fakes[0]?.become('failed');
    await expect(line.getClient()).rejects.toMatchObject({ code: 'host/backoff' });
    clock.advance(500);
    expect(await line.getClient()).toBe(fakes[1]?.client);
    expect(fakes[0]?.closed()).toBe(1);
  });
});

describe('messages of an upstream connection', () => {
  it('are passed on up to a limit, errors included', async () => {
    const fake = createFakeConnection();
    const { session, notifications } = sessionNamed('mine');
    const { line, errors, clock } = lineTo(async () => fake.client, audienceNamed('mine', { session }));
    await line.getClient();
    for (let at = 0; at < 1000; at++) fake.notify('log', { level: 'info', data: at });
    for (let at = 0; at < 1000; at++) fake.notify('error', broken);
    expect(notifications).toHaveLength(200);
    const codes = errors.map(({ code }) => code);
    expect(codes.filter(code => code === 'host/flood')).toHaveLength(2);
    expect(codes.filter(code => code === 'stdio/exited')).toHaveLength(20);
    clock.advance(1000);
    fake.notify('log', { level: 'info', data: 'again' });
    expect(notifications).toHaveLength(201);
  });

  it('declare only input requests that the caller can handle', async () => {
    const requests: (ClientOptions['forwarder'] | undefined)[] = [];
    const connect = async ({ forwarder }: ClientOptions) => {
      requests.push(forwarder);
      return createFakeConnection().client;
    };
    const all = { form: true, url: true, sample: true, sampleTools: true, roots: true };
    await lineTo(connect).line.getClient();
    await lineTo(connect, audienceNamed('able', { input: all })).line.getClient();
    expect(requests.map(each => each?.capabilities)).toEqual([
      {},
      { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {} },
    ]);
  });
});
