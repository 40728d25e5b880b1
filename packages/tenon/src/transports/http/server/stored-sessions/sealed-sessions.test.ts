import { TenonError } from '@tenon/base';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { memoryStores, type SealKey, type Stores, tool } from '../../../../index.js';
import { openReplicas, openSharedSession, type Replica } from '../../fixtures/replicas.js';
import { byName, eventsOf, JSON_HEADERS, nextMessages } from '../../fixtures/sites.js';

const createKey = (id: string, fill: number): SealKey => ({ id, key: new Uint8Array(32).fill(fill) });
const [oldKey, newKey] = [createKey('old', 1), createKey('new', 2)];

/** Records all texts that reach the stores and the bus. */
function recordWrites(stores: Stores, written: string[]): Stores {
  return {
    ...stores,
    values: {
      ...stores.values,
      put(key, value, options) {
        written.push(`${key} ${JSON.stringify(value)}`);
        return stores.values.put(key, value, options);
      },
    },
    bus: {
      ...stores.bus,
      publish(topic, message) {
        written.push(`${topic} ${JSON.stringify(message)}`);
        return stores.bus.publish(topic, message);
      },
    },
  };
}

describe('a session in a remote store', () => {
  let replicas: Replica[] = [];
  let errors: TenonError[] = [];
  const ask = tool({
    async run(_, ctx) {
      const answer = await ctx.elicit({ message: 'Secret question?', input: z.object({ name: z.string() }) });
      return answer.action === 'accept' ? `Hello ${answer.content.name}` : answer.action;
    },
  });
  const user = tool({ run: (_, ctx) => `for ${ctx.auth?.principal}` });
  const open = async (shared: Stores, keys: readonly SealKey[] = [newKey]) => {
    errors = [];
    const opened = await openReplicas(
      2,
      {
        tools: { ask, user },
        resources: { 'note://secret-note': { read: () => 'a' } },
        inputRequests: { keys },
        onError: error => errors.push(error),
      },
      { authorize: byName, onError: error => errors.push(TenonError.from(error)) },
      () => () => ({ ...shared, remote: true, close: async () => {} }),
    );
    replicas.push(...opened);
    return opened as [Replica, Replica];
  };
  afterEach(async () => {
    await Promise.all(replicas.map(replica => replica.close({ timeout: 0 })));
    replicas = [];
  });

  const headers = { 'x-user': 'ada-lovelace' };
  const begin = async (one: Replica) => {
    const session = await openSharedSession(one, { capabilities: { elicitation: {} }, headers });
    await session.notify(one, 'notifications/initialized');
    const events = eventsOf(await session.request(one, 'tools/call', { name: 'ask' }));
    const [request] = (await nextMessages(events, 1)) as [{ id: string; method: string }];
    expect(request.method).toBe('elicitation/create');
    return { session, events, request };
  };
  const answer = (id: string, name: string) => ({
    jsonrpc: '2.0',
    id,
    result: { action: 'accept', content: { name } },
  });

  it('leaves no readable record, input request, response, result, subscription or session id there [so.encrypt]', async () => {
    const written: string[] = [];
    const [one, two] = await open(recordWrites(memoryStores(), written));
    const { session, events, request } = await begin(one);
    await session.request(two, 'resources/subscribe', { uri: 'note://secret-note' });
    one.server.notifyResourceUpdated('note://secret-note');
    expect((await session.post(two, answer(request.id, 'Secret answer'))).status).toBe(202);
    expect(await nextMessages(events, 1)).toMatchObject([{ result: { content: [{ text: 'Hello Secret answer' }] } }]);
    for (const kind of ['session/', 'mail/', 'replica/', 'sessions/', 'changes/'])
      await expect.poll(() => written.some(text => text.startsWith(kind)), { message: kind }).toBe(true);
    for (const text of written) expect(text).not.toMatch(/secret|lovelace|elicitation|note:|"test"|initialize/i);
    for (const text of written) expect(text).not.toContain(session.id);
    expect(errors).toEqual([]);
  });

  it('leaves no readable HTTP+SSE message, user or claims there [so.encrypt]', async () => {
    const written: string[] = [];
    const [one, two] = await open(recordWrites(memoryStores(), written));
    const events = eventsOf(await one.send('/sse', { headers: { accept: 'text/event-stream', ...headers } }));
    const address = `/${(await events.next()).value?.data}`;
    const body = JSON.stringify({ jsonrpc: '2.0', id: 'secret-id', method: 'ping' });
    const posted = await two.send(address, { method: 'POST', headers: { ...JSON_HEADERS, ...headers }, body });
    expect(posted.status).toBe(202);
    expect(written.some(text => text.startsWith('mail/'))).toBe(true);
    for (const text of written) expect(text).not.toMatch(/secret|lovelace|ping/);
    for (const text of written) expect(text).not.toContain(address.split('sessionId=')[1]);
    await events.return(undefined);
  });

  it('ignores messages that others write there [so.bus-auth]', async () => {
    const shared = memoryStores();
    const [one, two] = await open(shared);
    const { session, events, request } = await begin(one);
    const process = request.id.slice(0, 12);
    const forged = {
      session: session.id,
      message: answer(request.id, 'Mallory'),
      auth: { principal: 'ada-lovelace', scopes: ['admin'] },
    };
    for (const to of [process, 'all']) {
      const key = `mail/notes/${to}/forged`;
      await shared.values.put(key, forged);
      await shared.bus.publish('sessions/notes', { from: 'x', kind: 'mail', to, session: session.id, key });
    }
    await shared.bus.publish('sessions/notes', { from: 'x', kind: 'changed', session: session.id });
    await shared.bus.publish('changes/notes', { process: 'x', changes: [{ kind: 'list', name: 'tools' }] });
    expect((await session.post(two, answer(request.id, 'Ada'))).status).toBe(202);
    expect(await nextMessages(events, 1)).toMatchObject([{ result: { content: [{ text: 'Hello Ada' }] } }]);
    expect(new Set(errors.map(({ code }) => code))).toEqual(new Set(['store/not-sealed']));
    expect(errors.length).toBeGreaterThanOrEqual(4);
  });

  it('does not exist for a user who copies or changes its record there [so.session-principal]', async () => {
    const shared = memoryStores();
    const [one, two] = await open(shared);
    const session = await openSharedSession(one, { headers });
    const other = await openSharedSession(one, { headers: { 'x-user': 'mallory' } });
    const records = await shared.values.list('session/');
    expect(records).toHaveLength(2);
    const [first, second] = records as [(typeof records)[0], (typeof records)[0]];
    await shared.values.put(first.key, second.value);
    await shared.values.put(second.key, { ...first.value, owner: { principal: 'mallory' } });
    expect((await session.request(two, 'tools/list')).status).toBe(404);
    expect((await other.request(two, 'tools/list')).status).toBe(404);
    expect(errors.map(({ code }) => code)).toContain('store/not-sealed');
  });

  it('continues while keys are rotated, and gets 503 from a process without its key [so.encrypt]', async () => {
    const shared = memoryStores();
    const [before] = await open(shared, [oldKey]);
    const [added] = await open(shared, [oldKey, newKey]);
    const [moved] = await open(shared, [newKey, oldKey]);
    const [after] = await open(shared, [newKey]);
    const first = await openSharedSession(before, { headers });
    expect((await first.request(added, 'tools/list')).status).toBe(200);
    const refused = await first.request(after, 'tools/list');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
    expect(errors.map(({ code }) => code)).toContain('store/unknown-key');
    expect((await first.request(moved, 'tools/list')).status).toBe(200);
    const second = await openSharedSession(moved, { headers });
    // Each process seals the record again, with its own first key.
    for (const site of [after, added]) expect((await second.request(site, 'tools/list')).status).toBe(200);
  });

  it('needs keys', async () => {
    const opening = openReplicas(1, {}, {}, () => () => ({ ...memoryStores(), remote: true }));
    await expect(opening).rejects.toMatchObject({
      code: 'server/state-keys',
      message: expect.stringContaining('inputRequests: { keys'),
    });
  });
});
