import * as api from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { createHost } from '@tenon/host';
import {
  type Client,
  type ClientOptions,
  connect,
  createServer,
  prompt,
  resource,
  rpcError,
  type ServerOptions,
  tool,
  toolError,
} from 'tenon';
import { serveHttp } from 'tenon/node';
import { createTelemetry } from 'tenon/telemetry';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { setUpSdk } from './setup.js';

let sdk: ReturnType<typeof setUpSdk>;
beforeAll(() => {
  sdk = setUpSdk();
});
afterAll(() => sdk.shutDown());

/** Number of calls of the tool `waits` that have begun. */
let waiting = 0;
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  sdk.takeSpans();
});
const use = <T extends { close(): unknown }>(thing: T): T => {
  closing.push(() => thing.close());
  return thing;
};

const telemetry = () => createTelemetry({ api });

const startServer = (options: ServerOptions = {}) =>
  use(
    createServer({
      name: 'traced',
      version: '1.0.0',
      telemetry: telemetry(),
      tools: {
        echo: tool({ input: z.object({ text: z.string() }), run: ({ text }) => text }),
        fails: tool({ run: () => toolError('no such city') }),
        throws: tool({
          run: () => {
            throw rpcError(-32_050, 'not today');
          },
        }),
        waits: tool({
          run: (_, { signal }) =>
            new Promise((_, reject) => {
              waiting += 1;
              signal.addEventListener('abort', reject);
            }),
        }),
        asks: tool({
          run: async (_, ctx) => {
            const { action } = await ctx.elicit({ message: 'Go on?', input: z.object({ sure: z.boolean() }) });
            return action;
          },
        }),
        work: tool({
          run: () => {
            api.trace.getTracer('program').startSpan('query').end();
            return 'done';
          },
        }),
      },
      prompts: { greet: prompt({ run: () => 'Hello' }) },
      resources: { 'test://a': { name: 'a', read: () => 'text' } },
      ...options,
    }),
  );

type Server = ReturnType<typeof startServer>;

const openClient = async (server: Server | string, options: ClientOptions = {}): Promise<Client> =>
  use((await connect(server, { telemetry: telemetry(), ...options })) as Client);

const find = (spans: readonly ReadableSpan[], name: string, kind: api.SpanKind) => {
  const found = spans.filter(span => span.name === name && span.kind === kind);
  expect(found, `${name} in ${spans.map(span => span.name)}`).toHaveLength(1);
  return found[0] as ReadableSpan;
};
const { CLIENT, SERVER } = api.SpanKind;

