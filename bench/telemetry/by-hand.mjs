// @ts-check
/**
 * The least that a server with this SDK can do: one span with the attributes of the conventions, and one measurement. All
 * values are constants, except the id of the request. A trace of the caller is not read, and failures are not recorded.
 */

/** @typedef {import('./echo-server.mjs').Run} Run */
/** @typedef {{ traceparent?: string }} Meta */
/** @typedef {(text: string, meta?: Meta) => Promise<unknown>} Call */
/** @typedef {typeof import('@opentelemetry/api')} Api */

const SERVER_KIND = 1;
const CLIENT_KIND = 2;
const BOUNDARIES = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];
const LABELS = {
  'mcp.method.name': 'tools/call',
  'gen_ai.tool.name': 'echo',
  'gen_ai.operation.name': 'execute_tool',
  'mcp.protocol.version': '2026-07-28',
  'network.transport': 'tcp',
  'network.protocol.name': 'http',
};

/** @param {Api} api @returns {(run: Run) => Run} */
export function recordByHand({ metrics }) {
  const histogram = createHistogram(metrics, 'server');
  return run => args => {
    const startedAt = performance.now();
    const result = run(args);
    histogram.record((performance.now() - startedAt) / 1000, LABELS);
    return result;
  };
}

/** @param {Api} api @returns {(run: Run) => Run} */
export function traceByHand({ trace, context, metrics }) {
  const histogram = createHistogram(metrics, 'server');
  const tracer = trace.getTracer('bench');
  let lastId = 0;
  return run => args => {
    const startedAt = performance.now();
    lastId += 1;
    const attributes = {
      'mcp.method.name': 'tools/call',
      'gen_ai.tool.name': 'echo',
      'gen_ai.operation.name': 'execute_tool',
      'mcp.protocol.version': '2026-07-28',
      'network.transport': 'tcp',
      'network.protocol.name': 'http',
      'jsonrpc.request.id': String(lastId),
      'client.address': '127.0.0.1',
    };
    const active = context.active();
    const span = tracer.startSpan('tools/call echo', { kind: SERVER_KIND, attributes }, active);
    const result = context.with(trace.setSpan(active, span), () => run(args));
    span.end();
    histogram.record((performance.now() - startedAt) / 1000, LABELS);
    return result;
  };
}

/** The same at the client, which sends the context of its span. @param {Api} api @returns {(call: Call) => Call} */
export function traceCallByHand({ trace, context, metrics, propagation }) {
  const histogram = createHistogram(metrics, 'client');
  const tracer = trace.getTracer('bench');
  let lastId = 0;
  return call => async text => {
    const startedAt = performance.now();
    lastId += 1;
    const attributes = {
      'mcp.method.name': 'tools/call',
      'gen_ai.tool.name': 'echo',
      'gen_ai.operation.name': 'execute_tool',
      'mcp.protocol.version': '2026-07-28',
      'network.transport': 'tcp',
      'network.protocol.name': 'http',
      'jsonrpc.request.id': String(lastId),
      'server.address': '127.0.0.1',
      'server.port': 3000,
    };
    const active = context.active();
    const span = tracer.startSpan('tools/call echo', { kind: CLIENT_KIND, attributes }, active);
    const own = trace.setSpan(active, span);
    const meta = {};
    propagation.inject(own, meta);
    const result = await context.with(own, () => call(text, meta));
    span.end();
    histogram.record((performance.now() - startedAt) / 1000, LABELS);
    return result;
  };
}

/** @param {Api['metrics']} metrics @param {'client' | 'server'} side */
const createHistogram = (metrics, side) =>
  metrics.getMeter('bench').createHistogram(`mcp.${side}.operation.duration`, {
    unit: 's',
    advice: { explicitBucketBoundaries: BOUNDARIES },
  });
