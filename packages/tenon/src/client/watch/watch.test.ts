import type { TenonError } from '@tenon/base';
import { fakeClock, protocolVersions } from '@tenon/testing';
import { connect } from 'tenon';
import { createHandler } from 'tenon/http';
import { describe, expect, it } from 'vitest';
import { SUBSCRIPTION_ID } from '../../protocol/meta.js';
import { prompt } from '../../server/definitions/prompt.js';
import { resource } from '../../server/definitions/resource.js';
import { tool } from '../../server/definitions/tool.js';
import { createServer } from '../../server/server.js';

const createTool = () => tool({ run: () => 'done' });
const nextTurn = () => new Promise(resolve => setImmediate(resolve));

it('watches longer than the timeout of calls', async () => {
  const clock = fakeClock();
  const server = createServer({ name: 'shop', version: '1.0.0', tools: { first: createTool() } });
  const client = await connect(server, { clock, totalTimeout: 1000, protocolVersion: '2026-07-28' });
  const errors: string[] = [];
  client.on('error', ({ code }) => errors.push(code));
  const changes = client.watch({ tools: true })[Symbol.asyncIterator]();
  const change = changes.next();
  await nextTurn();
  clock.advance(60_000);
  await nextTurn();
  server.tools.set('second', createTool());
  expect(await change).toEqual({ done: false, value: { list: 'tools' } });
  expect(errors).toEqual([]);
  await changes.return?.();
  await client.close();
});

it.each(protocolVersions.flatMap(version => [true, false].map(isLost => [version, isLost] as const)))(
  'fails at once when the client is closed, on %s, also while it waits to connect again (%s)',
  async (protocolVersion, isLost) => {
    const server = createServer({
      name: 'shop',
      version: '1.0.0',
      resources: { 'note://a': resource({ name: 'a', read: () => 'a' }) },
    });
    const client = await connect(server, { clock: fakeClock(), protocolVersion });
    client.on('error', () => {});
    let isSubscribed = false;
    const onSubscribed = () => {
      isSubscribed = true;
    };
    const changes = client.watch('note://a', { onSubscribed })[Symbol.asyncIterator]();
    const change = changes.next();
    while (!isSubscribed) await nextTurn();
    if (isLost) void server.close();
    for (let turns = 0; turns < 20; turns += 1) await nextTurn();
    void client.close();
    await expect(change).rejects.toMatchObject({ code: 'connection/closed' });
  },
);

it('keeps the process alive while it waits to open a broken stream again', async () => {
  const clock = fakeClock();
  const held: unknown[] = [];
  const after: typeof clock.after = (ms, run, options) => {
    if (ms === 1000) held.push(options?.hold);
    return clock.after(ms, run, options);
  };
  const server = createServer({ name: 'shop', version: '1.0.0', tools: { first: createTool() } });
  const client = await connect(server, { clock: { ...clock, after }, protocolVersion: '2026-07-28' });
  client.on('error', () => {});
  const ending = new AbortController();
  const changes = client.watch({ tools: true }, { signal: ending.signal })[Symbol.asyncIterator]();
  const change = changes.next();
  await nextTurn();
  void server.close();
  for (let turns = 0; turns < 100 && held.length === 0; turns += 1) await nextTurn();
  expect(held).toEqual([true]);
  ending.abort();
  expect(await change).toEqual({ done: true, value: undefined });
  void client.close();
});

it('gives no advice about calls when the stream of a subscription is lost', async () => {
  const handler = createHandler(createServer({ name: 'shop', version: '1.0.0', tools: { first: createTool() } }));
  const fetch = async (input: string | URL, init?: RequestInit) => {
    const request = new Request(input, init);
    if (!(await request.clone().text()).includes('subscriptions/listen')) return handler(request);
    return new Response(': begun\n\n', { headers: { 'content-type': 'text/event-stream' } });
  };
  const target = { url: 'http://localhost:3000/mcp', fetch };
  const client = await connect(target, { clock: fakeClock(), protocolVersion: '2026-07-28' });
  const ending = new AbortController();
  const reported = new Promise<TenonError>(resolve => client.on('error', resolve));
  const changes = client.watch({ tools: true }, { signal: ending.signal })[Symbol.asyncIterator]();
  const change = changes.next();
  const { code, hint } = await reported;
  expect(code).toBe('call/outcome-unknown');
  expect(hint).toMatch(/^do nothing/);
  ending.abort();
  await change;
  await client.close();
  await handler.close({ timeout: 0 });
});

