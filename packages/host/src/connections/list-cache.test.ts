import { type JsonObject, rpcError, type TenonError } from '@tenon/base';
import { fakeClock } from '@tenon/testing';
import { describe, expect, it } from 'vitest';
import { createFakeConnection, deferred, type Given, offersAll, turns } from './fixtures/stand-in.js';
import { ListCache } from './list-cache.js';

const tool = (name: string, more: JsonObject = {}) => ({ name, inputSchema: { type: 'object' }, ...more });

function listsOf(given: Given) {
  const clock = fakeClock();
  const errors: TenonError[] = [];
  const fake = createFakeConnection(given);
  const connect = async () => fake.client;
  const lists = new ListCache('notes', connect, clock, error => errors.push(error));
  lists.observeClient(fake.client);
  return { clock, errors, lists, ...fake };
}
const names = async (list: Promise<{ items: readonly { name: string }[] }>) =>
  (await list).items.map(({ name }) => name);

describe('the lists of a server', () => {
  it('are read over all pages, once for concurrent readers, and again after a change', async () => {
    const { lists, listed, notify } = listsOf({ pages: () => [{ tools: [tool('a')] }, { tools: [tool('b')] }] });
    expect(await Promise.all([names(lists.get('tools')), names(lists.get('tools'))])).toEqual([
      ['a', 'b'],
      ['a', 'b'],
    ]);
    await lists.get('tools');
    expect(listed).toEqual(['tools']);
    const received: string[] = [];
    const stop = lists.onChange(list => received.push(list));
    notify('change', { list: 'tools' });
    notify('change', { uri: 'note://a' });
    await lists.get('tools');
    expect([listed, received]).toEqual([['tools', 'tools'], ['tools']]);
    stop();
    notify('change', { list: 'tools' });
    expect(received).toEqual(['tools']);
  });

  it('does not request an optional list again soon after a failure, unless it has changed', async () => {
    const { lists, listed, notify, clock } = listsOf({
      pages: () => {
        throw rpcError(-32603, 'no database');
      },
    });
    const read = async () => lists.getOptional('prompts');
    await expect(read()).rejects.toThrow('no database');
    clock.advance(29_999);
    await expect(read()).rejects.toThrow('no database');
    expect(listed).toEqual(['prompts']);
    clock.advance(1);
    await expect(read()).rejects.toThrow('no database');
    expect(listed).toHaveLength(2);
    notify('change', { list: 'prompts' });
    await expect(read()).rejects.toThrow('no database');
    lists.expire();
    await expect(read()).rejects.toThrow('no database');
    expect(listed).toHaveLength(4);
    await expect(lists.getCached('prompts')).rejects.toThrow('no database');
    expect(listed).toHaveLength(5);
  });

  it('waits once for an optional list that hangs, and returns it when it has arrived', async () => {
    const slow = deferred<readonly JsonObject[]>();
    const { lists, listed, clock } = listsOf({ pages: () => slow.promise });
    const read = async () => lists.getOptional('prompts');
    const first = read();
    await turns();
    clock.advance(10_000);
    await expect(first).rejects.toMatchObject({ code: 'call/timeout' });
    const second = read();
    await turns();
    clock.advance(0);
    await expect(second).rejects.toMatchObject({ code: 'call/timeout' });
    expect(listed).toEqual(['prompts']);
    slow.resolve([{ prompts: [{ name: 'explain' }] }]);
    await turns();
    expect(await names(read())).toEqual(['explain']);
  });

  it('change with their templates', async () => {
    const { lists, listed, notify } = listsOf({});
    await lists.get('templates');
    notify('change', { list: 'resources' });
    await lists.get('templates');
    expect(listed).toEqual(['resourceTemplates', 'resourceTemplates']);
  });

  it('expire after the lifetime that the server gives, when it notifies of no changes', async () => {
    const pages = () => [
      { tools: [tool('a')], ttlMs: 500 },
      { tools: [], ttlMs: 1000 },
    ];
    const { lists, listed, clock } = listsOf({ capabilities: { tools: {} }, pages });
    await lists.get('tools');
    clock.advance(499);
    await lists.get('tools');
    expect(listed).toHaveLength(1);
    clock.advance(1);
    await lists.getCached('tools');
    expect(listed).toHaveLength(1);
    await lists.get('tools');
    expect(listed).toHaveLength(2);
  });

  it('are empty without a request where the server has none', async () => {
    const { lists, listed } = listsOf({ capabilities: {} });
    expect(await lists.get('resources')).toMatchObject({ items: [] });
    expect(listed).toEqual([]);
  });

  it('report that the server did not send a list that it declares', async () => {
    const { lists } = listsOf({ pages: () => [{ tools: [] }], missing: ['prompts'] });
    expect(await lists.get('tools')).toMatchObject({ items: [], isMissing: false });
    expect(await lists.get('prompts')).toMatchObject({ items: [], isMissing: true });
  });

  it('reject with any other error', async () => {
    const { lists } = listsOf({
      pages: async () => {
        throw rpcError(-32603, 'Internal error');
      },
    });
    await expect(lists.get('tools')).rejects.toMatchObject({ rpcCode: -32603 });
  });

  it('are read again after a failure', async () => {
    let fails = true;
    const pages = async () => {
      if (fails) throw new Error('not now');
      return [{ tools: [tool('a')] }];
    };
    const { lists } = listsOf({ pages });
    await expect(lists.get('tools')).rejects.toThrow('not now');
    await turns();
    fails = false;
    expect(await names(lists.get('tools'))).toEqual(['a']);
  });

  it('are dropped when another process was read, also when they arrive later', async () => {
    const late = deferred<JsonObject[]>();
    let round = 0;
    const { lists } = listsOf({ pages: () => (round++ === 0 ? late.promise : [{ tools: [tool('new')] }]) });
    const first = lists.get('tools');
    await turns();
    lists.clear();
    expect(await names(lists.get('tools'))).toEqual(['new']);
    late.resolve([{ tools: [tool('old')] }]);
    await first;
    expect(await names(lists.get('tools'))).toEqual(['new']);
  });
});

