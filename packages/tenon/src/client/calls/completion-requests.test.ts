import { fakeClock } from '@tenon/testing';
import { describe, expect, it } from 'vitest';
import { prompt } from '../../server/definitions/prompt.js';
import { createServer } from '../../server/server.js';
import { connectTo } from '../connect.js';
import { createInProcessEndpoint } from '../connection/endpoint.js';
import type { ClientOptions } from '../options.js';

const input = { type: 'object', properties: { country: { type: 'string' }, town: { type: 'string' } } } as const;
const ref = { type: 'ref/prompt', name: 'plan' } as const;

async function start(options: ClientOptions = {}) {
  const clock = fakeClock();
  const received: string[] = [];
  const complete = (typed: string) => {
    received.push(typed);
    if (typed === 'bad') throw new Error('no');
    return [`${typed}!`];
  };
  const plan = prompt({ input, complete: { country: complete, town: complete }, run: () => 'x' });
  const server = createServer({ name: 'a', version: '1', prompts: { plan }, onError: () => {} });
  const client = await connectTo(createInProcessEndpoint(server), { clock, ...options });
  const type = async (value: string, name = 'country', signal?: AbortSignal) =>
    (await client.complete({ ref, argument: { name, value } }, signal ? { signal } : {})).values;
  const settle = async () => {
    for (let turn = 0; turn < 20; turn++) await new Promise(resolve => setImmediate(resolve));
  };
  await type('load');
  received.length = 0;
  clock.advance(100);
  return { client, server, clock, received, type, settle };
}

describe('completion requests of a client', () => {
  it('sends the first at once, and only the last of those that follow quickly [completion.client.debounced]', async () => {
    const { client, clock, received, type, settle } = await start();
    expect(await type('g')).toEqual(['g!']);
    const later = ['gl', 'gla', 'glas'].map(value => type(value));
    await settle();
    clock.advance(99);
    await settle();
    expect(received).toEqual(['g']);
    clock.advance(1);
    expect(await Promise.all(later)).toEqual([['glas!'], ['glas!'], ['glas!']]);
    expect(received).toEqual(['g', 'glas']);
    await client.close();
  });

  it('sends a completion of another argument without delay', async () => {
    const { client, received, type } = await start();
    expect(await Promise.all([type('g'), type('b', 'town')])).toEqual([['g!'], ['b!']]);
    expect(received).toEqual(['g', 'b']);
    await client.close();
  });

  it('answers from the cache until its time is over [completion.client.cached]', async () => {
    const { client, clock, received, type } = await start();
    for (let round = 0; round < 3; round++) expect(await type('g')).toEqual(['g!']);
    expect(received).toEqual(['g']);
    clock.advance(10_000);
    await type('g');
    expect(received).toEqual(['g', 'g']);
    await client.close();
  });

  it('forgets the cache when a list of the server changes, and keeps no failure', async () => {
    const { client, server, clock, received, type, settle } = await start();
    await type('g');
    const watching = new AbortController();
    const changes = client.watch({ prompts: true }, { signal: watching.signal })[Symbol.asyncIterator]();
    const changed = changes.next();
    await settle();
    server.prompts.set('other', prompt({ run: () => 'x' }));
    clock.advance(100);
    await settle();
    clock.advance(1000);
    await changed;
    watching.abort();
    await type('g');
    expect(received).toEqual(['g', 'g']);
    clock.advance(100);
    await expect(type('bad')).rejects.toMatchObject({ code: 'peer/error' });
    clock.advance(100);
    await expect(type('bad')).rejects.toMatchObject({ code: 'peer/error' });
    expect(received).toEqual(['g', 'g', 'bad', 'bad']);
    await client.close();
  });

  it('aborts one completion with its signal, and no other', async () => {
    const { client, clock, received, type, settle } = await start();
    await type('g');
    const controller = new AbortController();
    const aborted = type('gl', 'country', controller.signal);
    const last = type('gla');
    await settle();
    controller.abort();
    await expect(aborted).rejects.toMatchObject({ code: 'call/aborted' });
    clock.advance(100);
    expect(await last).toEqual(['gla!']);
    expect(received).toEqual(['g', 'gla']);
    await client.close();
  });

  it('sends each completion at once without the option', async () => {
    const { client, received, type } = await start({ completion: false });
    await Promise.all(['g', 'gl', 'gl'].map(value => type(value)));
    expect(received).toEqual(['g', 'gl', 'gl']);
    await client.close();
  });
});

describe('completeValue with a list of values', () => {
  const values = ['Ireland', 'United Kingdom', 'Iceland', 'Kenya', 'New Zealand', 'Oslo/Kirke', 'Finland'];
  const complete = async (typed: string, fuzzyCompletion?: boolean) => {
    const plan = prompt({ input, complete: { country: values }, run: () => 'x' });
    const server = createServer({ name: 'a', version: '1', prompts: { plan }, fuzzyCompletion });
    const client = await connectTo(createInProcessEndpoint(server), { completion: false });
    const { values: completed } = await client.complete({ ref, argument: { name: 'country', value: typed } });
    await client.close();
    return completed;
  };

  it.each([
    ['', values],
    ['i', ['Ireland', 'Iceland']],
    ['k', ['Kenya', 'United Kingdom', 'Oslo/Kirke']],
    ['KI', ['United Kingdom', 'Oslo/Kirke']],
    ['land', ['Ireland', 'Iceland', 'Finland', 'New Zealand']],
    ['nzd', ['New Zealand']],
    ['xyz', []],
  ])(
    'matches %j, and puts the best match first [completion.fuzzy-matching completion.sorted-by-relevance]',
    async (typed, expected) => {
      expect([...(await complete(typed))].sort()).toEqual([...expected].sort());
      expect((await complete(typed)).slice(0, 2)).toEqual(expected.slice(0, 2));
    },
  );

  it('matches only the beginning without the option', async () => {
    expect(await complete('i', false)).toEqual(['Ireland', 'Iceland']);
  });
});
