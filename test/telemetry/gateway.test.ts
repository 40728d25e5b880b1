import * as api from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { createHost, type NodeHostOptions } from '@tenon/host';
import { type ClientOptions, connect, createServer, tool } from 'tenon';
import { serveHttp } from 'tenon/node';
import { createTelemetry } from 'tenon/telemetry';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { useSdk } from './setup.js';

const { takeSpans, use } = useSdk();
const { CLIENT, SERVER } = api.SpanKind;
const telemetry = createTelemetry({ api, baggage: true });
const input = z.object({ sure: z.boolean() });

/** The API of a program that measures, but has no SDK for spans: nothing is written to messages. */
const createSilentApi = () => ({
  context: api.context,
  metrics: api.metrics,
  trace: Object.assign(Object.create(api.trace), {
    getTracer: (name: string) => new api.ProxyTracerProvider().getTracer(name),
  }),
  propagation: { inject() {}, extract: (context: api.Context) => context },
});

const createUpstream = (protocolVersions?: string[], received: unknown[] = []) =>
  createServer({
    name: 'up',
    version: '1.0.0',
    telemetry,
    ...(protocolVersions ? { protocolVersions } : {}),
    tools: {
      echo: tool({
        run: (_, { meta }) => {
          received.push(meta);
          return 'echo';
        },
      }),
      asks: tool({
        run: async (_, ctx) => {
          await ctx.elicit({ message: 'Go on?', input });
          await ctx.elicit({ message: 'Are you sure?', input });
          return 'done';
        },
      }),
    },
  });

interface Setup {
  readonly host?: Partial<NodeHostOptions>;
  readonly client?: ClientOptions;
  readonly upstream?: ReturnType<typeof createUpstream>;
}

/** Connects a caller to a host, whose server has an HTTP endpoint, so that no context reaches it otherwise. */
async function open({ host: options, client, upstream = createUpstream() }: Setup) {
  const { url } = use(await serveHttp(use(upstream), { port: 0 }));
  const host = use(await createHost({ servers: { up: { url } }, prefix: 'auto', ...options }));
  const elicit = () => ({ action: 'accept', content: { sure: true } }) as const;
  const opened = use(await connect(host.toServer(), { telemetry, elicit, ...client }));
  for await (const _ of opened.listTools());
  takeSpans();
  return opened;
}

const select = (spans: readonly ReadableSpan[], name: string, kind: api.SpanKind) =>
  spans.filter(span => span.name === name && span.kind === kind);
const getIds = (spans: readonly ReadableSpan[]) => spans.map(span => span.spanContext().spanId);
const getParents = (spans: readonly ReadableSpan[]) => spans.map(span => span.parentSpanContext?.spanId);

/** Telemetry of a host that makes no spans: with the API alone, and with measurements only. */
const silent: [string, (baggage?: boolean) => NodeHostOptions['telemetry']][] = [
  ['without an SDK', (baggage = false) => createTelemetry({ api: createSilentApi(), baggage })],
  ['without telemetry', () => undefined],
];

describe('a gateway without spans', () => {
  it.each(silent)('passes the context of the caller on, %s [otel.gateway-forward]', async (_, createSilent) => {
    const client = await open({ host: { telemetry: createSilent() } });
    await client.callTool('echo');
    const spans = takeSpans();
    expect(spans).toHaveLength(2);
    expect(getParents(select(spans, 'tools/call echo', SERVER))).toEqual(
      getIds(select(spans, 'tools/call echo', CLIENT)),
    );
  });

  it.each(silent)("passes the context of a server's input request on, %s", async (_, createSilent) => {
    const upstream = createUpstream(['2025-11-25']);
    const client = await open({
      upstream,
      host: { telemetry: createSilent() },
      client: { protocolVersion: '2025-11-25' },
    });
    await client.callTool('asks');
    const spans = takeSpans();
    const elicitations = select(spans, 'elicitation/create', CLIENT);
    expect(elicitations).toHaveLength(2);
    expect(getParents(select(spans, 'elicitation/create', SERVER))).toEqual(getIds(elicitations));
  });

  it('passes allowed baggage on, within its limits [otel.baggage-bounded]', async () => {
    const call = async (baggage: string, isAllowed: boolean) => {
      const received: { baggage?: string }[] = [];
      const host = { telemetry: createTelemetry({ api: createSilentApi(), baggage: isAllowed }) };
      const client = await open({ host, upstream: createUpstream(undefined, received) });
      await client.callTool('echo', {}, { meta: { baggage } });
      return received[0]?.baggage;
    };
    expect(await call('user=ada', true)).toBe('user=ada');
    expect(await call('user=ada', false)).toBeUndefined();
    expect(await call(`user=${'a'.repeat(8188)}`, true)).toBeUndefined();
  });
});