describe('spans', () => {
  it('have the client as parent of the server, and the attributes of the convention [otel.meta-keys] [otel.inject-client] [otel.extract-server] [otel.no-dep]', async () => {
    const http = use(await serveHttp(startServer(), { port: 0 }));
    const client = await openClient(http.url, { protocolVersion: '2025-11-25' });
    await client.call('tools/list');
    sdk.takeSpans();
    await client.callTool('echo', { text: 'hello' });
    const spans = sdk.takeSpans();
    const sent = find(spans, 'tools/call echo', CLIENT);
    const served = find(spans, 'tools/call echo', SERVER);
    expect(served.parentSpanContext?.spanId).toBe(sent.spanContext().spanId);
    expect(served.spanContext().traceId).toBe(sent.spanContext().traceId);
    const common = {
      'mcp.method.name': 'tools/call',
      'gen_ai.tool.name': 'echo',
      'gen_ai.operation.name': 'execute_tool',
      'mcp.protocol.version': '2025-11-25',
      'network.transport': 'tcp',
      'network.protocol.name': 'http',
      'network.protocol.version': '1.1',
      'mcp.session.id': expect.stringMatching(/^[\w-]{20,}$/),
      'jsonrpc.request.id': expect.stringMatching(/^\d+$/),
    };
    expect(sent.attributes).toEqual({
      ...common,
      'server.address': '127.0.0.1',
      'server.port': http.port,
    });
    expect(served.attributes).toEqual({
      ...common,
      'client.address': expect.stringContaining('127.0.0.1'),
      'client.port': expect.any(Number),
    });
    for (const { status } of [sent, served]) expect(status.code).toBe(api.SpanStatusCode.UNSET);
  });

  it.each(['2024-11-05', '2025-11-25', '2026-07-28'])(
    'contain the method, and a tool or prompt, on %s [otel.span-name]',
    async protocolVersion => {
      const client = await openClient(startServer(), { protocolVersion });
      sdk.takeSpans();
      await client.call('tools/list');
      await client.getPrompt('greet');
      await client.readResource('test://a');
      await client.ping();
      const spans = sdk.takeSpans();
      for (const name of ['tools/list', 'prompts/get greet', 'resources/read']) {
        find(spans, name, CLIENT);
        find(spans, name, SERVER);
      }
      expect(find(spans, 'resources/read', SERVER).attributes).toMatchObject({ 'mcp.resource.uri': 'test://a' });
      expect(find(spans, 'prompts/get greet', SERVER).attributes).toMatchObject({ 'gen_ai.prompt.name': 'greet' });
    },
  );

  it('distinguish failures by `error.type` [otel.error-type] [otel.tool-error] [otel.span-status]', async () => {
    const client = await openClient(startServer());
    await client.call('tools/list');
    sdk.takeSpans();
    await client.callTool('fails').catch(() => {});
    await client.callTool('throws').catch(() => {});
    await client.callTool('waits', {}, { idleTimeout: 200 }).catch(() => {});
    const controller = new AbortController();
    const before = waiting;
    const call = client.callTool('waits', {}, { signal: controller.signal, idleTimeout: 10_000 }).catch(() => {});
    await expect.poll(() => waiting).toBe(before + 1);
    controller.abort();
    await call;
    const sent = sdk.takeSpans().filter(({ kind, name }) => kind === CLIENT && name.startsWith('tools/call'));
    expect(sent.map(({ attributes }) => attributes['error.type'])).toEqual([
      'tool_error',
      '-32050',
      'timeout',
      'cancelled',
    ]);
    expect(sent.map(({ status }) => status.code)).toEqual(Array(4).fill(api.SpanStatusCode.ERROR));
    expect(sent[1]?.attributes['rpc.response.status_code']).toBe('-32050');
    expect(sent[1]?.status.message).toContain('not today');
  });

  it('have the call as parent when a handler starts them', async () => {
    const client = await openClient(startServer());
    await client.callTool('work');
    const spans = sdk.takeSpans();
    const query = find(spans, 'query', api.SpanKind.INTERNAL);
    expect(query.parentSpanContext?.spanId).toBe(find(spans, 'tools/call work', SERVER).spanContext().spanId);
  });

  it('share a trace over the rounds of one call', async () => {
    const client = await openClient(startServer(), { elicit: () => ({ action: 'decline' }) });
    sdk.takeSpans();
    await api.trace.getTracer('program').startActiveSpan('turn', async span => {
      await client.callTool('asks');
      span.end();
    });
    const spans = sdk.takeSpans();
    expect(spans.filter(({ name }) => name === 'tools/call asks')).toHaveLength(4);
    expect(new Set(spans.map(span => span.spanContext().traceId)).size).toBe(1);
  });

  it('have the server as client of its own requests [otel.span-kinds]', async () => {
    const client = await openClient(startServer(), {
      protocolVersion: '2025-11-25',
      elicit: () => ({ action: 'decline' }),
    });
    await client.call('tools/list');
    sdk.takeSpans();
    await client.callTool('asks');
    const spans = sdk.takeSpans();
    const response = find(spans, 'elicitation/create', CLIENT);
    expect(response.parentSpanContext?.spanId).toBe(find(spans, 'tools/call asks', SERVER).spanContext().spanId);
    expect(find(spans, 'elicitation/create', SERVER).parentSpanContext?.spanId).toBe(response.spanContext().spanId);
  });

  it('link the span of the HTTP request when the message names its parent [otel.link-ambient]', async () => {
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    const server = createTelemetry({ api });
    const request = {
      role: 'server' as const,
      network: {},
      method: 'tools/call',
      params: { name: 'echo', _meta: { traceparent } },
    };
    const http = await api.trace.getTracer('http').startActiveSpan('POST', async span => {
      await server.traceIncoming(request, async () => ({}));
      await server.traceIncoming({ ...request, params: { name: 'other' } }, async () => ({}));
      span.end();
      return span.spanContext().spanId;
    });
    const spans = sdk.takeSpans();
    const named = find(spans, 'tools/call echo', SERVER);
    expect(named.parentSpanContext).toMatchObject({ traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) });
    expect(named.links.map(({ context }) => context.spanId)).toEqual([http]);
    const unnamed = find(spans, 'tools/call other', SERVER);
    expect([unnamed.parentSpanContext?.spanId, unnamed.links]).toEqual([http, []]);
  });

  it.each(['', 'x', '00-0-0-00', `00-${'0'.repeat(32)}-${'0'.repeat(16)}-01`, '\u0000'.repeat(10_000)])(
    'ignore the malformed traceparent %j [otel.bad-context]',
    async traceparent => {
      const client = await openClient(startServer(), { telemetry: undefined });
      sdk.takeSpans();
      await client.callTool(
        'echo',
        { text: 'x' },
        { meta: { traceparent, tracestate: traceparent, baggage: traceparent } },
      );
      expect(find(sdk.takeSpans(), 'tools/call echo', SERVER).parentSpanContext).toBeUndefined();
    },
  );

  it('extend the span that an instrumentation of the program has opened for a tool [otel.one-execute-tool-span]', async () => {
    const client = await openClient(startServer());
    await client.callTool('echo', { text: 'first' });
    sdk.takeSpans();
    await api.trace
      .getTracer('agent')
      .startActiveSpan('execute_tool echo', { attributes: { 'gen_ai.operation.name': 'execute_tool' } }, async span => {
        await client.callTool('echo', { text: 'x' });
        span.end();
      });
    const spans = sdk.takeSpans();
    expect(spans.filter(({ kind }) => kind === CLIENT)).toEqual([]);
    const outer = find(spans, 'execute_tool echo', api.SpanKind.INTERNAL);
    expect(outer.attributes).toMatchObject({ 'mcp.method.name': 'tools/call', 'gen_ai.tool.name': 'echo' });
    expect(find(spans, 'tools/call echo', SERVER).parentSpanContext?.spanId).toBe(outer.spanContext().spanId);
  });

  it('contain arguments and results only with the option, without secrets', async () => {
    const server = startServer({ telemetry: createTelemetry({ api, recordContent: true }) });
    const client = await openClient(server);
    await client.call('tools/list');
    sdk.takeSpans();
    await client.callTool('echo', { text: 'token=ghp_abcdefghijklmnopqrstuvwxyz0123456789' });
    const spans = sdk.takeSpans();
    expect(Object.keys(find(spans, 'tools/call echo', CLIENT).attributes).join()).not.toContain('gen_ai.tool.call');
    const { attributes } = find(spans, 'tools/call echo', SERVER);
    expect(attributes['gen_ai.tool.call.arguments']).toContain('"text"');
    expect(JSON.stringify(attributes)).not.toContain('ghp_abc');
    expect(attributes['gen_ai.tool.call.result']).toContain('content');
  });

  it('omit whole values of secret members, and credentials in URIs', async () => {
    const server = use(
      createServer({
        name: 'traced',
        version: '1.0.0',
        telemetry: createTelemetry({ api, recordContent: true }),
        tools: { echo: tool({ input: z.looseObject({}), run: input => input }) },
        resources: { 'https://{+path}': resource({ read: () => 'text' }) },
      }),
    );
    const client = use(await connect(server, { telemetry: telemetry() }));
    const secrets = { password: 'two words', cookie: 'a=b; c=words' };
    await client.callTool('echo', secrets);
    await client.call('resources/read', { uri: 'https://ann:words@example.com/?access_token=words' });
    const spans = sdk.takeSpans().map(({ attributes }) => JSON.stringify(attributes));
    expect(spans.filter(each => each.includes('cookie'))).toHaveLength(1);
    expect(spans.filter(each => each.includes('example.com'))).toHaveLength(2);
    expect(spans.join()).not.toContain('words');
  });
});

