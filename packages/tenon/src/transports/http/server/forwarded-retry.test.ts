import { type JsonObject, TenonError } from '@tenon/base';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Context, rpcError, tool } from '../../../index.js';
import { createFakeClock } from '../fixtures/fake-clock.js';
import { openReplicas, type Replica } from '../fixtures/replicas.js';
import { alone, byName, type Init } from '../fixtures/sites.js';

const META = 'io.modelcontextprotocol/';
const unavailable = new TenonError('store/unavailable', 'restarting');

describe('a retry of 2026-07-28 at another process than the one in which its handler waits', () => {
  let replicas: Replica[] = [];
  let clock = createFakeClock();
  let runs = 0;
  let finish = (): void => {};
  let signal: AbortSignal | undefined;
  const waiting = () =>
    new Promise<void>(resolve => {
      finish = resolve;
    });
  const ask = async (ctx: Context) => {
    // Outside a step, so that it happens again if the handler runs again.
    runs += 1;
    const answer = await ctx.elicit({ message: 'Who?', input: z.object({ name: z.string() }) });
    return `Hello ${answer.content?.name}`;
  };
  const tools = {
    greet: tool({ run: (_, ctx) => ask(ctx) }),
    slow: tool({
      async run(_, ctx) {
        const text = await ask(ctx);
        signal = ctx.signal;
        ctx.progress(1, 2);
        await waiting();
        return text;
      },
    }),
    fail: tool({
      async run(_, ctx) {
        await ask(ctx);
        throw rpcError(-32050, 'sold out', { left: 0 });
      },
    }),
  };
  const open = async () => {
    clock = createFakeClock();
    runs = 0;
    const keys = [{ id: 'k', key: new Uint8Array(32).fill(7) }];
    replicas = await openReplicas(2, { tools, inputRequests: { keys } }, { clock, authorize: byName });
    return replicas as [Replica, Replica];
  };
  afterEach(async () => {
    finish();
    for (const replica of replicas) replica.stores.fault = undefined;
    await Promise.all(replicas.map(replica => replica.close({ timeout: 0 })));
  });

  /** Sends a call, or its retry. */
  const send = (site: Replica, name: string, retry: JsonObject = {}, more: Partial<Init> = {}) => {
    const init = alone('tools/call', { name, ...retry });
    const message = JSON.parse(String(init.body));
    message.params._meta[`${META}clientCapabilities`] = { elicitation: {} };
    message.params._meta.progressToken = 'p';
    const headers = { ...init.headers, 'x-user': 'ada', ...more.headers };
    return site.send('/mcp', { ...init, ...more, headers, body: JSON.stringify(message) });
  };
  const begin = async (site: Replica, name: string): Promise<JsonObject> => {
    const { result } = (await (await send(site, name)).json()) as { result: JsonObject };
    const [key = ''] = Object.keys(result.inputRequests as JsonObject);
    const inputResponses = { [key]: { action: 'accept', content: { name: 'Ada' } } };
    return { requestState: result.requestState, inputResponses };
  };

  /** Advances the clock in small steps, and lets the processes work after each. */
  const advance = async (time: number) => {
    for (let elapsed = 0; elapsed < time; elapsed += 500) {
      clock.advance(500);
      for (let turn = 0; turn < 5; turn++) await new Promise(resolve => setImmediate(resolve));
    }
  };

  it('continues the handler, which does not run again', async () => {
    const [one, two] = await open();
    const retry = await begin(one, 'greet');
    const response = await send(two, 'greet', retry);
    expect(await response.json()).toMatchObject({
      id: 1,
      result: { resultType: 'complete', content: [{ text: 'Hello Ada' }] },
    });
    expect(runs).toBe(1);
    // The state is used up at both processes, and nothing stays in the store.
    for (const site of [one, two])
      expect(await (await send(site, 'greet', retry)).json()).toMatchObject({ error: { code: -32602 } });
    for (const kind of ['mail', 'reply']) expect(await one.stores.values.list(`retry-${kind}`)).toEqual([]);
  });

  it('gets progress and the result in order, also when the bus loses the announcements', async () => {
    const [one, two] = await open();
    const retry = await begin(one, 'slow');
    const responding = send(two, 'slow', retry);
    await expect.poll(() => signal?.aborted).toBe(false);
    two.stores.bus.publish = async () => {};
    finish();
    const polling = setInterval(() => clock.advance(1000), 10);
    const text = await (await responding).text();
    clearInterval(polling);
    expect(text.indexOf('notifications/progress')).toBeGreaterThan(0);
    expect(text.indexOf('Hello Ada')).toBeGreaterThan(text.indexOf('notifications/progress'));
  });

  it('gets the error of a handler that fails', async () => {
    const [one, two] = await open();
    const retry = await begin(one, 'fail');
    expect(await (await send(two, 'fail', retry)).json()).toMatchObject({
      error: { code: -32050, message: 'sold out', data: { left: 0 } },
    });
  });

  it('cancels the handler when the client closes the connection', async () => {
    const [one, two] = await open();
    signal = undefined;
    const retry = await begin(one, 'slow');
    const controller = new AbortController();
    const responding = send(two, 'slow', retry, { signal: controller.signal });
    await expect.poll(() => signal?.aborted).toBe(false);
    controller.abort();
    await expect(responding.then(response => response.text())).rejects.toThrow();
    await expect.poll(() => signal?.aborted).toBe(true);
  });

  it('runs the handler again when that process has stopped', async () => {
    const [one, two] = await open();
    const retry = await begin(one, 'greet');
    one.server.close();
    const polling = setInterval(() => clock.advance(1000), 10);
    const response = await send(two, 'greet', retry);
    clearInterval(polling);
    expect(await response.json()).toMatchObject({ result: { content: [{ text: 'Hello Ada' }] } });
    expect(runs).toBe(2);
  });

  it('rejects with an unknown outcome when that process stops during the call', async () => {
    const [one, two] = await open();
    signal = undefined;
    const retry = await begin(one, 'slow');
    const responding = send(two, 'slow', retry);
    await expect.poll(() => signal?.aborted).toBe(false);
    one.stores.fault = new Error('gone');
    const polling = setInterval(() => clock.advance(1000), 10);
    const text = await (await responding).text();
    clearInterval(polling);
    expect(text).toContain('The outcome of the call is unknown');
    expect(text).toContain('"data":{"outcome":"unknown"}');
    expect(runs).toBe(1);
  });

  it.each([0, 1])('keeps a response that arrives while the store restarts, at each process (%d)', async index => {
    const [one] = await open();
    const site = replicas[index] as Replica;
    const retry = await begin(one, 'greet');
    site.stores.fault = unavailable;
    const responding = send(site, 'greet', retry);
    await advance(9000);
    site.stores.fault = undefined;
    const polling = setInterval(() => clock.advance(1000), 10);
    const response = await responding;
    clearInterval(polling);
    expect(await response.json()).toMatchObject({ result: { content: [{ text: 'Hello Ada' }] } });
    expect(runs).toBe(1);
  });

  it.each([0, 1])('refuses a response with 503 when the store stays away, at each process (%d)', async index => {
    const [one] = await open();
    const site = replicas[index] as Replica;
    const retry = await begin(one, 'greet');
    site.stores.fault = unavailable;
    const responding = send(site, 'greet', retry);
    await advance(40_000);
    const response = await responding;
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
    site.stores.fault = undefined;
    expect(await (await send(site, 'greet', retry)).json()).toMatchObject({ result: { resultType: 'complete' } });
  });

  it('returns the result although the store was away while that process ran the handler', async () => {
    const [one, two] = await open();
    signal = undefined;
    const retry = await begin(one, 'slow');
    const responding = send(two, 'slow', retry);
    await expect.poll(() => signal?.aborted).toBe(false);
    for (const site of [one, two]) site.stores.fault = unavailable;
    await advance(12_000);
    for (const site of [one, two]) site.stores.fault = undefined;
    // The lease of that process has ended meanwhile.
    for (const { key } of await one.stores.values.list('retry-holder')) await one.stores.values.delete(key);
    const polling = setInterval(() => clock.advance(1000), 10);
    finish();
    const text = await (await responding).text();
    clearInterval(polling);
    expect(text).toContain('Hello Ada');
    expect(runs).toBe(1);
  });

  it('rejects another user without a message to that process', async () => {
    const [one, two] = await open();
    const retry = await begin(one, 'greet');
    const response = await send(two, 'greet', retry, { headers: { 'x-user': 'bob' } });
    expect(await response.json()).toMatchObject({ error: { code: -32602 } });
    expect(runs).toBe(1);
    for (const kind of ['mail', 'reply']) expect(await one.stores.values.list(`retry-${kind}`)).toEqual([]);
  });
});
