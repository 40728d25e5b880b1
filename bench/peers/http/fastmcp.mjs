// @ts-check
/** FastMCP. `mode`: `stateless`, with JSON as answers; `stateless-sse`, `stateful` with streams, as it comes. */
import { FastMCP } from 'fastmcp';
import { freePort } from '../../processes.mjs';
import { serverInfo, setup, tools } from './tools.mjs';

// What it says when it starts would be taken for its URL, and it warns of each client that can do nothing special.
const quiet = () => {};
const logger = { debug: quiet, error: console.error, info: quiet, log: quiet, warn: quiet };
const server = new FastMCP({ name: serverInfo.name, version: '1.0.0', logger });
for (const { name, description, input, run } of tools) {
  server.addTool({
    name,
    description,
    parameters: input,
    execute: async (given, { reportProgress }) => run(given, (progress, total) => reportProgress({ progress, total })),
  });
}
const [mode, kind] = setup.mode.split('-');
const stateless = mode === 'stateless';
const port = await freePort();
const host = '127.0.0.1';
await server.start({
  transportType: 'httpStream',
  httpStream: { port, host, stateless, enableJsonResponse: stateless && kind !== 'sse' },
});
console.log(`http://${host}:${port}/mcp`);
