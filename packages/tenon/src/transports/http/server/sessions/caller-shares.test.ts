import { afterEach, describe, expect, it } from 'vitest';
import { type JsonRpcResponse as Answer, createSuccess, type JsonRpcRequest } from '../../../../jsonrpc/message.js';
import { createFakeClock } from '../../fixtures/fake-clock.js';
import { type Behaviour, type Call, createFakeService } from '../../fixtures/fake-service.js';
import { alone, openSession, runtimes, type Site } from '../../fixtures/sites.js';
import { createMemoryEventStore } from '../../sse/event-store.js';
import type { HandlerOptions } from '../options.js';

/** Two ways in which callers are told apart: by user, and by address when they are anonymous. */
const identities: { name: string; options: HandlerOptions }[] = [
  {
    name: 'users',
    options: { authorize: facts => ({ auth: { principal: facts.header('x-caller') ?? 'nobody' } }) },
  },
  { name: 'addresses', options: { clientAddress: request => request.header('x-caller') } },
];

const cases = runtimes.flatMap(runtime => identities.map(identity => ({ ...runtime, identity, by: identity.name })));

describe.each(cases)('shares of $by over $name', ({ open, identity }) => {
  let site: Site;
  const calls: (() => void)[] = [];
  const session = (held: Call) => calls.push(() => void held.answer()) > 0;
  const answerLater = (request: JsonRpcRequest) =>
    new Promise<Answer>(resolve => calls.push(() => resolve(createSuccess(request.id, { resultType: 'complete' }))));
  const serve = async (options: HandlerOptions, behaviour: Behaviour = {}) => {
    site = await open(createFakeService(behaviour), { ...identity.options, ...options });
  };
  const as = (caller: string) => ({ 'x-caller': caller });
  const callAlone = (caller: string) => {
    const init = alone('tools/call', { name: 'echo' });
    return site.send('/mcp', { ...init, headers: { ...init.headers, ...as(caller) } });
  };
  afterEach(async () => {
    calls.length = 0;
    await site.close({ timeout: 0 });
  });

  it('keeps room for sessions of others while one caller opens as many as it can', async () => {
    await serve({ limits: { maxSessions: 6 } });
    const statuses: number[] = [];
    for (let n = 0; n < 8; n += 1) statuses.push((await openSession(site, '2025-11-25', as('eve'))).response.status);
    expect(statuses).toEqual([200, 200, 200, 503, 503, 503, 503, 503]);
    expect((await openSession(site, '2025-11-25', as('ada'))).response.status).toBe(200);
  });

  it('ends idle sessions of the caller whose share is used up, and of no other', async () => {
    const clock = createFakeClock();
    await serve({ clock, limits: { maxSessions: 6, minIdleBeforeEviction: 1000 } });
    const ada = await openSession(site, '2025-11-25', as('ada'));
    clock.advance(10);
    for (let n = 0; n < 2; n += 1) await openSession(site, '2025-11-25', as('eve'));
    clock.advance(2000);
    for (let n = 0; n < 10; n += 1) await openSession(site, '2025-11-25', as('eve'));
    const stored = await ada.post({ jsonrpc: '2.0', id: 2, method: 'ping' });
    expect(stored.status).toBe(200);
  });

  it('responds to others while one caller has as many open requests as it may', async () => {
    await serve({ limits: { maxRequests: 6 } }, { alone: answerLater });
    const held = Array.from({ length: 3 }, () => callAlone('eve'));
    await expect.poll(() => calls.length).toBe(3);
    expect((await callAlone('eve')).status).toBe(503);
    const ada = callAlone('ada');
    await expect.poll(() => calls.length).toBe(4);
    for (const call of calls) call();
    expect((await ada).status).toBe(200);
    for (const each of await Promise.all(held)) expect(each.status).toBe(200);
    expect((await answerNext(callAlone('eve'))).status).toBe(200);
  });

  async function answerNext(response: Promise<Response>): Promise<Response> {
    const before = calls.length;
    await expect.poll(() => calls.length).toBeGreaterThan(before);
    calls.at(-1)?.();
    return response;
  }

  it('counts requests of sessions with those of their caller', async () => {
    await serve({ limits: { maxRequests: 6 } }, { alone: answerLater, session });
    const eve = await openSession(site, '2025-11-25', as('eve'));
    const call = (id: number) => eve.post({ jsonrpc: '2.0', id, method: 'tools/call', params: {} });
    const held = [call(1), call(2), call(3)];
    await expect.poll(() => calls.length).toBe(3);
    expect((await call(4)).status).toBe(503);
    expect((await callAlone('eve')).status).toBe(503);
    for (const each of calls) each();
    for (const each of await Promise.all(held)) expect(each.status).toBe(200);
  });

  it('reads large bodies of others while one caller sends as many as it may', async () => {
    await serve({ limits: { maxReadingBytes: 400_000 } });
    const init = alone('tools/call', { name: 'echo', arguments: { text: 'x'.repeat(99_000) } });
    const body = String(init.body);
    const upload = (caller: string) => {
      let finish = (): void => {};
      const stream = new ReadableStream<Uint8Array>({
        start(controller) {
          controller.enqueue(new TextEncoder().encode(body.slice(0, 10)));
          finish = () => {
            controller.enqueue(new TextEncoder().encode(body.slice(10)));
            controller.close();
          };
        },
      });
      const headers = { ...init.headers, ...as(caller), 'content-length': String(body.length) };
      return { response: site.send('/mcp', { ...init, headers, body: stream }), finish: () => finish() };
    };
    const held = [upload('eve'), upload('eve')];
    await expect
      .poll(
        async () =>
          (
            await site.send('/mcp', {
              ...init,
              headers: { ...init.headers, ...as('eve'), 'content-length': String(body.length) },
            })
          ).status,
      )
      .toBe(503);
    const ada = upload('ada');
    ada.finish();
    expect((await ada.response).status).toBe(200);
    for (const { finish } of held) finish();
    for (const { response } of held) expect((await response).status).toBe(200);
    const again = upload('eve');
    again.finish();
    expect((await again.response).status).toBe(200);
  });

  it('opens streams for others while one caller holds as many as it may', async () => {
    await serve({ limits: { maxStreams: 4 } });
    const listen = async (caller: string) => {
      const session = await openSession(site, '2025-11-25', as(caller));
      return session.get();
    };
    const held = [await listen('eve'), await listen('eve')];
    expect(held.map(({ status }) => status)).toEqual([200, 200]);
    expect((await listen('eve')).status).toBe(503);
    const ada = await listen('ada');
    expect(ada.status).toBe(200);
    for (const each of [...held, ada]) await each.body?.cancel();
  });

  it('opens HTTP+SSE streams for others while one caller holds as many as it may', async () => {
    await serve({ limits: { maxStreams: 4 } });
    const listen = (caller: string) => site.send('/sse', { headers: { accept: 'text/event-stream', ...as(caller) } });
    const held = [await listen('eve'), await listen('eve')];
    expect((await listen('eve')).status).toBe(503);
    const ada = await listen('ada');
    expect(ada.status).toBe(200);
    for (const each of [...held, ada]) await each.body?.cancel();
  });
});

describe('shares of stored messages', () => {
  const bounds = { maxReplayEvents: 100, maxReplayBytes: 1000, maxTotalReplayBytes: 300 };

  it('drops messages of the caller that holds most, although another session is quieter', () => {
    const log = createMemoryEventStore(bounds, session => session.slice(0, 3));
    const first = log.append('ada-1', 1, 'x'.repeat(100));
    for (let n = 0; n < 50; n += 1) log.append(`eve-${n}`, 1, 'x'.repeat(50));
    expect(log.replayAfter('ada-1', '1-0')?.events.map(({ id }) => id)).toEqual([first]);
    expect(log.replayAfter('eve-49', '1-0')?.events).toHaveLength(1);
  });

  it('makes room for a caller with little at the cost of the one that holds most', () => {
    const log = createMemoryEventStore(bounds, session => session.slice(0, 3));
    for (let n = 0; n < 6; n += 1) log.append('eve-1', 1, 'x'.repeat(50));
    const own = log.append('ada-1', 1, 'x'.repeat(100));
    expect(log.replayAfter('ada-1', '1-0')?.events.map(({ id }) => id)).toEqual([own]);
    expect(log.replayAfter('eve-1', '1-0')?.events).toHaveLength(4);
  });
});