describe('the lists of a hostile server', () => {
  it('contain the first entry of each name, with a report', async () => {
    const pages = () => [{ tools: [tool('a', { title: 'first' }), tool('a', { title: 'second' }), tool('b')] }];
    const { lists, errors } = listsOf({ pages });
    expect((await lists.get('tools')).items).toMatchObject([{ title: 'first' }, { name: 'b' }]);
    expect(errors).toMatchObject([{ code: 'host/listed-twice', summary: expect.stringContaining('"a"') }]);
  });

  it('contain at most 10,000 entries, with a report', async () => {
    const page = (from: number) => ({ tools: Array.from({ length: 3000 }, (_, n) => tool(`t${from + n}`)) });
    const { lists, errors } = listsOf({ pages: () => [0, 3000, 6000, 9000, 12_000].map(page) });
    expect((await lists.get('tools')).items).toHaveLength(10_000);
    expect(errors).toMatchObject([{ code: 'host/too-many' }]);
  });

  it('contain exactly 10,000 entries without a report', async () => {
    const page = { tools: Array.from({ length: 10_000 }, (_, n) => tool(`t${n}`)) };
    const { lists, errors } = listsOf({ pages: () => [page] });
    expect([(await lists.get('tools')).items.length, errors]).toEqual([10_000, []]);
  });

  it('contain at most 64 Mi characters after their first page', async () => {
    const huge = 'x'.repeat(20 * 1024 * 1024);
    const pages = () => [0, 1, 2, 3, 4].map(at => ({ tools: [tool(`t${at}`, { description: huge })] }));
    const { lists } = listsOf({ pages });
    await expect(lists.get('tools')).rejects.toMatchObject({ code: 'host/too-large' });
    const fewer = listsOf({ pages: () => pages().slice(0, 4) });
    expect((await fewer.lists.get('tools')).items).toHaveLength(4);
  });
});

it('ends its watch when it is closed', async () => {
  const { lists, errors } = listsOf({ capabilities: offersAll });
  lists.close();
  await turns();
  expect(errors).toEqual([]);
});
