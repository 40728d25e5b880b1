// @ts-check
/** The floor of a client: bare `node:http`, or `fetch`, that looks at the status and the id. `node floor.mjs REVISION URL http|fetch`. */
import { Agent, request } from 'node:http';
import { runWorker } from '../worker.mjs';

/** @typedef {{ [key: string]: any }} Json */
/** @typedef {{ status: number | undefined, text: string, session: string | undefined }} Reply */
/** @typedef {(body: string, headers: Record<string, string>) => Promise<Reply>} Post */

const [, , version = '', url = '', mode] = process.argv;
const perRequest = version === '2026-07-28';
const clientInfo = { name: 'bench', version: '1.0.0' };
const META = {
  'io.modelcontextprotocol/protocolVersion': version,
  'io.modelcontextprotocol/clientInfo': clientInfo,
  'io.modelcontextprotocol/clientCapabilities': {},
};
const { hostname, port, pathname: path } = new URL(url);
const agent = new Agent({ keepAlive: true });
const fixed = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const post = mode === 'fetch' ? byFetch : byHttp;
let last = 0;
const session = perRequest ? {} : await open();
await runWorker(call);

/** @type {Post} */
function byHttp(body, more) {
  const headers = { ...fixed, ...more, 'content-length': Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const sent = request({ agent, hostname, port, path, method: 'POST', headers }, reply => {
      let text = '';
      reply.setEncoding('utf8').on('data', chunk => {
        text += chunk;
      });
      const named = /** @type {string | undefined} */ (reply.headers['mcp-session-id']);
      reply.on('end', () => resolve({ status: reply.statusCode, text, session: named }));
    });
    sent.on('error', reject).end(body);
  });
}

/** @type {Post} */
async function byFetch(body, more) {
  const reply = await fetch(url, { method: 'POST', headers: { ...fixed, ...more }, body });
  return { status: reply.status, text: await reply.text(), session: reply.headers.get('mcp-session-id') ?? undefined };
}

/** @returns {Promise<Record<string, string>>} */
async function open() {
  const params = { protocolVersion: version, capabilities: {}, clientInfo };
  const reply = await post(JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params }), {});
  const headers = { 'mcp-protocol-version': version, 'mcp-session-id': String(reply.session) };
  await post(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }), headers);
  return headers;
}

/** @param {string} text @returns {Promise<unknown>} */
async function call(text) {
  last += 1;
  const id = last;
  const params = perRequest
    ? { name: 'echo', arguments: { text }, _meta: META }
    : { name: 'echo', arguments: { text } };
  const headers = perRequest
    ? { 'mcp-protocol-version': version, 'mcp-method': 'tools/call', 'mcp-name': 'echo' }
    : session;
  const reply = await post(JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params }), headers);
  const answer = JSON.parse(reply.text);
  if (reply.status !== 200 || answer.id !== id || answer.result === undefined) throw new Error(reply.text);
  return answer.result.content[0].text;
}
