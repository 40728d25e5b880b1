import { toRecordValues } from '@tenon/base';
import { fakeClock } from '@tenon/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { memoryStores, TenonError, tool } from '../../../../index.js';
import { openReplicas, openSharedSession, type Replica } from '../../fixtures/replicas.js';
import { eventsOf, nextMessages } from '../../fixtures/sites.js';
import { toSessionKey } from './session-record.js';

describe('a request of the server in a stored session', () => {
  /** The clock of the store. The processes have the clock of the system. */
  const storeClock = fakeClock(1000);
  let replicas: Replica[] = [];
  const answers: string[] = [];
  const ask = tool({
    async run(_, ctx) {
      const answer = await ctx.elicit({ message: 'Name?', input: z.object({ name: z.string() }) });
      answers.push(answer.action === 'accept' ? answer.content.name : answer.action);
      return 'done';
    },
  });
  beforeEach(async () => {
    answers.length = 0;
    const shared = { ...memoryStores({ clock: storeClock }), close: async () => {} };
    const limits = { sessionIdleTimeout: 24 * 3_600_000 };
    replicas = await openReplicas(2, { tools: { ask } }, { limits }, () => () => shared);
  });
  afterEach(() => Promise.all(replicas.map(replica => replica.close({ timeout: 0 }))));

  const begin = async () => {
    const [one, two] = replicas as [Replica, Replica];
    const session = await openSharedSession(one, { capabilities: { elicitation: {} } });
    await session.notify(one, 'notifications/initialized');
    const events = eventsOf(await session.request(one, 'tools/call', { name: 'ask' }, 'call'));
    const [{ id, params }] = (await nextMessages(events, 1)) as [
      { id: string; params: { _meta: { progressToken: string } } },
    ];
    const answer = (name: string) => ({ jsonrpc: '2.0', id, result: { action: 'accept', content: { name } } });
    const prefix = `${toSessionKey({ ...two.stores, scope: 'notes' }, session.id)}/ask/`;
    const listInputRequests = async () => (await toRecordValues(two.stores.values).list(prefix)).map(toValue);
    return { one, two, session, events, id, token: params._meta.progressToken, answer, listInputRequests };
  };
  const toValue = ({ key, value }: { key: string; value: object }) => ({ id: key.split('/').at(-1), ...value });
  const MINUTE = 60_000;

  it('has a record with its session, stream, deadline and process until the response [so.ask-record]', async () => {
    const { two, session, events, id, answer, listInputRequests } = await begin();
    expect(await listInputRequests()).toEqual([{ id, asker: id.slice(0, 12), stream: 'call', timeout: 30 * MINUTE }]);
    expect((await session.post(two, answer('Ada'))).status).toBe(202);
    expect(await nextMessages(events, 1)).toMatchObject([{ id: 'call' }]);
    expect([answers, await listInputRequests()]).toEqual([['Ada'], []]);
  });

  it('is sent when its record is stored', async () => {
    const [one] = replicas as [Replica];
    const session = await openSharedSession(one, { capabilities: { elicitation: {} } });
    await session.notify(one, 'notifications/initialized');
    const { values } = one.stores;
    const put = values.put.bind(values);
    const order: string[] = [];
    values.put = async (key, value, options) => {
      const isRecord = key.includes('/ask/');
      if (!isRecord && JSON.stringify(value).includes('elicitation/create')) order.push('sent');
      // A store with several connections can write a later value first.
      if (isRecord) for (let turn = 0; turn < 20; turn++) await new Promise(resolve => setImmediate(resolve));
      const version = await put(key, value, options);
      if (isRecord) order.push('recorded');
      return version;
    };
    const events = eventsOf(await session.request(one, 'tools/call', { name: 'ask' }, 'call'));
    expect(await nextMessages(events, 1)).toMatchObject([{ method: 'elicitation/create' }]);
    expect(order).toEqual(['recorded', 'sent']);
  });

  it.each([
    ['the session', ''],
    ['the input request', '/ask/'],
  ])('accepts a response that arrives while the store restarts, at the read of %s', async (_, part) => {
    const { two, session, events, answer } = await begin();
    const { values } = two.stores;
    const get = values.get.bind(values);
    let faults = 2;
    values.get = async (key, ...rest) => {
      if (!key.includes(part) || faults === 0) return get(key, ...rest);
      faults -= 1;
      throw new TenonError('store/unavailable', 'restarting');
    };
    expect((await session.post(two, answer('Ada'))).status).toBe(202);
    await nextMessages(events, 1);
    values.get = get;
    expect([answers, faults]).toEqual([['Ada'], 0]);
  });

  it('accepts one of several responses that reach several processes at once', async () => {
    const { one, two, session, events, answer } = await begin();
    const posts = [one, two, one, two].map((site, n) => session.post(site, answer(`${n}`)));
    expect((await Promise.all(posts)).map(({ status }) => status)).toEqual([202, 202, 202, 202]);
    await nextMessages(events, 1);
    expect(answers).toHaveLength(1);
  });

  it('accepts a response from another process once, although the store fails meanwhile', async () => {
    const { one, two, session, events, answer } = await begin();
    const { delete: remove } = one.stores.values;
    let failures = 0;
    one.stores.values.delete = async (key, ...rest) => {
      const result = await remove(key, ...rest);
      if (!key.startsWith('mail/')) return result;
      failures += 1;
      throw new Error('the connection broke before the reply');
    };
    expect((await session.post(two, answer('Ada'))).status).toBe(202);
    expect(await nextMessages(events, 1)).toMatchObject([{ id: 'call' }]);
    expect([answers, failures]).toEqual([['Ada'], 1]);
  });

  it('refuses a response after its deadline by the clock of the store, at any process [so.ask-timeout]', async () => {
    const { one, two, session, answer, listInputRequests } = await begin();
    storeClock.advance(31 * MINUTE);
    expect(await listInputRequests()).toEqual([]);
    for (const site of [one, two]) expect((await session.post(site, answer('Late'))).status).toBe(202);
    // The processes handle messages in order.
    await session.request(one, 'tools/list');
    expect(answers).toEqual([]);
  });

  it('gets its full time again after progress of the client', async () => {
    const { two, session, events, token, answer } = await begin();
    storeClock.advance(20 * MINUTE);
    await session.notify(two, 'notifications/progress', { progressToken: token, progress: 1 });
    storeClock.advance(20 * MINUTE);
    expect((await session.post(two, answer('Ada'))).status).toBe(202);
    await nextMessages(events, 1);
    expect(answers).toEqual(['Ada']);
  });

  it('has no record after it was cancelled', async () => {
    const { two, session, listInputRequests } = await begin();
    await session.notify(two, 'notifications/cancelled', { requestId: 'call' });
    await expect.poll(listInputRequests).toEqual([]);
  });
});
