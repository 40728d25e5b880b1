import { createServer as createHttpServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as api from '@opentelemetry/api';
import { type Client, connect } from 'tenon';
import { createHandler } from 'tenon/http';
import { serveHttp, toNode } from 'tenon/node';
import { createTelemetry, type TracedRequest } from 'tenon/telemetry';
import { describe, expect, it } from 'vitest';
import { startStdioRelay } from '../gateway/stdio-relay.js';
import { createWires } from '../gateway/wire.js';
import { bundle } from '../support/bundle.js';
import { createTracedServer } from './fixtures/traced-server.js';
import { useSdk } from './setup.js';

const { takeSpans, use } = useSdk();
const { SERVER } = api.SpanKind;
const telemetry = createTelemetry({ api, baggage: true });

interface Message {
  readonly method?: string;
  readonly params?: { readonly _meta?: Record<string, unknown> };
}

/** Runs with a span, state and baggage of the program. Returns the ids of the span. */
async function runInSpan(run: () => Promise<void>): Promise<api.SpanContext> {
  const remote = {
    traceId: 'a'.repeat(32),
    spanId: 'b'.repeat(16),
    traceFlags: api.TraceFlags.SAMPLED,
    traceState: api.createTraceState('vendor=1'),
  };
  const baggage = api.propagation.createBaggage({ user: { value: 'ada' } });
  const parent = api.propagation.setBaggage(api.trace.setSpanContext(api.ROOT_CONTEXT, remote), baggage);
  const span = api.trace.getTracer('program').startSpan('turn', {}, parent);
  await api.context.with(api.trace.setSpan(parent, span), run);
  span.end();
  return span.spanContext();
}

/** Calls a tool, and one that is cancelled. */
async function useClient(client: Client): Promise<void> {
  await client.callTool('echo');
  await client.callTool('echo', {}, { meta: { traceparent: 'mine' } });
  await client.close();
}

/** Sends messages over HTTP. Returns them as they are in the bodies. */
async function captureHttp(protocolVersion: string): Promise<Message[]> {
  const sent: Message[] = [];
  const { url } = use(await serveHttp(use(createTracedServer(telemetry)), { port: 0 }));
  const fetchAndRecord: typeof fetch = (target, init) => {
    if (typeof init?.body === 'string') sent.push(JSON.parse(init.body));
    return fetch(target, init);
  };
  await useClient((await connect({ url, fetch: fetchAndRecord }, { telemetry, protocolVersion })) as Client);
  return sent;
}

/** Sends messages to a process. Returns them as they are in the lines. */
async function captureStdio(protocolVersion: '2025-11-25' | '2026-07-28'): Promise<Message[]> {
  const wires = createWires(protocolVersion);
  const relay = use(
    await startStdioRelay(bundle('test/telemetry/fixtures/traced-process.ts'), ['server', '/dev/null'], wires),
  );
  await useClient((await connect(relay.target, { telemetry, protocolVersion })) as Client);
  expect(wires.issues).toEqual([]);
  return wires.messages('client') as Message[];
}

describe('the context of a trace', () => {
  it.each([
    ['stdio', '2025-11-25', captureStdio],
    ['stdio', '2026-07-28', captureStdio],
    ['HTTP', '2025-11-25', captureHttp],
    ['HTTP', '2026-07-28', captureHttp],
  ] as const)(
    'travels in `_meta` of each request and notification, over %s on %s [otel.meta-keys] [otel.inject-client]',
    async (_, protocolVersion, capture) => {
      let sent: Message[] = [];
      const { traceId, spanId } = await runInSpan(async () => {
        sent = await capture(protocolVersion);
      });
      const spans = new Set(takeSpans().map(span => span.spanContext().spanId));
      const messages = sent.filter(({ method }) => method !== undefined);
      expect(messages.length).toBeGreaterThanOrEqual(4);
      for (const { method, params } of messages) {
        const { _meta: meta = {} } = params ?? {};
        expect(
          Object.keys(meta)
            .filter(key => /trace|baggage/i.test(key))
            .sort(),
        ).toEqual(['baggage', 'traceparent', 'tracestate']);
        expect(meta).toMatchObject({ tracestate: 'vendor=1', baggage: 'user=ada' });
        if (meta.traceparent === 'mine') continue;
        const [, trace, span = ''] = String(meta.traceparent).match(/^00-([0-9a-f]{32})-([0-9a-f]{16})-01$/) ?? [];
        expect(trace).toBe(traceId);
        // Notifications have no span of their own by default.
        if (method?.startsWith('notifications/')) expect(span).toBe(spanId);
        else expect(spans).toContain(span);
      }
      const own = messages.filter(({ params }) => params?._meta?.traceparent === 'mine');
      expect(own.map(({ method }) => method)).toEqual(['tools/call']);
    },
  );

  const request: TracedRequest = { role: 'client', network: {}, method: 'ping' };
  const sizes: [string, string, boolean][] = [
    ['8 KiB', `a=${'x'.repeat(8190)}`, true],
    ['8 KiB and a byte', `a=${'x'.repeat(8191)}`, false],
    ['64 members', Array.from({ length: 64 }, (_, n) => `k${n}=v`).join(), true],
    ['65 members', Array.from({ length: 65 }, (_, n) => `k${n}=v`).join(), false],
  ];

  it.each(sizes)(
    'carries baggage of at most 8 KiB and 64 members on both sides: %s [otel.baggage-bounded]',
    async (_, baggage, isSmall) => {
      const extracted: unknown[] = [];
      const propagation = {
        inject(_: api.Context, carrier: { [name: string]: unknown }) {
          carrier.baggage = baggage;
        },
        extract(context: api.Context, carrier: { readonly [name: string]: unknown }) {
          extracted.push(carrier.baggage);
          return context;
        },
      };
      const { trace, context, metrics } = api;
      const create = (isAllowed: boolean) =>
        createTelemetry({ api: { trace, context, metrics, propagation }, baggage: isAllowed });
      for (const isAllowed of [true, false]) {
        const bounded = create(isAllowed);
        await bounded.traceOutgoing(request, async ({ meta }) => {
          expect(meta.baggage).toBe(isAllowed && isSmall ? baggage : undefined);
          return {};
        });
        extracted.length = 0;
        const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
        bounded.traceIncoming({ ...request, role: 'server', params: { _meta: { traceparent, baggage } } }, () => ({}));
        expect(extracted).toEqual([isAllowed && isSmall ? baggage : undefined]);
      }
    },
  );
});

describe('the span of an HTTP request', () => {
  /** Serves over a socket, with a span around the listener as an HTTP instrumentation has it. */
  async function serveInstrumented(posts: api.SpanContext[], listener: RequestListener) {
    const http = createHttpServer((request, response) => {
      const span = api.trace.getTracer('http').startSpan(`${request.method}`, { kind: SERVER }, api.ROOT_CONTEXT);
      posts.push(span.spanContext());
      response.once('close', () => span.end());
      api.context.with(api.trace.setSpan(api.ROOT_CONTEXT, span), () => listener(request, response));
    });
    await new Promise<void>(resolve => http.listen(0, '127.0.0.1', resolve));
    const { port } = http.address() as AddressInfo;
    const close = () => {
      http.closeAllConnections();
      return new Promise(resolve => http.close(resolve));
    };
    return { url: `http://127.0.0.1:${port}/mcp`, close };
  }

  it.each(['2025-11-25', '2026-07-28'])(
    'is linked from the call that it carries, whose parent comes from its message, on %s [otel.link-ambient]',
    async protocolVersion => {
      const posts: api.SpanContext[] = [];
      const { url } = use(await serveInstrumented(posts, toNode(createHandler(use(createTracedServer(telemetry))))));
      const client = use(await connect(url, { telemetry, protocolVersion }));
      await client.callTool('echo');
      const untraced = use(await connect(url, { protocolVersion }));
      takeSpans();
      await client.callTool('echo');
      await untraced.callTool('echo');
      const spans = takeSpans();
      const [sent] = spans.filter(({ name, kind }) => name === 'tools/call echo' && kind === api.SpanKind.CLIENT);
      const [named, unnamed] = spans.filter(({ name, kind }) => name === 'tools/call echo' && kind === SERVER);
      expect(named?.parentSpanContext?.spanId).toBe(sent?.spanContext().spanId);
      expect(named?.links.map(({ context }) => context.spanId)).toHaveLength(1);
      expect(posts.map(({ spanId }) => spanId)).toContain(named?.links[0]?.context.spanId);
      expect(posts.map(({ traceId }) => traceId)).not.toContain(named?.spanContext().traceId);
      // A message without a context of its own belongs to the HTTP request.
      expect(posts.map(({ spanId }) => spanId)).toContain(unnamed?.parentSpanContext?.spanId);
      expect(unnamed?.links).toEqual([]);
    },
  );
});
