import type { JsonObject } from '@tenon/base';
import { connectPair, protocolVersions } from '@tenon/testing';
import { describe, expect, it } from 'vitest';
import type { Context } from '../../handler/context.js';
import { inputRequired } from '../../handler/tool-result.js';
import { tool } from '../definitions/tool.js';
import { createServer } from '../server.js';

const soon = () => new Promise(resolve => setImmediate(resolve));

/** Runs a handler once, and returns what crossed on the way back. */
async function run(
  protocolVersion: string,
  handler: (ctx: Context) => unknown,
  more: { progressToken?: unknown; signal?: AbortSignal; logLevel?: 'debug' } = {},
) {
  const messages: JsonObject[] = [];
  const requests: JsonObject[] = [];
  const server = createServer({
    name: 's',
    version: '1',
    onError: () => {},
    tools: { t: tool({ run: (_, ctx) => handler(ctx) as never }) },
  });
  const client = await connectPair(server, {
    protocolVersion,
    validate: 'off',
    logLevel: 'debug',
    roots: [],
    onMessage: (from, message) => void (from === 'server' ? messages : requests).push(message as unknown as JsonObject),
  });
  messages.length = 0;
  const result = await client.callTool('t', {}, more.signal ? { signal: more.signal } : {}).catch(error => error);
  await soon();
  await client.close();
  const call = requests.find(({ method }) => method === 'tools/call') as { params: { _meta: JsonObject } };
  const of = (method: string) =>
    messages.filter(each => each.method === method).map(({ params }) => params as JsonObject);
  return {
    result,
    messages,
    token: call.params._meta.progressToken,
    progress: of('notifications/progress'),
    logs: of('notifications/message'),
  };
}

describe.each(protocolVersions)('the context of a handler, on %s', version => {
  it('reports growing progress with the token of the request, and drops progress that does not grow [progress.increases progress.token-echoed progress.token-in-meta progress.floats-accepted]', async () => {
    const { progress, token } = await run(version, ctx => {
      for (const n of [0, 0.5, 0.5, 0.4, Number.NaN, 1, -1, Number.POSITIVE_INFINITY, 2]) ctx.progress(n, 2, 'm');
      ctx.progress(3, Number.NaN);
    });
    expect(progress.map(({ progress: n }) => n)).toEqual([0, 0.5, 1, 2, 3]);
    expect(progress.every(({ progressToken }) => progressToken === token)).toBe(true);
    expect(progress[0]).toMatchObject({ total: 2 });
    expect(progress.at(-1)).not.toHaveProperty('total');
  });

  it('reports no smaller progress when the handler runs again [progress.increases]', async () => {
    const { progress } = await run(version, ctx => {
      if (version === '2026-07-28') return 'each entry is a request of its own there';
      ctx.progress(1);
      if (ctx.inputs.requestState === 'again') {
        ctx.progress(2);
        return 'done';
      }
      ctx.progress(1.5);
      return inputRequired({ requestState: 'again' });
    });
    const numbers = progress.map(({ progress: n }) => n as number);
    expect(numbers).toEqual(version === '2026-07-28' ? [] : [1, 1.5, 2]);
  });

  it('sends nothing after the response [progress.stops-after-completion progress.known-token-only]', async () => {
    let stored: Context | undefined;
    const { messages } = await run(version, ctx => {
      stored = ctx;
      setImmediate(() => {
        ctx.progress(1);
        ctx.log('error', 'late');
        ctx.notify('com.example/late');
      });
      return 'done';
    });
    stored?.progress(2);
    stored?.log('error', 'later');
    await soon();
    expect(messages).toHaveLength(1);
    expect(messages[0]).toHaveProperty('result');
    expect(stored?.signal.aborted).toBe(false);
  });

  it('sends nothing after the request is cancelled [cancellation.race-safe progress.stops-after-completion cancellation.server-no-further-messages]', async () => {
    const controller = new AbortController();
    const { result, messages } = await run(
      version,
      async ctx => {
        ctx.log('error', 'before');
        controller.abort();
        await new Promise<void>(resolve => ctx.signal.addEventListener('abort', () => resolve()));
        ctx.log('error', 'after');
        ctx.progress(1);
        return 'too late';
      },
      { signal: controller.signal },
    );
    expect(result).toMatchObject({ code: 'call/aborted' });
    expect(messages).toHaveLength(1);
  });

  it('logs from the level that the client set [logging.level-order]', async () => {
    const { logs } = await run(version, ctx => {
      for (const level of ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const)
        ctx.log(level, { level }, 'l');
      expect(() => ctx.log('loud' as never, 1)).toThrow('`level` of ctx.log is invalid');
      ctx.log('error', undefined);
    });
    expect(logs).toHaveLength(9);
    expect(logs[0]).toMatchObject({ level: 'debug', data: { level: 'debug' }, logger: 'l' });
    expect(logs.at(-1)).toMatchObject({ data: null });
  });

  it('contains the caller and the protocol version', async () => {
    let seen: unknown;
    await run(version, ctx => {
      seen = [ctx.protocolVersion, ctx.client.info?.name, Object.keys(ctx.client.capabilities), ctx.auth];
    });
    const declared = version === '2026-07-28' ? ['roots', 'extensions'] : ['roots'];
    expect(seen).toEqual([version, 'tenon', declared, undefined]);
  });
});

describe('a request with an invalid progress token', () => {
  it.each([undefined, null, 1.5, {}, true])(
    'gets no progress for token %j [progress.token-type progress.known-token-only]',
    async progressToken => {
      const messages: unknown[] = [];
      const server = createServer({
        name: 's',
        version: '1',
        tools: { t: tool({ run: (_, ctx) => ctx.progress(1) }) },
      });
      const _meta = {
        progressToken,
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
      };
      const request = { jsonrpc: '2.0' as const, id: 1, method: 'tools/call', params: { name: 't', _meta } };
      const mode = server.classifyRequest(request);
      if (mode.opening !== 'per-request') throw new Error(mode.opening);
      await server.answer(request, mode, {
        send: message => void messages.push(message),
        onClientClosed: () => {},
      });
      expect(messages).toEqual([]);
    },
  );
});