describe('baggage', () => {
  const callWithBaggage = async (baggage: boolean, count: number) => {
    let seen: unknown;
    const server = use(
      createServer({
        name: 'traced',
        version: '1.0.0',
        telemetry: createTelemetry({ api, baggage: true }),
        tools: {
          read: tool({
            run: () => {
              seen = api.propagation.getActiveBaggage()?.getAllEntries().length;
              return 'ok';
            },
          }),
        },
      }),
    );
    const http = use(await serveHttp(server, { port: 0 }));
    const client = use(await connect(http.url, { telemetry: createTelemetry({ api, baggage }) }));
    const entries = Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, { value: 'v' }]));
    const active = api.propagation.setBaggage(api.ROOT_CONTEXT, api.propagation.createBaggage(entries));
    await api.context.with(active, () => client.callTool('read'));
    return seen;
  };

  it('is passed on when it is allowed, within its limits [otel.baggage-bounded]', async () => {
    expect(await callWithBaggage(true, 3)).toBe(3);
    expect(await callWithBaggage(false, 3)).toBeUndefined();
    expect(await callWithBaggage(true, 64)).toBe(64);
    expect(await callWithBaggage(true, 65)).toBeUndefined();
  });
});

describe('a gateway', () => {
  it('adds its own spans between those of the caller and of the server [otel.gateway-forward]', async () => {
    const upstream = use(await serveHttp(startServer(), { port: 0 }));
    const host = use(await createHost({ servers: { up: { url: upstream.url } }, telemetry: telemetry() }));
    const http = use(await serveHttp(host.toServer(), { port: 0 }));
    const client = await openClient(http.url);
    await client.call('tools/list');
    await client.call('tools/list');
    sdk.takeSpans();
    await client.callTool('up__echo', { text: 'hello' });
    const spans = sdk.takeSpans();
    const outer = find(spans, 'tools/call up__echo', CLIENT);
    const gateway = find(spans, 'tools/call up__echo', SERVER);
    const forwarded = find(spans, 'tools/call echo', CLIENT);
    const served = find(spans, 'tools/call echo', SERVER);
    const parents = [gateway, forwarded, served].map(span => span.parentSpanContext?.spanId);
    expect(parents).toEqual([outer, gateway, forwarded].map(span => span.spanContext().spanId));
    expect(new Set([outer, gateway, forwarded, served].map(span => span.spanContext().traceId)).size).toBe(1);
  });

  it('forwards the context of the caller when it is not traced itself', async () => {
    const upstream = use(await serveHttp(startServer(), { port: 0 }));
    const host = use(await createHost({ servers: { up: { url: upstream.url } } }));
    const http = use(await serveHttp(host.toServer(), { port: 0 }));
    const client = await openClient(http.url);
    await client.call('tools/list');
    await client.call('tools/list');
    sdk.takeSpans();
    await client.callTool('up__echo', { text: 'hello' });
    const spans = sdk.takeSpans();
    const outer = find(spans, 'tools/call up__echo', CLIENT);
    expect(find(spans, 'tools/call echo', SERVER).parentSpanContext?.spanId).toBe(outer.spanContext().spanId);
  });
});

