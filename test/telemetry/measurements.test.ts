import * as api from '@opentelemetry/api';
import { createHost } from '@tenon/host';
import { connect, createServer, rpcError, tool, toolError } from 'tenon';
import { type AuthorizerRequest, createCallerSignIn } from 'tenon/auth';
import { serveHttp } from 'tenon/node';
import { createTelemetry, type TracedRequest } from 'tenon/telemetry';
import { describe, expect, it } from 'vitest';
import { useSdk } from './setup.js';

const { readMeasurements, takeSpans, use } = useSdk();
/** Created in the test, because instruments of the API do not change to an SDK that is set up later. */
const create = () => createTelemetry({ api });
const { CLIENT, SERVER } = api.SpanKind;

const findMeasurements = async (name: string) => (await readMeasurements()).filter(each => each.name === name);
/** Returns the value of a counter for servers. */
const readOpen = async (name: string) =>
  (await findMeasurements(name)).find(({ attributes }) => attributes['tenon.role'] === 'server')?.value ?? 0;

describe('a subscription without a session', () => {
  it('records a duration of its own, and no session [otel.stateless-session] [otel.gateway-extra]', async () => {
    const telemetry = create();
    const server = use(
      createServer({ name: 'a', version: '1.0.0', telemetry, resources: { 'test://a': { read: () => '' } } }),
    );
    const { url } = use(await serveHttp(server, { port: 0 }));
    const client = use(await connect(url, { telemetry, protocolVersion: '2026-07-28' }));
    const before = await readOpen('tenon.streams.open');
    const stop = new AbortController();
    const changes = client.watch({ uris: ['test://a'] }, { signal: stop.signal })[Symbol.asyncIterator]();
    const first = changes.next();
    await expect.poll(async () => Number(await readOpen('tenon.streams.open')) - Number(before)).toBe(1);
    stop.abort();
    await first;
    await expect.poll(() => readOpen('tenon.streams.open')).toBe(before);
    await client.close();
    const measurements = await readMeasurements();
    const [listened] = measurements.filter(({ name }) => name === 'tenon.listen.duration');
    expect(listened).toMatchObject({ unit: 's', attributes: { 'mcp.protocol.version': '2026-07-28' } });
    const sessions = measurements.filter(({ name }) => /session/.test(name));
    expect(sessions.map(({ attributes }) => attributes['mcp.protocol.version'])).not.toContain('2026-07-28');
    const operations = measurements.filter(({ name }) => name.endsWith('operation.duration'));
    expect(operations.map(({ attributes }) => attributes['mcp.method.name'])).not.toContain('subscriptions/listen');
  });
});

describe('a metric', () => {
  /** Telemetry that measures into a list. */
  const createMeter = () => {
    const recorded: Record<string, unknown>[] = [];
    const instrument = {
      record: (_: number, attributes: object) => void recorded.push({ ...attributes }),
      add() {},
      addCallback() {},
      removeCallback() {},
    };
    const createInstrument = () => instrument;
    const meter = {
      createHistogram: createInstrument,
      createCounter: createInstrument,
      createUpDownCounter: createInstrument,
      createObservableGauge: createInstrument,
    };
    const { context, propagation, trace } = api;
    const own = createTelemetry({ api: { context, propagation, trace, metrics: { getMeter: () => meter } } });
    const getValues = (name: string) => new Set(recorded.flatMap(each => each[name] ?? []));
    return { telemetry: own, getValues };
  };
  const createRequest = (name: string, method = 'tools/call'): TracedRequest => ({
    role: 'server',
    network: {},
    method,
    params: { name },
  });

  it('has one more tool name than exist, for 10,000 random names [otel.metrics-cardinality]', () => {
    const meter = createMeter();
    const refuse = () => {
      throw rpcError(-32_602, 'Unknown tool');
    };
    for (const name of ['one', 'two']) meter.telemetry.traceIncoming(createRequest(name), () => ({}));
    for (let n = 0; n < 5000; n += 1) {
      const name = `invented-${n}-${Math.random()}`;
      expect(() => meter.telemetry.traceIncoming(createRequest(name), refuse)).toThrow();
      meter.telemetry.traceIncoming(createRequest(`other-${name}`), () => ({ isError: true }));
    }
    expect(meter.getValues('gen_ai.tool.name')).toEqual(new Set(['one', 'two', '_OTHER']));
  });

  it('has at most 1,000 tool names, also where more exist [otel.metrics-cardinality]', () => {
    const meter = createMeter();
    for (let n = 0; n < 1500; n += 1) meter.telemetry.traceIncoming(createRequest(`tool-${n}`), () => ({}));
    for (let n = 0; n < 1500; n += 1) meter.telemetry.traceIncoming(createRequest('', `custom/${n}`), () => ({}));
    const names = [...meter.getValues('gen_ai.tool.name')];
    expect(names).toHaveLength(1001);
    expect(names).toContain('_OTHER');
    expect(meter.getValues('mcp.method.name')).toEqual(new Set(['tools/call', '_OTHER']));
    // Known names stay.
    meter.telemetry.traceIncoming(createRequest('tool-0'), () => ({}));
    expect(names.filter(name => name === 'tool-0')).toHaveLength(1);
  });

  it('has at most 100 types of errors [otel.metrics-cardinality]', () => {
    const meter = createMeter();
    const fail = (code: number) => {
      const serve = () => {
        throw rpcError(code, 'no');
      };
      expect(() => meter.telemetry.traceIncoming(createRequest('', 'ping'), serve)).toThrow();
    };
    for (let code = 1; code <= 500; code += 1) fail(code);
    const types = [...meter.getValues('error.type')];
    expect(types).toHaveLength(101);
    expect(types).toContain('_OTHER');
    // The code has as many values as the type.
    expect(meter.getValues('rpc.response.status_code').size).toBe(100);
  });
});

