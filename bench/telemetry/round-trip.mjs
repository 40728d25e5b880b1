// @ts-check
/** A client and its server in one process, over HTTP. The argument is the mode of both: `none`, `metrics`, `spans` or `spans-by-hand`. */
import { connect } from 'tenon';
import { serveHttp } from 'tenon/node';
import { createTelemetry } from 'tenon/telemetry';
import { runWorker } from '../worker.mjs';
import { traceByHand, traceCallByHand } from './by-hand.mjs';
import { createEchoServer } from './echo-server.mjs';
import { setUpMetrics, setUpSpans } from './set-up.mjs';

const [mode] = process.argv.slice(2);
const api = mode === 'none' ? undefined : mode === 'metrics' ? setUpMetrics() : setUpSpans();
const isByHand = mode === 'spans-by-hand';
const traced = api && !isByHand ? { telemetry: createTelemetry({ api }) } : {};
const { url } = await serveHttp(createEchoServer(api && isByHand ? { wrap: traceByHand(api) } : traced), { port: 0 });
const client = await connect(url, { protocolVersion: '2026-07-28', ...traced });

const call = async (/** @type {string} */ text, /** @type {import('./by-hand.mjs').Meta} */ meta = {}) => {
  const { content } = await client.callTool('echo', { text }, { meta });
  return content[0]?.type === 'text' && content[0].text;
};
await runWorker(api && isByHand ? traceCallByHand(api)(call) : call);