it.each(['2025-03-26', '2025-06-18', '2025-11-25'] as const)(
  'reports everything watched as changed once when the stream of a session on %s is opened again and cannot be resumed',
  async protocolVersion => {
    const clock = fakeClock();
    const resources = { 'notes:a': resource({ read: () => 'a' }) };
    const handler = createHandler(createServer({ name: 'shop', version: '1.0.0', resources }));
    const streams: ReadableStreamDefaultController<Uint8Array>[] = [];
    const fetch = (input: string | URL, init?: RequestInit) => {
      if (init?.method !== 'GET') return handler(new Request(input, init));
      const body = new ReadableStream<Uint8Array>({ start: controller => void streams.push(controller) });
      return Promise.resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' } }));
    };
    const client = await connect({ url: 'http://localhost:3000/mcp', fetch }, { clock, protocolVersion });
    const reported: unknown[] = [];
    client.on('change', change => reported.push(change));
    const stop = new AbortController();
    const ready = new Promise<void>(onSubscribed => {
      void (async () => {
        const watched = { uris: ['notes:a'], tools: true, resources: true };
        for await (const change of client.watch(watched, { signal: stop.signal, onSubscribed })) seen.push(change);
      })();
    });
    const seen: unknown[] = [];
    await ready;
    await expect.poll(() => streams.length).toBe(1);
    expect(seen).toEqual([]);
    streams[0]?.close();
    const countAfterDelay = () => {
      clock.advance(1_000);
      return streams.length;
    };
    await expect.poll(countAfterDelay).toBe(2);
    const changes = [{ uri: 'notes:a' }, { list: 'tools' }, { list: 'resources' }];
    await expect.poll(() => seen).toEqual(changes);
    expect(reported).toEqual(changes);
    stop.abort();
    await client.close();
    await handler.close({ timeout: 0 });
  },
);

describe.each(['2025-11-25', '2026-07-28'] as const)('a watch of resources on %s', protocolVersion => {
  const start = async () => {
    const resources = { 'notes:a': resource({ read: () => 'a' }) };
    const client = await connect(createServer({ name: 'shop', version: '1.0.0', resources }), { protocolVersion });
    const errors: string[] = [];
    client.on('error', ({ summary }) => errors.push(summary));
    return { client, errors };
  };

  it('tells when the server has accepted it', async () => {
    const { client, errors } = await start();
    const stop = new AbortController();
    const { signal } = stop;
    // The server accepts it before anything has changed.
    const changes = client.watch('notes:a', { signal, onSubscribed: () => stop.abort() });
    expect(await changes[Symbol.asyncIterator]().next()).toEqual({ done: true, value: undefined });
    expect(errors).toEqual([]);
    await client.close();
  });

  it('fails if the server notifies of none of them', async () => {
    const { client } = await start();
    const changes = client.watch('notes:unknown')[Symbol.asyncIterator]();
    await expect(changes.next()).rejects.toMatchObject({ message: expect.stringMatching(/not notify|not found/) });
    await client.close();
  });
});

it('reports resources of which the server does not notify, and watches the others', async () => {
  const resources = { 'notes:a': resource({ read: () => 'a' }) };
  const server = createServer({ name: 'shop', version: '1.0.0', resources });
  const client = await connect(server, { protocolVersion: '2026-07-28' });
  const reported = new Promise(resolve => client.on('error', ({ summary }) => resolve(summary)));
  const stop = new AbortController();
  const change = client
    .watch({ uris: ['notes:a', 'notes:b', 'notes:c'] }, { signal: stop.signal })
    [Symbol.asyncIterator]()
    .next();
  expect(await reported).toBe('the server does not notify of changes of notes:b and 1 more');
  server.notifyResourceUpdated('notes:a');
  expect(await change).toEqual({ done: false, value: { uri: 'notes:a' } });
  stop.abort();
  await client.close();
});

