// @ts-check
/**
 * One tool, with and without telemetry. The argument is the mode: `none`; `context` runs the tool in an `AsyncLocalStorage`;
 * `api` uses `createTelemetry` without an SDK; `metrics`, `gateway` and `spans` use it with one; `metrics-by-hand` and
 * `spans-by-hand` call the same SDK around the tool with as little code as possible.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { serveHttp } from 'tenon/node';
import { createTelemetry } from 'tenon/telemetry';
import { recordByHand, traceByHand } from './by-hand.mjs';
import { createEchoServer } from './echo-server.mjs';
import { setUpApi, setUpGateway, setUpMetrics, setUpSpans } from './set-up.mjs';

/** @type {Record<string, () => Parameters<typeof createEchoServer>[0]>} */
const modes = {
  none: () => ({}),
  context: () => {
    const storage = new AsyncLocalStorage();
    return { wrap: run => args => storage.run(args, () => run(args)) };
  },
  api: () => ({ telemetry: createTelemetry({ api: setUpApi() }) }),
  metrics: () => ({ telemetry: createTelemetry({ api: setUpMetrics() }) }),
  gateway: () => ({ telemetry: createTelemetry({ api: setUpGateway() }) }),
  spans: () => ({ telemetry: createTelemetry({ api: setUpSpans() }) }),
  'metrics-by-hand': () => ({ wrap: recordByHand(setUpMetrics()) }),
  'spans-by-hand': () => ({ wrap: traceByHand(setUpSpans()) }),
};

const [mode = ''] = process.argv.slice(2);
const options = modes[mode]?.();
if (options === undefined) throw new Error(`there is no mode ${mode}`);
const { url } = await serveHttp(createEchoServer(options), { port: 0 });
console.log(url);
