import { describe, expect, it } from 'vitest';
import { deferred, sessionNamed, turns } from '../../../host/src/connections/fixtures/stand-in.js';
import type { ClientHandlers } from '../client/options.js';
import { RELATED_TASK } from '../protocol/meta.js';
import { ActiveCalls, type UpstreamCall } from './active-calls.js';

const { signal } = new AbortController();
const call = (name: string, more: Partial<UpstreamCall> = {}) => {
  const logged: unknown[] = [];
  const flight: UpstreamCall = {
    ids: new Set(),
    task: undefined,
    ask: async method => ({ asked: `${name} ${method}` }),
    cancelled: false,
    acceptsLogLevel: () => true,
    log: (_, data) => void logged.push(data),
    ...more,
  };
  return { flight, logged };
};

describe('requests of a server during calls', () => {
  it('reach the call that they name by its stream or its task', async () => {
    const calls = new ActiveCalls(undefined);
    const end = deferred<void>();
    const first = calls.run(call('first', { ids: new Set([7]) }).flight, () => end.promise);
    const second = calls.run(call('second', { task: 't' }).flight, () => end.promise);
    const third = calls.run(call('third').flight, () => end.promise);
    expect(await calls.ask('roots/list', {}, { signal, relatedTo: 7 })).toEqual({ asked: 'first roots/list' });
    const related = { _meta: { [RELATED_TASK]: { taskId: 't' } } };
    expect(await calls.ask('roots/list', related, { signal })).toEqual({ asked: 'second roots/list' });
    expect(await calls.ask('roots/list', {}, { signal, task: 't' })).toEqual({ asked: 'second roots/list' });
    expect(await calls.ask('roots/list', {}, { signal })).toEqual({ asked: 'third roots/list' });
    expect(await calls.ask('roots/list', {}, { signal, relatedTo: 99 })).toEqual({ asked: 'third roots/list' });
    end.resolve();
    await Promise.all([first, second, third]);
    expect(calls.size).toBe(0);
  });

  it('skip a call without input requests, and fail without a call', async () => {
    const calls = new ActiveCalls(undefined, 'notes');
    const end = deferred<void>();
    const mute = calls.run(call('mute', { ask: undefined }).flight, () => end.promise);
    await expect(calls.ask('elicitation/create', {}, { signal })).rejects.toMatchObject({
      code: 'host/no-active-call',
      message: expect.stringMatching(/^notes, elicitation\/create: /),
    });
    end.resolve();
    await mute;
  });

  it('get the roots of the host without a call', async () => {
    const ask = (...[roots]: [ClientHandlers['roots']?]) =>
      new ActiveCalls(undefined, 'notes', roots).ask('roots/list', {}, { signal });
    await expect(ask()).rejects.toMatchObject({ code: 'host/no-active-call' });
    expect(await ask([])).toEqual({ roots: [] });
    expect(await ask([{ uri: 'file:///a' }])).toEqual({ roots: [{ uri: 'file:///a' }] });
    expect(await ask(() => [{ uri: 'file:///b' }])).toEqual({ roots: [{ uri: 'file:///b' }] });
    await expect(ask([{ uri: 'file:///a/../b' }])).rejects.toMatchObject({ code: 'answer/root' });
  });

  it('reach the last call whose caller still waits', async () => {
    const calls = new ActiveCalls(undefined);
    const end = deferred<void>();
    const during = [
      calls.run(call('waited for').flight, () => end.promise),
      calls.run(call('given up', { cancelled: true }).flight, () => end.promise),
    ];
    expect(await calls.ask('roots/list', {}, { signal })).toEqual({ asked: 'waited for roots/list' });
    end.resolve();
    await Promise.all(during);
  });

  it('reach another call when theirs is cancelled, and no other when it fails', async () => {
    const calls = new ActiveCalls(undefined);
    const end = deferred<void>();
    let over = false;
    const leaves = {
      get cancelled() {
        return over;
      },
      ask: async () => {
        over = true;
        throw new Error('left');
      },
    };
    const during = [
      calls.run(call('waits').flight, () => end.promise),
      calls.run(
        Object.defineProperties(call('leaves').flight, Object.getOwnPropertyDescriptors(leaves)),
        () => end.promise,
      ),
    ];
    expect(await calls.ask('roots/list', {}, { signal })).toEqual({ asked: 'waits roots/list' });
    const fails = call('fails', { ask: async () => Promise.reject(new Error('no')) }).flight;
    const third = calls.run(fails, () => end.promise);
    await expect(calls.ask('roots/list', {}, { signal })).rejects.toThrow('no');
    end.resolve();
    await Promise.all([...during, third]);
  });

  it('reach the session where one exists and no call', async () => {
    const { session, notifications } = sessionNamed('mine');
    const calls = new ActiveCalls(session);
    expect(await calls.ask('roots/list', {}, { signal })).toEqual({ askedBySession: 'mine roots/list' });
    calls.log('info', 'hello', undefined);
    calls.log('info', 'hello', 'tale');
    expect(notifications).toEqual([
      { method: 'notifications/message', params: { level: 'info', data: 'hello' } },
      { method: 'notifications/message', params: { level: 'info', data: 'hello', logger: 'tale' } },
    ]);
  });

  it('keep the call open until they are answered or have failed', async () => {
    const calls = new ActiveCalls(undefined);
    const answer = deferred<never>();
    let over = false;
    const { flight } = call('slow', { ask: () => answer.promise });
    const asking = calls.run(flight, async () => void calls.ask('roots/list', {}, { signal }).catch(() => {}));
    void asking.then(() => {
      over = true;
    });
    await turns();
    expect([over, calls.size]).toEqual([false, 1]);
    answer.reject(new Error('no'));
    await asking;
    expect(calls.size).toBe(0);
  });
});

it('delivers log messages to the last call, and to no one without a call or a session', async () => {
  const calls = new ActiveCalls(undefined);
  const { flight, logged } = call('one');
  const end = deferred<void>();
  const during = calls.run(flight, () => end.promise);
  calls.log('info', 'to it', undefined);
  end.resolve();
  await during;
  calls.log('info', 'to nobody', undefined);
  expect(logged).toEqual(['to it']);
});
