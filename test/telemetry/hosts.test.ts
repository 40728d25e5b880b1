import * as api from '@opentelemetry/api';
import { allow, createHost, createPolicy, deny, type NodeHostOptions } from '@tenon/host';
import { connect, createServer, tool } from 'tenon';
import { serveHttp } from 'tenon/node';
import { createTelemetry } from 'tenon/telemetry';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { collect } from '../interop/collect.js';
import { setUpSdk } from './setup.js';

let sdk: ReturnType<typeof setUpSdk>;
beforeAll(() => {
  sdk = setUpSdk();
});
afterAll(() => sdk.shutDown());

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  sdk.takeSpans();
});
const use = <T extends { close(): unknown }>(thing: T): T => {
  closing.push(() => thing.close());
  return thing;
};

const { CLIENT, SERVER } = api.SpanKind;
const telemetry = (notifications = false) => createTelemetry({ api, notifications });
const input = z.object({ sure: z.boolean() });

const createTracedServer = (notifications = false) =>
  use(
    createServer({
      name: 'traced',
      version: '1.0.0',
      telemetry: telemetry(notifications),
      tools: {
        echo: tool({ run: () => 'echo' }),
        erase: tool({ run: () => 'erased' }),
        asks: tool({
          run: async (_, ctx) => {
            await ctx.elicit({ message: 'Go on?', input });
            await ctx.elicit({ message: 'Are you sure?', input });
            return 'done';
          },
        }),
        reports: tool({
          run: async (_, ctx) => {
            ctx.progress(1, 2);
            return 'reported';
          },
        }),
      },
    }),
  );

const elicit = () => ({ action: 'accept', content: { sure: true } }) as const;

describe('the rounds of one call', () => {
  it('are numbered spans of one trace, also without a span around the call [otel.rounds]', async () => {
    const client = use(await connect(createTracedServer(), { telemetry: telemetry(), elicit }));
    await client.call('tools/list');
    sdk.takeSpans();
    await client.callTool('asks');
    const spans = sdk.takeSpans().filter(({ name }) => name === 'tools/call asks');
    for (const kind of [CLIENT, SERVER]) {
      const rounds = spans.filter(span => span.kind === kind).map(({ attributes }) => attributes['tenon.mrtr.round']);
      expect(rounds).toEqual([1, 2, 3]);
    }
    expect(new Set(spans.map(span => span.spanContext().traceId)).size).toBe(1);
    await client.callTool('echo');
    for (const { attributes } of sdk.takeSpans()) expect(attributes).not.toHaveProperty('tenon.mrtr.round');
  });

  it('are numbered for a program that resolves input requests itself', async () => {
    const client = use(await connect(createTracedServer(), { telemetry: telemetry(), elicit }));
    const options = { resolveInputRequests: false } as const;
    const first = await client.call('tools/call', { name: 'asks', arguments: {} }, options);
    const [[key = ''] = []] = Object.entries((first as { inputRequests?: object }).inputRequests ?? {});
    const { requestState } = first as { requestState?: string };
    sdk.takeSpans();
    const retry = { name: 'asks', arguments: {}, requestState, inputResponses: { [key]: elicit() } };
    await client.call('tools/call', retry as never, options);
    const [served] = sdk.takeSpans().filter(({ kind }) => kind === SERVER);
    expect(served?.attributes).toMatchObject({ 'tenon.mrtr.round': 2 });
  });
});

describe('notifications', () => {
  const callReporting = async (notifications: boolean) => {
    const protocolVersion = '2025-11-25';
    const http = use(await serveHttp(createTracedServer(notifications), { port: 0 }));
    const client = use(await connect(http.url, { telemetry: telemetry(notifications), protocolVersion }));
    sdk.takeSpans();
    await client.callTool('reports', {}, { onProgress: () => {} });
    await client.close();
    return sdk.takeSpans().filter(({ name }) => name === 'notifications/progress');
  };

  it('have spans with the option, in the trace of the call and without a request id [otel.notifications]', async () => {
    const spans = await callReporting(true);
    expect(spans.map(({ kind }) => kind).sort()).toEqual([SERVER, CLIENT].sort());
    const [sent, received] = [CLIENT, SERVER].map(kind => spans.find(span => span.kind === kind));
    expect(received?.parentSpanContext?.spanId).toBe(sent?.spanContext().spanId);
    for (const { attributes } of spans) {
      expect(attributes).toMatchObject({ 'mcp.method.name': 'notifications/progress' });
      expect(attributes).not.toHaveProperty('jsonrpc.request.id');
    }
  });

  it('have no spans by default', async () => expect(await callReporting(false)).toEqual([]));
});

