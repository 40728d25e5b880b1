import { readFile } from 'node:fs/promises';
import * as api from '@opentelemetry/api';
import { type Client, type ClientOptions, connect } from 'tenon';
import { serveHttp } from 'tenon/node';
import { createTelemetry } from 'tenon/telemetry';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { projectWith } from '../cli/command.js';
import { bundle } from '../support/bundle.js';
import { createTracedServer } from './fixtures/traced-server.js';
import { useSdk } from './setup.js';

const { takeSpans, use } = useSdk();
let project: Awaited<ReturnType<typeof projectWith>>;
beforeEach(async () => {
  project = await projectWith({});
});
afterEach(() => project.remove());

interface PlainSpan {
  readonly name: string;
  readonly kind: api.SpanKind;
  readonly traceId: string;
  readonly spanId: string;
  readonly parent?: string | undefined;
  readonly attributes: api.Attributes;
}

const telemetry = createTelemetry({ api, notifications: true });

/** Opens a client, lists tools and calls one with progress, in a span of the program. */
async function callOnce(open: (options: ClientOptions) => Promise<Client>, protocolVersion: string): Promise<void> {
  await api.trace.getTracer('program').startActiveSpan('turn', async span => {
    const client = await open({ telemetry, protocolVersion });
    await client.callTool('echo', {}, { onProgress: () => {} });
    await client.close();
    span.end();
  });
}

const takePlainSpans = (): PlainSpan[] =>
  takeSpans().map(span => ({
    name: span.name,
    kind: span.kind,
    ...span.spanContext(),
    parent: span.parentSpanContext?.spanId,
    attributes: span.attributes,
  }));

async function traceHttp(protocolVersion: string): Promise<PlainSpan[]> {
  const { url } = use(await serveHttp(use(createTracedServer(telemetry)), { port: 0 }));
  await callOnce(async options => (await connect(url, options)) as Client, protocolVersion);
  return takePlainSpans();
}

async function traceStdio(protocolVersion: string): Promise<PlainSpan[]> {
  const file = project.path('spans.ndjson');
  const args = [bundle('test/telemetry/fixtures/traced-process.ts'), 'server', file, '{"notifications":true}'];
  const target = { command: process.execPath, args };
  await callOnce(async options => (await connect(target, options)) as Client, protocolVersion);
  const lines = (await readFile(file, 'utf8')).split('\n').filter(Boolean);
  return [...takePlainSpans(), ...lines.map(line => JSON.parse(line))];
}

const VARYING = ['jsonrpc.request.id', 'mcp.session.id', 'server.port', 'client.port', 'client.address'];

/** Lists the spans below `turn`, with their parents and attributes. `*`: a value that differs in each run. */
function describeTree(spans: readonly PlainSpan[]): Record<string, object> {
  const toName = ({ kind, name }: PlainSpan) => `${api.SpanKind[kind]} ${name}`;
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
  const entries = spans
    .filter(({ name }) => name !== 'turn')
    .map(span => {
      const parent = spans.find(({ spanId }) => spanId === span.parent);
      const attributes = Object.entries(span.attributes).map(([key, value]) => [
        key,
        VARYING.includes(key) ? '*' : value,
      ]);
      return [toName(span), { parent: parent && toName(parent), ...Object.fromEntries(attributes) }] as const;
    });
  const tree = Object.fromEntries(entries);
  expect(Object.keys(tree)).toHaveLength(entries.length);
  return tree;
}

const call = { 'gen_ai.tool.name': 'echo', 'gen_ai.operation.name': 'execute_tool' };

/** Attributes of both ends of a connection. Notifications of HTTP sessions have fewer, because they belong to no request. */
interface Connected {
  readonly client: object;
  readonly server: object;
  readonly received?: object;
  readonly sent?: object;
}

