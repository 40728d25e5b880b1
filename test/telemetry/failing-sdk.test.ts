import * as api from '@opentelemetry/api';
import { connectPair } from '@tenon/testing';
import { createServer, TenonError, tool } from 'tenon';
import { createTelemetry } from 'tenon/telemetry';
import { expect, it, vi } from 'vitest';

const fail = () => {
  throw new Error('the SDK failed');
};
const span = { spanContext: fail, setAttributes: fail, setStatus: fail, updateName: fail, end: fail };
const { trace, context, propagation, metrics } = api;
const instrument = { record: fail, add: fail, addCallback() {}, removeCallback() {} };
const create = () => instrument;
const meter = {
  createHistogram: create,
  createCounter: create,
  createUpDownCounter: create,
  createObservableGauge: create,
};

const parts = {
  'a tracer': {
    trace: { ...trace, getSpan: () => undefined, setSpan: () => ({}), getTracer: () => ({ startSpan: fail }) },
  },
  'a span': {
    trace: {
      getSpan: () => undefined,
      setSpan: (active: api.Context) => active,
      getTracer: () => ({ startSpan: () => span }),
    },
  },
  'an instrument': { metrics: { getMeter: () => meter } },
  'a propagator': { propagation: { inject: fail, extract: fail } },
};

it.each(
  Object.entries(parts).flatMap(([name, part]) =>
    (['2025-06-18', '2026-07-28'] as const).flatMap(version =>
      (['server', 'client'] as const).map(side => [name, side, version, part] as const),
    ),
  ),
)('completes requests while %s of the SDK throws at the %s of %s', async (_, side, protocolVersion, part) => {
  const error = vi.fn();
  const telemetry = createTelemetry({
    api: { trace, context, propagation, metrics, ...part, diag: { error } } as never,
    notifications: true,
  });
  const server = createServer({
    name: 's',
    version: '1',
    ...(side === 'server' ? { telemetry } : {}),
    tools: {
      echo: tool({
        run: (_, ctx) => {
          ctx.progress(1);
          return 'done';
        },
      }),
    },
  });
  const client = await connectPair(server, { protocolVersion, ...(side === 'client' ? { telemetry } : {}) });
  const meta = { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` };
  const { content } = await client.callTool('echo', {}, { meta, onProgress: () => {} });
  await client.close();
  expect(content).toEqual([{ type: 'text', text: 'done' }]);
  expect(error).toHaveBeenCalledWith('tenon: the OpenTelemetry SDK has thrown an error', expect.any(Error));
});

it('refuses an API without the functions that it calls', () => {
  const create = () => createTelemetry({ api: { trace, metrics, context } as never });
  expect(create).toThrow(TenonError);
  expect(create).toThrow(/invalid `api\/propagation/);
});
