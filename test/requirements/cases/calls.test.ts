import { connectPair, fakeClock, protocolVersions } from '@tenon/testing';
import { createServer, tool } from 'tenon';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { connectTo } from '../../../packages/tenon/src/client/connect.js';
import { createClientEndpoint } from '../../../packages/tenon/src/client/connection/http-endpoint.js';
import { createNodeRequester } from '../../../packages/tenon/src/runtimes/node/http/http-requester.js';
import type { ProtocolVersion } from '../../support/official-schema.js';
import { createWire, recordRequester } from '../../versions/wire.js';
import { type Json, newest, peerOf, postAlone, site } from './site.js';

const soon = () => new Promise(resolve => setTimeout(resolve, 10));
const SERVER_INFO = 'io.modelcontextprotocol/serverInfo';

/** A server whose tool works until it is told to stop. */
function working() {
  const reasons: unknown[] = [];
  let started = 0;
  const server = createServer({
    name: 'works',
    version: '3',
    tools: {
      works: tool({
        run: (_, ctx) =>
          new Promise<string>(resolve => {
            started += 1;
            ctx.signal.addEventListener('abort', () => {
              reasons.push(ctx.signal.reason);
              resolve('stopped');
            });
          }),
      }),
      quick: tool({ run: () => 'done' }),
    },
    onError: () => {},
  });
  return { server, reasons, hasStarted: () => expect.poll(() => started, { interval: 5 }).toBeGreaterThan(0) };
}

describe.each(protocolVersions)('a call on %s', protocolVersion => {
  it('is cancelled by its caller, and its handler gets the abort signal [cancellation.client-should-cancel, cancellation.unsupported-by-handler]', async () => {
    const { server, reasons, hasStarted } = working();
    const cancelled: Json[] = [];
    const client = await connectPair(server, {
      protocolVersion,
      onMessage(from, message) {
        const { method, params } = message as unknown as { method?: string; params: Json };
        if (from === 'client' && method === 'notifications/cancelled') cancelled.push(params);
      },
    });
    const giveUp = new AbortController();
    const call = client.callTool('works', {}, { signal: giveUp.signal }).catch(({ code }) => code);
    await hasStarted();
    giveUp.abort();
    expect(await call).toBe('call/aborted');
    await expect.poll(() => reasons.length, { interval: 5 }).toBe(1);
    expect(cancelled.length).toBe(1);
    await client.close();
  });

  it('has the timeout that its caller sets [lifecycle.timeouts.per-request, lifecycle.errors.handled, tools.client.timeouts]', async () => {
    const clock = fakeClock();
    const client = await connectPair(working().server, { protocolVersion, clock });
    const ended: string[] = [];
    const call = (name: string, options: object) =>
      client.callTool('works', {}, options).catch(({ code }) => void ended.push(`${name} ${code}`));
    const calls = [call('short', { idleTimeout: 1000 }), call('total', { totalTimeout: 2000 }), call('usual', {})];
    await soon();
    for (const [ms, expected] of [
      [999, []],
      [1, ['short call/timeout']],
      [1000, ['short call/timeout', 'total call/timeout']],
      [58_000, ['short call/timeout', 'total call/timeout', 'usual call/timeout']],
    ] as const) {
      clock.advance(ms);
      await soon();
      await vi.waitFor(() => expect(ended).toEqual(expected));
    }
    await Promise.all(calls);
    await client.close();
  });
});

describe('a cancellation', () => {
  it('is ignored for a request that is unknown, ended or malformed [cancellation.invalid-ignored]', async () => {
    const { server } = working();
    const { ask, say, received, close } = await peerOf(server);
    await ask('tools/call', { name: 'quick' });
    const before = received.length;
    for (const params of [
      { requestId: 2 },
      { requestId: 'x' },
      { requestId: null },
      { requestId: {} },
      {},
      { requestId: 2, reason: 7 },
    ])
      await say({ method: 'notifications/cancelled', params });
    await say({ method: 'notifications/cancelled' });
    expect(await ask('tools/call', { name: 'quick' })).toMatchObject({ result: { content: [{ text: 'done' }] } });
    expect(received.length).toBe(before + 1);
    await close();
  });

  it.each(['2025-03-26', '2025-06-18', '2025-11-25', newest])(
    'is sent over HTTP on %s as the version requires [http.sse.cancel-explicitly, cancellation.http-notification-not-expected]',
    async protocolVersion => {
      const { server, reasons, hasStarted } = working();
      const url = await site(server);
      const wire = createWire(protocolVersion as ProtocolVersion);
      const endpoint = createClientEndpoint({ url, transport: 'http' }, recordRequester(createNodeRequester(), wire));
      const client = await connectTo(endpoint, { protocolVersion });
      onTestFinished(() => client.close());
      const giveUp = new AbortController();
      const call = client.callTool('works', {}, { signal: giveUp.signal }).catch(({ code }) => code);
      await expect.poll(() => wire.sent('client', 'tools/call').length, { interval: 5 }).toBe(1);
      await hasStarted();
      giveUp.abort();
      expect(await call).toBe('call/aborted');
      await expect.poll(() => reasons.length, { interval: 5 }).toBe(1);
      expect(wire.sent('client', 'notifications/cancelled').length).toBe(protocolVersion === newest ? 0 : 1);
    },
  );
});