describe('failures', () => {
  it('have five different types [otel.error-type] [otel.tool-error] [otel.span-status]', async () => {
    const telemetry = create();
    const wait = (_: unknown, { signal }: { signal: AbortSignal }) =>
      new Promise<string>((_, reject) => signal.addEventListener('abort', reject));
    const server = createServer({
      name: 'a',
      version: '1.0.0',
      telemetry,
      onError: () => {},
      tools: {
        fails: tool({ run: () => toolError('no such city') }),
        refuses: tool({
          run: () => {
            throw rpcError(-32_050, 'not today');
          },
        }),
        waits: tool({ run: wait }),
      },
      resources: {
        'test://broken': {
          read: () => {
            throw new RangeError('out of range');
          },
        },
      },
    });
    const client = use(await connect(use(server), { telemetry }));
    for await (const _ of client.listTools());
    takeSpans();
    await client.callTool('fails');
    await expect(client.callTool('refuses')).rejects.toThrow();
    await expect(client.readResource('test://broken')).rejects.toThrow();
    await expect(client.callTool('waits', {}, { totalTimeout: 50 })).rejects.toThrow();
    const stop = new AbortController();
    const cancelled = expect(client.callTool('waits', {}, { signal: stop.signal })).rejects.toThrow();
    stop.abort();
    await cancelled;
    const spans = takeSpans();
    const getTypes = (kind: api.SpanKind) =>
      spans.filter(span => span.kind === kind).map(({ attributes }) => attributes['error.type']);
    expect(getTypes(CLIENT)).toEqual(['tool_error', '-32050', '-32603', 'timeout', 'cancelled']);
    expect(getTypes(SERVER)).toEqual(['tool_error', '-32050', 'RangeError', 'cancelled', 'cancelled']);
  });
});

describe('a host [otel.gateway-extra]', () => {
  it('counts sign-ins of its callers by outcome', async () => {
    const callerSignIn = createCallerSignIn({
      url: 'http://127.0.0.1:1/sign-in',
      resource: 'http://127.0.0.1:1/mcp',
      issuer: 'http://127.0.0.1:2',
      tokenVerifier: { verify: async () => ({ ok: false }) } as never,
    });
    use(await createHost({ servers: { up: { url: 'http://127.0.0.1:3/mcp' } }, callerSignIn, telemetry: create() }));
    await callerSignIn.signOut('up', { principal: 'ada' });
    expect(await findMeasurements('tenon.sign_ins')).toMatchObject([
      { value: 1, attributes: { 'tenon.upstream': 'up', 'tenon.sign_in.outcome': 'signed-out' } },
    ]);
  });

  it('counts refreshed tokens, and failed refreshes', async () => {
    const tools = { echo: tool({ run: () => 'echo' }) };
    const { url } = use(await serveHttp(use(createServer({ name: 'a', version: '1.0.0', tools })), { port: 0 }));
    let outcome: 'refreshed' | 'failed' = 'refreshed';
    const auth = {
      async getHeaders({ onTokenRefresh }: AuthorizerRequest) {
        onTokenRefresh?.(outcome);
        return {};
      },
      handleRefusal: async () => false,
    };
    for (outcome of ['refreshed', 'failed'] as const) {
      const host = use(await createHost({ servers: { up: { url, auth } }, telemetry: create(), prefix: 'auto' }));
      await host.callTool('echo');
    }
    const counted = await findMeasurements('tenon.token_refreshes');
    expect(counted.map(({ attributes }) => attributes)).toEqual([
      { 'tenon.upstream': 'up', 'tenon.token_refresh.outcome': 'refreshed' },
      { 'tenon.upstream': 'up', 'tenon.token_refresh.outcome': 'failed' },
    ]);
  });

  it('measures the formats of stored records that cannot be read', async () => {
    const stop = create().observeUnknownFormats(() => [{ kind: 'task', format: '7' }]);
    expect(await findMeasurements('tenon.store.unknown_formats')).toMatchObject([
      { value: 1, attributes: { 'tenon.store.kind': 'task', 'tenon.store.format': '7' } },
    ]);
    stop();
  });

  it('measures pending approvals and starts', async () => {
    const stop = create().observeHost(async () => ({ upstreams: [], pendingApprovals: 3, waitingStarts: 2 }));
    expect(await findMeasurements('tenon.approvals.pending')).toMatchObject([{ value: 3 }]);
    expect(await findMeasurements('tenon.starts.waiting')).toMatchObject([{ value: 2 }]);
    stop();
  });
});
