/** Streams that live long are no longer authorized than the request that opened them. */

import { fakeClock } from '@tenon/testing';
import { createServer, tool } from 'tenon';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  alone,
  eventsOf,
  JSON_HEADERS,
  openSession,
  runtimes,
  type Site,
} from '../../packages/tenon/src/transports/http/fixtures/sites.js';

const EXPIRES = 60_000;
const expiring = (at = EXPIRES) => ({ 'x-expires': String(at) });

describe.each(runtimes)('an expired token on $name', ({ open }) => {
  async function serve() {
    const clock = fakeClock();
    let finish = (): void => {};
    const server = createServer({
      name: 'notes',
      version: '1.0.0',
      tools: {
        slow: tool({
          async run(_, ctx) {
            ctx.log('error', 'begun');
            await new Promise<void>(resolve => {
              finish = resolve;
            });
            return 'done';
          },
        }),
      },
      resources: { 'note://a': { read: () => 'a' } },
    });
    const site = await open(server, {
      clock,
      limits: { keepAliveInterval: 0 },
      authorize: facts => ({ auth: { principal: 'ada', expiresAt: Number(facts.header('x-expires')) } }),
    });
    onTestFinished(() => site.close({ timeout: 0 }));
    return { clock, site, finish: () => finish() };
  }

  /** Reads a stream to its end in the background. */
  function read(response: Response) {
    const data: string[] = [];
    const ended = (async () => {
      for await (const { data: text } of eventsOf(response)) if (text) data.push(text);
    })();
    let open = true;
    void ended.then(() => {
      open = false;
    });
    return { data, ended, isOpen: () => open };
  }

  const turn = () => new Promise(resolve => setImmediate(resolve));

  it('ends the standalone stream of a session, which continues with another token', async () => {
    const { clock, site } = await serve();
    const session = await openSession(site, '2025-11-25', expiring());
    const stream = read(await session.get());
    clock.advance(EXPIRES - 1);
    await turn();
    expect(stream.isOpen()).toBe(true);
    clock.advance(1);
    await stream.ended;
    expect((await session.get(expiring(2 * EXPIRES))).status).toBe(200);
  });

  it('ends a stream of subscriptions/listen with its response', async () => {
    const { clock, site } = await serve();
    const init = alone('subscriptions/listen', { notifications: { resourceSubscriptions: ['note://a'] } });
    const stream = read(await site.send('/mcp', { ...init, headers: { ...init.headers, ...expiring() } }));
    await expect.poll(() => stream.data.length).toBe(1);
    clock.advance(EXPIRES);
    await stream.ended;
    expect(JSON.parse(stream.data.at(-1) ?? '')).toMatchObject({ id: 1, result: { resultType: 'complete' } });
    expect(clock.timers).toBe(0);
  });

  it('ends a stream of HTTP+SSE, unless its client sends a later token', async () => {
    const { clock, site } = await serve();
    const connect = async () => {
      const response = await site.send('/sse', { headers: { accept: 'text/event-stream', ...expiring() } });
      const stream = read(response);
      await expect.poll(() => stream.data.length).toBe(1);
      return { stream, path: `/${stream.data[0]}` };
    };
    const [silent, active] = [await connect(), await connect()];
    const body = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' });
    const headers = { ...JSON_HEADERS, ...expiring(2 * EXPIRES) };
    expect((await site.send(active.path, { method: 'POST', headers, body })).status).toBe(202);
    clock.advance(EXPIRES);
    await silent.stream.ended;
    await turn();
    expect(active.stream.isOpen()).toBe(true);
    clock.advance(EXPIRES);
    await active.stream.ended;
  });

  it('ends the connection of a call where the client can resume it, and delivers the response there', async () => {
    const { clock, site, finish } = await serve();
    const session = await openSession(site, '2025-11-25', expiring());
    const call = { jsonrpc: '2.0', id: 5, method: 'tools/call', params: { name: 'slow', arguments: {} } };
    const response = await session.post(call);
    const ids: string[] = [];
    const ended = (async () => {
      for await (const { id } of eventsOf(response)) if (id) ids.push(id);
    })();
    await expect.poll(() => ids.length).toBe(2);
    clock.advance(EXPIRES);
    await ended;
    const resumed = read(await session.get({ ...expiring(2 * EXPIRES), 'last-event-id': ids.at(-1) ?? '' }));
    finish();
    await resumed.ended;
    expect(JSON.parse(resumed.data.at(-1) ?? '')).toMatchObject({ id: 5, result: { content: [{ text: 'done' }] } });
  });

  it.each([
    ['a session that cannot resume', '2025-06-18'],
    ['no session', '2026-07-28'],
  ])('leaves the stream of a call open in %s until its response', async (_, version) => {
    const { clock, site, finish } = await serve();
    const stream = read(await begin(site, version));
    await expect.poll(() => stream.data.length).toBe(1);
    clock.advance(2 * EXPIRES);
    await turn();
    finish();
    await stream.ended;
    expect(JSON.parse(stream.data.at(-1) ?? '')).toMatchObject({ result: { content: [{ text: 'done' }] } });
  });

  async function begin(site: Site, version: string): Promise<Response> {
    const params = { name: 'slow', arguments: {}, _meta: { progressToken: 1 } };
    if (version !== '2026-07-28') {
      const session = await openSession(site, version, expiring());
      return session.post({ jsonrpc: '2.0', id: 5, method: 'tools/call', params });
    }
    const init = alone('tools/call', { name: 'slow', arguments: {} });
    const body = JSON.parse(String(init.body));
    body.params._meta['io.modelcontextprotocol/logLevel'] = 'debug';
    return site.send('/mcp', { ...init, headers: { ...init.headers, ...expiring() }, body: JSON.stringify(body) });
  }
});
