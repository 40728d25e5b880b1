// @ts-check
/**
 * The checked floor: bare Node that does what a server of its protocol version has to do for a call, written plainly. It checks
 * the envelope and what 2026-07-28 asks of each request, routes, checks the argument, and builds the result.
 * `node checked.mjs REVISION`.
 */
import { answers, eachLine, write } from './answers.mjs';

/** @typedef {import('./answers.mjs').Json} Json */

const version = process.argv[2] ?? '';
const { opening, opened, listing, result } = /** @type {import('./answers.mjs').Answers} */ (answers[version]);
const META = 'io.modelcontextprotocol/';
const isObject = (/** @type {unknown} */ value) => typeof value === 'object' && value !== null && !Array.isArray(value);

/** @type {Map<string, (given: Json) => string>} */
const tools = new Map([['echo', ({ text }) => text]]);
/** @type {Map<string, (params: Json) => Json>} */
const methods = new Map([
  ['tools/call', call],
  ['tools/list', () => ({ result: listing })],
  [opening, () => ({ result: opened })],
]);

eachLine(line => {
  const reply = receive(line);
  if (reply !== undefined) write(reply);
});

/** @param {string} line @returns {Json | undefined} */
function receive(line) {
  let message;
  try {
    message = JSON.parse(line);
  } catch {
    return { jsonrpc: '2.0', id: null, error: { code: -32700, message: 'Parse error' } };
  }
  if (!isObject(message) || message.jsonrpc !== '2.0' || typeof message.method !== 'string')
    return { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'Invalid request' } };
  const { id, method, params = {} } = message;
  if (id === undefined) return undefined;
  if (typeof id !== 'string' && !Number.isInteger(id))
    return { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'Invalid id' } };
  const run = methods.get(method);
  if (run === undefined) return { jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } };
  if (!isObject(params) || (version === '2026-07-28' && !isOpening(params._meta)))
    return { jsonrpc: '2.0', id, error: { code: -32602, message: 'Invalid params' } };
  return { jsonrpc: '2.0', id, ...run(params) };
}

/** What 2026-07-28 has in each request. @param {Json | undefined} meta */
function isOpening(meta) {
  if (meta === undefined || !isObject(meta) || meta[`${META}protocolVersion`] !== version) return false;
  const client = meta[`${META}clientInfo`];
  if (client !== undefined && (typeof client?.name !== 'string' || typeof client.version !== 'string')) return false;
  return isObject(meta[`${META}clientCapabilities`]);
}

/** @param {Json} params @returns {Json} */
function call({ name, arguments: given }) {
  const run = tools.get(name);
  if (run === undefined) return { error: { code: -32602, message: `Unknown tool: ${name}` } };
  if (!isObject(given) || typeof given.text !== 'string')
    return { result: { ...result('The arguments do not fit'), isError: true } };
  return { result: result(run(given)) };
}