describe('the metadata of each message', () => {
  it('identify client and server in every request and every result [meta.client-info-should, meta.server-info-should, discover.server-info-in-meta]', async () => {
    const crossed: { from: string; message: Json }[] = [];
    const client = await connectPair(working().server, {
      name: 'me',
      version: '7',
      onMessage: (from, message) => crossed.push({ from, message: message as unknown as Json }),
    });
    await client.callTool('quick');
    await client.call('tools/list');
    const metas = crossed.flatMap(({ message: { params, result } }) => [params, result] as (Json | undefined)[]);
    const of = (key: string) => metas.flatMap(each => ((each?._meta as Json | undefined)?.[key] as Json) ?? []);
    const requests = crossed.filter(({ from, message }) => from === 'client' && 'id' in message).length;
    expect(requests).toBeGreaterThan(2);
    expect(of('io.modelcontextprotocol/clientInfo')).toEqual(Array(requests).fill({ name: 'me', version: '7' }));
    expect(of(SERVER_INFO)).toEqual(Array(requests).fill({ name: 'works', version: '3' }));
    const found = crossed
      .map(({ message }) => message.result as Json | undefined)
      .find(each => each?.supportedVersions);
    expect(found).not.toHaveProperty('serverInfo');
    await client.close();
  });

  it('may contain unknown members [meta.unknown-keys-preserved]', async () => {
    const seen: unknown[] = [];
    const server = createServer({
      name: 's',
      version: '1',
      tools: { t: tool({ run: (_, ctx) => void seen.push(ctx.meta['com.example/odd']) }) },
    });
    const client = await connectPair(server);
    await client.callTool('t', {}, { meta: { 'com.example/odd': { deep: [1] }, odd: null } });
    expect(seen).toEqual([{ deep: [1] }]);
    await client.close();
    const url = await site(working().server);
    expect((await postAlone(url, 'tools/list', { odd: 1 })).status).toBe(200);
  });
});

describe.each(protocolVersions.filter(version => version >= '2025-06-18'))('a form on %s', protocolVersion => {
  const input = {
    type: 'object',
    properties: { name: { type: 'string', default: 'Ada' }, age: { type: 'integer', minimum: 0 } },
    required: ['age'],
  } as const;
  const asking = createServer({
    name: 's',
    version: '1',
    tools: { ask: tool({ run: async (_, ctx) => JSON.stringify(await ctx.elicit({ message: 'Who?', input })) }) },
    onError: () => {},
  });

  async function answered(elicit: () => unknown) {
    const answers: unknown[] = [];
    const client = await connectPair(asking, {
      protocolVersion,
      elicit: elicit as never,
      onMessage(from, message) {
        const { result, params } = message as unknown as { result?: Json; params?: Json };
        if (from === 'client')
          answers.push(...[result, ...Object.values((params?.inputResponses ?? {}) as Json)].filter(Boolean));
      },
    });
    const result = await client.callTool('ask').catch(({ code }) => code);
    await client.close();
    return { answers, result };
  }

  it('is validated by the client before it responds [elicitation.form.client-validates]', async () => {
    for (const content of [{ age: -1 }, { age: 'x' }, { name: 'Grace' }]) {
      const { answers } = await answered(() => ({ action: 'accept', content }));
      expect(answers).toEqual([]);
    }
    const { answers } = await answered(() => ({ action: 'accept', content: { age: 36, name: 'Grace' } }));
    expect(answers).toEqual([{ action: 'accept', content: { age: 36, name: 'Grace' } }]);
  });

  it('has no content when declined or cancelled, whatever the handler returned [elicitation.response.no-content-otherwise, elicitation.response.server-handles-each]', async () => {
    for (const action of ['decline', 'cancel']) {
      const { answers, result } = await answered(() => ({ action, content: { age: 36 } }));
      expect(answers).toEqual([{ action }]);
      expect(result).toMatchObject({ content: [{ text: JSON.stringify({ action }) }] });
    }
  });

  it('gets the defaults of missing fields, if the protocol version has defaults [elicitation.form.defaults-prefilled]', async () => {
    const { answers } = await answered(() => ({ action: 'accept', content: { age: 36 } }));
    const name = protocolVersion === '2025-06-18' ? {} : { name: 'Ada' };
    expect(answers).toEqual([{ action: 'accept', content: { age: 36, ...name } }]);
  });
});