describe.each(protocolVersions)('a watch of a list without entries on %s', protocolVersion => {
  it.each(['tools', 'prompts', 'resources'] as const)('reports the first entry of %s', async list => {
    const server = createServer({ name: 'shop', version: '1.0.0' });
    const client = await connect(server, { protocolVersion });
    const stop = new AbortController();
    const ready = new Promise<void>(resolve => {
      void (async () => {
        const changes = client.watch({ [list]: true }, { signal: stop.signal, onSubscribed: resolve });
        for await (const change of changes) seen.push(change);
      })();
    });
    const seen: unknown[] = [];
    await ready;
    if (list === 'tools') server.tools.set('first', createTool() as never);
    else if (list === 'prompts') server.prompts.set('first', prompt({ run: () => 'done' }) as never);
    else server.resources.set('notes:a', resource({ read: () => 'a' }) as never);
    await expect.poll(() => seen).toEqual([{ list }]);
    // The server did not declare the list when the client connected.
    expect(await client.call(`${list}/list`)).toHaveProperty(list, [expect.anything()]);
    stop.abort();
    await client.close();
  });
});

describe('watches of the same resource on a version with subscriptions', () => {
  const start = async () => {
    const resources = { 'notes:a': resource({ read: () => 'a' }), 'notes:b': resource({ read: () => 'b' }) };
    const server = createServer({ name: 'shop', version: '1.0.0', resources });
    const requests: string[] = [];
    const client = await connect(server, {
      protocolVersion: '2025-11-25',
      onMessage: (_, message) => {
        const { method } = message as { method?: string };
        if (method?.includes('subscribe')) requests.push(method);
      },
    });
    const watch = async (signal: AbortSignal, uris: readonly string[] = ['notes:a']) => {
      const seen: unknown[] = [];
      let onSubscribed = () => {};
      const subscribed = new Promise<void>(resolve => {
        onSubscribed = resolve;
      });
      const ended = (async () => {
        for await (const change of client.watch({ uris }, { signal, onSubscribed })) seen.push(change);
      })();
      await Promise.race([subscribed, ended]);
      return { seen, ended };
    };
    return { server, client, requests, watch };
  };

  it('subscribe once, and unsubscribe when the last one ends', async () => {
    const { server, client, requests, watch } = await start();
    const [first, second] = [new AbortController(), new AbortController()];
    const [{ ended }, open] = await Promise.all([watch(first.signal), watch(second.signal)]);
    first.abort();
    await ended;
    server.notifyResourceUpdated('notes:a');
    await expect.poll(() => open.seen).toEqual([{ uri: 'notes:a' }]);
    expect(requests).toEqual(['resources/subscribe']);
    second.abort();
    await open.ended;
    expect(requests).toEqual(['resources/subscribe', 'resources/unsubscribe']);
    const third = new AbortController();
    const again = await watch(third.signal);
    server.notifyResourceUpdated('notes:a');
    await expect.poll(() => again.seen).toEqual([{ uri: 'notes:a' }]);
    third.abort();
    await again.ended;
    await client.close();
  });

  it('unsubscribe from the resources before the one that the server refuses', async () => {
    const { client, requests, watch } = await start();
    const failed = watch(new AbortController().signal, ['notes:a', 'notes:b', 'notes:missing']);
    await expect(failed).rejects.toMatchObject({ code: 'peer/error' });
    expect(requests.toSorted()).toEqual([
      ...Array(3).fill('resources/subscribe'),
      ...Array(2).fill('resources/unsubscribe'),
    ]);
    await client.close();
  });
});

describe('a watch whose reader is busy', () => {
  /** Watches resources, and reads nothing after the first change until the last one of the reported changes arrived. */
  const collect = async (uris: readonly string[], reported: readonly string[]) => {
    const report = tool({
      input: { type: 'object' },
      run: (_, ctx) => {
        for (const uri of reported) ctx.notify('notifications/resources/updated', { uri });
        return 'done';
      },
    });
    const resources = { 'file:///{name}': resource({ name: 'file', read: ({ name }) => name }) };
    const server = createServer({ name: 'shop', version: '1.0.0', tools: { report }, resources });
    const client = await connect(server, { protocolVersion: '2025-11-25' });
    const stop = new AbortController();
    let called: Promise<unknown> = Promise.resolve();
    const onSubscribed = () => {
      called = client.callTool('report');
    };
    const options = { signal: stop.signal, isSubscribed: () => true, onSubscribed };
    const seen: string[] = [];
    for await (const change of client.watch({ uris }, options)) {
      await called;
      // The queue yields all unread changes before the watch ends.
      stop.abort();
      if ('uri' in change) seen.push(change.uri);
    }
    await client.close();
    return seen;
  };

  it('yields each of 1,200 resources that have changed', async () => {
    const uris = Array.from({ length: 1200 }, (_, index) => `file:///${index}`);
    expect(await collect(uris, uris)).toEqual(uris);
  });

  it('yields sub-resources under their own URI, and the watched resource for those beyond 1,000', async () => {
    const below = Array.from({ length: 1100 }, (_, index) => `file:///dir/${index}.txt`);
    const seen = await collect(['file:///dir'], ['file:///director/a.txt', ...below]);
    expect(seen.slice(0, 1000)).toEqual(below.slice(0, 1000));
    expect(seen.at(-1)).toBe('file:///dir');
    expect(seen.length).toBeLessThan(1010);
  });
});