describe('a host [otel.gateway-extra]', () => {
  const policy = createPolicy([deny('up/erase'), allow()], {
    quotas: [{ per: ['tool'], calls: 1, window: 3_600_000, match: { tool: 'echo' } }],
  });
  const openHost = async (options: Partial<NodeHostOptions> = {}) => {
    const servers = { up: { service: createTracedServer() } };
    const host = use(await createHost({ servers, policy, telemetry: telemetry(), ...options }));
    const http = use(await serveHttp(host.toServer(), { port: 0 }));
    const client = use(await connect(http.url));
    return { host, client };
  };
  const findServed = (name: string) =>
    sdk.takeSpans().find(span => span.name === name && span.kind === SERVER)?.attributes;

  it('adds the server, and the decision of its policy, to its spans', async () => {
    const { client } = await openHost();
    await client.callTool('up__echo');
    const spans = sdk.takeSpans();
    const upstream = { 'tenon.upstream': 'up' };
    const served = spans.find(span => span.name === 'tools/call up__echo' && span.kind === SERVER);
    expect(served?.attributes).toMatchObject({ ...upstream, 'tenon.policy.decision': 'allow' });
    const forwarded = spans.find(span => span.name === 'tools/call echo' && span.kind === CLIENT);
    expect(forwarded?.attributes).toMatchObject(upstream);
    await client.callTool('up__erase');
    expect(findServed('tools/call up__erase')).toMatchObject({ ...upstream, 'tenon.policy.decision': 'deny' });
    await client.callTool('up__echo').catch(() => {});
    expect(findServed('tools/call up__echo')).toMatchObject({ ...upstream, 'tenon.policy.decision': 'limited' });
  });

  it('distinguishes cached lists from those that it reads', async () => {
    const { client } = await openHost();
    await collect(client.listPrompts());
    expect(findServed('prompts/list')).toMatchObject({ 'tenon.cache': 'miss' });
    await client.call('prompts/list', { _meta: {} } as never);
    expect(findServed('prompts/list')).toMatchObject({ 'tenon.cache': 'hit' });
  });

  it('measures calls by server and decision, and its connections, streams, sessions and approvals', async () => {
    const { host, client } = await openHost();
    await client.callTool('up__echo');
    await client.callTool('up__erase');
    const old = use(await connect(host.toServer(), { protocolVersion: '2025-11-25' }));
    await old.callTool('up__reports');
    const measurements = await sdk.readMeasurements();
    const find = (name: string) => measurements.filter(each => each.name === name);
    const decisions = find('mcp.server.operation.duration')
      .filter(({ attributes }) => attributes['tenon.upstream'] === 'up' && attributes['gen_ai.tool.name'])
      .map(({ attributes }) => [attributes['gen_ai.tool.name'], attributes['tenon.policy.decision']].join());
    expect(decisions).toEqual(expect.arrayContaining(['up__echo,allow', 'up__reports,allow', 'up__erase,deny']));
    const connections = find('tenon.upstream.connections').map(({ attributes, value }) => ({ ...attributes, value }));
    expect(connections).toEqual(
      expect.arrayContaining([
        { 'tenon.upstream': 'up', 'tenon.upstream.state': 'connected', value: expect.any(Number) },
      ]),
    );
    expect(find('tenon.upstream.calls')).toMatchObject([{ value: 0, attributes: { 'tenon.upstream': 'up' } }]);
    expect(find('tenon.approvals.pending')).toMatchObject([{ value: 0 }]);
    const sessions = find('tenon.sessions.open').filter(({ attributes }) => attributes['tenon.role'] === 'server');
    expect(Number(sessions[0]?.value)).toBeGreaterThan(0);
  });
});