const createPair = (method: string, parent: string, { client, server }: Connected, target = '', more: object = {}) => {
  const id = method.startsWith('notifications/') ? {} : { 'jsonrpc.request.id': '*' };
  const own = { 'mcp.method.name': method, ...id, ...more };
  return {
    [`CLIENT ${method}${target}`]: { parent, ...own, ...client },
    [`SERVER ${method}${target}`]: { parent: `CLIENT ${method}${target}`, ...own, ...server },
  };
};

/** The spans of a session: the server sends the notification about progress, so it is its client. */
function createSessionTree(connected: Connected, initializing: Connected) {
  const { client, server, received = server, sent = server } = connected;
  return {
    ...createPair('initialize', 'INTERNAL turn', initializing),
    ...createPair('notifications/initialized', 'INTERNAL turn', { client, server: received }),
    ...createPair('tools/list', 'INTERNAL turn', connected),
    ...createPair('tools/call', 'INTERNAL turn', connected, ' echo', call),
    ...createPair('notifications/progress', 'SERVER tools/call echo', { client: sent, server: client }),
  };
}

describe('the spans of one call with progress', () => {
  const protocol = { 'network.protocol.name': 'http', 'network.protocol.version': '1.1' };
  const tcp = { 'network.transport': 'tcp', ...protocol };
  const atClient = { ...tcp, 'server.address': '127.0.0.1', 'server.port': '*' };
  const atServer = { ...tcp, 'client.address': '*', 'client.port': '*' };
  const pipe = { 'network.transport': 'pipe' };

  it('match the convention over HTTP, in a session', async () => {
    const session = { 'mcp.protocol.version': '2025-11-25', 'mcp.session.id': '*' };
    const opened = { client: { ...session, ...atClient }, server: { ...session, ...atServer } };
    const { 'SERVER notifications/progress': progress, ...tree } = describeTree(await traceHttp('2025-11-25'));
    const { 'SERVER notifications/progress': _, ...expected } = createSessionTree(
      { ...opened, received: { ...session, 'client.address': '*' }, sent: session },
      {
        client: { 'mcp.protocol.version': '2025-11-25', ...atClient },
        server: { ...session, ...atServer },
      },
    );
    expect(tree).toEqual(expected);
    expect(progress).toEqual({
      parent: 'CLIENT notifications/progress',
      'mcp.method.name': 'notifications/progress',
      ...session,
      ...tcp,
    });
  });

  it('match the convention over stdio, in a session', async () => {
    const version = { 'mcp.protocol.version': '2025-11-25', ...pipe };
    const opened = { client: version, server: version };
    expect(describeTree(await traceStdio('2025-11-25'))).toEqual(createSessionTree(opened, opened));
  });

  it('match the convention over HTTP, without a session', async () => {
    const version = { 'mcp.protocol.version': '2026-07-28' };
    const connected = { client: { ...version, ...atClient }, server: { ...version, ...atServer } };
    const tree = describeTree(await traceHttp('2026-07-28'));
    expect(tree).toEqual({
      ...createPair('server/discover', 'INTERNAL turn', connected),
      ...createPair('tools/list', 'INTERNAL turn', connected),
      ...createPair('tools/call', 'INTERNAL turn', connected, ' echo', call),
      ...createPair('notifications/progress', 'SERVER tools/call echo', {
        client: { ...version, ...tcp },
        server: { ...version, ...tcp },
      }),
    });
  });

  it('match the convention over stdio, without a session', async () => {
    const version = { 'mcp.protocol.version': '2026-07-28', ...pipe };
    const connected = { client: version, server: version };
    expect(describeTree(await traceStdio('2026-07-28'))).toEqual({
      ...createPair('server/discover', 'INTERNAL turn', connected),
      ...createPair('tools/list', 'INTERNAL turn', connected),
      ...createPair('tools/call', 'INTERNAL turn', connected, ' echo', call),
      // The server sends it on the stream of all requests, whose versions may differ.
      ...createPair('notifications/progress', 'SERVER tools/call echo', { client: pipe, server: version }),
    });
  });
});