describe('a watch of a list that the server does not offer', () => {
  /** Connects to a server with tools only, which acknowledges no list. */
  const start = async () => {
    const handler = createHandler(createServer({ name: 'shop', version: '1.0.0', tools: { first: createTool() } }));
    const fetch = async (input: string | URL, init?: RequestInit) => {
      const request = new Request(input, init);
      const body = await request.clone().text();
      if (!body.includes('subscriptions/listen')) return handler(request);
      const params = { _meta: { [SUBSCRIPTION_ID]: JSON.parse(body).id }, notifications: {} };
      const message = { jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged', params };
      const stream = new ReadableStream<Uint8Array>({
        start: controller => controller.enqueue(new TextEncoder().encode(`data: ${JSON.stringify(message)}\n\n`)),
      });
      return new Response(stream, { headers: { 'content-type': 'text/event-stream' } });
    };
    const target = { url: 'http://localhost:3000/mcp', fetch };
    const client = await connect(target, { clock: fakeClock(), protocolVersion: '2026-07-28' });
    const end = async () => {
      await client.close();
      await handler.close({ timeout: 0 });
    };
    return { client, end };
  };

  it('fails on 2026-07-28 if the server neither declares nor acknowledges it', async () => {
    const { client, end } = await start();
    let isSubscribed = false;
    const onSubscribed = () => {
      isSubscribed = true;
    };
    const changes = client.watch({ prompts: true, resources: true }, { onSubscribed })[Symbol.asyncIterator]();
    await expect(changes.next()).rejects.toMatchObject({
      code: 'call/not-offered',
      summary: 'the server does not notify of changes of the list of prompts and 1 more',
      data: { lists: ['prompts', 'resources'] },
    });
    expect(isSubscribed).toBe(false);
    await end();
  });

  it('reports it on 2026-07-28, and watches the list that the server declares', async () => {
    const { client, end } = await start();
    const reported = new Promise<TenonError>(resolve => client.on('error', resolve));
    const stop = new AbortController();
    const change = client.watch({ tools: true, prompts: true }, { signal: stop.signal })[Symbol.asyncIterator]().next();
    expect(await reported).toMatchObject({ code: 'call/not-offered', data: { lists: ['prompts'] } });
    stop.abort();
    expect(await change).toEqual({ done: true, value: undefined });
    await end();
  });

  it('reports it on 2025-11-25, where a server may notify of it all the same', async () => {
    const server = createServer({ name: 'shop', version: '1.0.0', tools: { first: createTool() } });
    const client = await connect(server, { protocolVersion: '2025-11-25' });
    const errors: unknown[] = [];
    client.on('error', ({ code, data }) => errors.push({ code, data }));
    const stop = new AbortController();
    const options = { signal: stop.signal, onSubscribed: () => stop.abort() };
    for await (const _ of client.watch({ tools: true, prompts: true }, options));
    expect(errors).toEqual([{ code: 'call/not-offered', data: { capability: 'prompts.listChanged' } }]);
    await client.close();
  });
});

it.each([
  [{ resources: ['notes:a'] }, /resources.*true or false/],
  [{ uris: 'notes:a' }, /uris.*array/],
  [{ uris: [1] }, /uris\/0.*string/],
  [{ tools: 'yes' }, /tools.*true or false/],
])('refuses %j, which would report nothing', async (target, message) => {
  await using client = await connect(createServer({ name: 's', version: '1', tools: {} }));
  const changes = client.watch(target as never)[Symbol.asyncIterator]();
  await expect(changes.next()).rejects.toMatchObject({
    code: 'options/invalid',
    message: expect.stringMatching(message),
  });
});