describe('metrics', () => {
  it('include the four histograms of the convention, in seconds [otel.metrics-four]', async () => {
    const http = use(await serveHttp(startServer(), { port: 0 }));
    const client = (await connect(http.url, { telemetry: telemetry(), protocolVersion: '2025-06-18' })) as Client;
    await client.callTool('echo', { text: 'x' });
    await client.close();
    const measurements = await sdk.readMeasurements();
    for (const side of ['client', 'server']) {
      const operation = measurements.find(
        ({ name, attributes }) =>
          name === `mcp.${side}.operation.duration` &&
          attributes['gen_ai.tool.name'] === 'echo' &&
          attributes['mcp.protocol.version'] === '2025-06-18',
      );
      expect(operation).toMatchObject({ unit: 's', count: 1 });
      expect(operation?.boundaries).toEqual([0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300]);
      const session = measurements.find(
        ({ name, attributes }) =>
          name === `mcp.${side}.session.duration` && attributes['mcp.protocol.version'] === '2025-06-18',
      );
      expect(session).toMatchObject({ unit: 's', count: 1 });
    }
    const names = measurements.flatMap(({ attributes }) => Object.keys(attributes));
    for (const name of ['mcp.session.id', 'jsonrpc.request.id', 'mcp.resource.uri', 'client.address'])
      expect(names).not.toContain(name);
  });

  it('include no session on versions without sessions [otel.stateless-session]', async () => {
    const client = (await connect(startServer(), { telemetry: telemetry(), protocolVersion: '2026-07-28' })) as Client;
    await client.callTool('echo', { text: 'x' });
    await client.close();
    const measurements = await sdk.readMeasurements();
    const sessions = measurements.filter(({ name }) => name.endsWith('session.duration'));
    expect(sessions.map(({ attributes }) => attributes['mcp.protocol.version'])).not.toContain('2026-07-28');
  });

  it('include no tool name that a caller has invented [otel.metrics-cardinality]', async () => {
    const client = await openClient(startServer(), { telemetry: undefined });
    for (let n = 0; n < 300; n += 1) await client.callTool(`invented-${n}`).catch(() => {});
    const measurements = await sdk.readMeasurements();
    const names = new Set(measurements.map(({ attributes }) => attributes['gen_ai.tool.name']));
    expect([...names].filter(name => String(name).startsWith('invented'))).toEqual([]);
    expect(names).toContain('_OTHER');
  });
});
