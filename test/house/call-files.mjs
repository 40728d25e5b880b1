// @ts-check
/**
 * Prints the files of the library that take part in one plain `tools/call` of protocol version 2026-07-28 over HTTP on Node,
 * as JSON. A file takes part when at least one of its functions runs between the arrival of the request and the end of the
 * response, as counted by V8. Module bodies do not count. Work of the first calls does not count: the server is warm.
 *
 * Run it with `node --import tsx test/house/call-files.mjs`. With `--functions` it also prints the names of the functions.
 */
import { Agent, request } from 'node:http';
import { Session } from 'node:inspector/promises';
import { z } from 'zod';
import { createServer, tool } from '../../packages/tenon/src/index.node.ts';
import { serveHttp } from '../../packages/tenon/src/node.ts';

const WARM_CALLS = 5;
const sources = new URL('../../packages/tenon/src/', import.meta.url).href;

const server = createServer({
  name: 'greeter',
  version: '1.0.0',
  tools: {
    greet: tool({ input: z.object({ name: z.string() }), run: async ({ name }) => `Hello, ${name}` }),
  },
});
const http = await serveHttp(server, { port: 0 });
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
const inspector = new Session();
inspector.connect();
try {
  await inspector.post('Profiler.enable');
  await inspector.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  for (let call = 0; call < WARM_CALLS; call++) await callTool();
  // Reading the counters sets them to zero.
  await inspector.post('Profiler.takePreciseCoverage');
  await callTool();
  const { result } = await inspector.post('Profiler.takePreciseCoverage');
  const files = result
    .filter(({ url }) => url.startsWith(sources))
    .map(({ url, functions }) => ({ file: url.slice(sources.length), functions: listCalled(functions) }))
    .filter(({ functions }) => functions.length > 0)
    .sort((a, b) => (a.file < b.file ? -1 : 1));
  console.log(JSON.stringify(process.argv.includes('--functions') ? files : files.map(({ file }) => file), null, 1));
} finally {
  inspector.disconnect();
  agent.destroy();
  await http.close();
}

/** @param {import('node:inspector').Profiler.FunctionCoverage[]} functions @returns {string[]} */
function listCalled(functions) {
  // A module body has no name and begins at the start of the file.
  const called = functions.filter(({ ranges: [range] }) => range && range.count > 0 && range.startOffset > 0);
  return called.map(({ functionName }) => functionName || '(anonymous)');
}

/** Calls the tool once, on a connection that is open. @returns {Promise<void>} */
function callTool() {
  const params = {
    name: 'greet',
    arguments: { name: 'Ada' },
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'reader', version: '1.0.0' },
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': 'greet',
  };
  return new Promise((resolve, reject) => {
    const outgoing = request(http.url, { method: 'POST', agent, headers }, async response => {
      const chunks = await response.toArray();
      const text = Buffer.concat(chunks).toString();
      if (text.includes('"Hello, Ada"')) resolve();
      else reject(new Error(`HTTP ${response.statusCode}: ${text}`));
    });
    outgoing.on('error', reject).end(body);
  });
}