describe('a gateway with spans', () => {
  const traced = { telemetry };

  it('replaces the context, and the state and baggage of the caller [otel.gateway-forward]', async () => {
    const received: Record<string, unknown>[] = [];
    const host = { telemetry: createTelemetry({ api }) };
    const client = await open({
      host,
      upstream: createUpstream(undefined, received),
      client: { telemetry: undefined },
    });
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    await client.callTool('echo', {}, { meta: { traceparent, tracestate: 'a=1', baggage: 'user=ada' } });
    const spans = takeSpans();
    const [gateway] = select(spans, 'tools/call echo', SERVER).filter(
      ({ parentSpanContext }) => parentSpanContext?.spanId === 'b'.repeat(16),
    );
    const sent = select(spans, 'tools/call echo', CLIENT);
    expect(getParents(sent)).toEqual([gateway?.spanContext().spanId]);
    expect(received[0]).toMatchObject({
      traceparent: `00-${'a'.repeat(32)}-${getIds(sent)[0]}-01`,
      tracestate: 'a=1',
    });
    expect(received[0]).not.toHaveProperty('baggage');
  });

  it('is the parent of the request that its caller handles [otel.gateway-forward] [otel.span-kinds]', async () => {
    const upstream = createUpstream(['2025-11-25']);
    const client = await open({ upstream, host: traced, client: { protocolVersion: '2025-11-25' } });
    await client.callTool('asks');
    const spans = takeSpans();
    expect(new Set(spans.map(span => span.spanContext().traceId)).size).toBe(1);
    const [called] = select(spans, 'tools/call asks', SERVER);
    const elicitations = select(spans, 'elicitation/create', CLIENT);
    const answered = select(spans, 'elicitation/create', SERVER);
    // Per question: the server asks the gateway, which asks the caller.
    expect([elicitations.length, answered.length]).toEqual([4, 4]);
    const fromServer = elicitations.filter(
      ({ parentSpanContext }) => parentSpanContext?.spanId === called?.spanContext().spanId,
    );
    const atGateway = answered.filter(span => getIds(fromServer).includes(span.parentSpanContext?.spanId ?? ''));
    const fromGateway = elicitations.filter(span => getIds(atGateway).includes(span.parentSpanContext?.spanId ?? ''));
    const atCaller = answered.filter(span => getIds(fromGateway).includes(span.parentSpanContext?.spanId ?? ''));
    expect([fromServer, atGateway, fromGateway, atCaller].map(({ length }) => length)).toEqual([2, 2, 2, 2]);
  });

  it.each(['2026-07-28', '2025-11-25'])(
    'numbers the rounds at the server, for a caller of %s [otel.rounds]',
    async protocolVersion => {
      const client = await open({
        host: traced,
        upstream: createUpstream(['2026-07-28']),
        client: { protocolVersion },
      });
      await client.callTool('asks');
      const spans = takeSpans();
      const named = spans.filter(({ name }) => name === 'tools/call asks');
      expect(new Set(named.map(span => span.spanContext().traceId)).size).toBe(1);
      const getRounds = (some: readonly ReadableSpan[]) => some.map(({ attributes }) => attributes['tenon.mrtr.round']);
      const sent = select(named, 'tools/call asks', CLIENT).filter(each => each.attributes['tenon.upstream'] === 'up');
      expect(getRounds(sent)).toEqual([1, 2, 3]);
      const served = select(named, 'tools/call asks', SERVER).filter(span =>
        getIds(sent).includes(span.parentSpanContext?.spanId ?? ''),
      );
      expect(getRounds(served)).toEqual([1, 2, 3]);
      await client.callTool('echo');
      for (const { attributes } of takeSpans()) expect(attributes).not.toHaveProperty('tenon.mrtr.round');
    },
  );
});
