// @ts-check
/**
 * The checked floor: bare `node:http` that does what a server of its protocolVersion has to do for a call, written plainly. It
 * checks the headers and the envelope, looks the session up, routes, checks the argument, builds the result, and writes
 * once. `mode` is the protocolVersion that it speaks.
 */
import { randomUUID } from 'node:crypto';
import { beginStream, frame, reply, resultFields, serve, serverInfo } from './plain-server.mjs';
import { plainListing, plainTools } from './plain-tools.mjs';

/** @typedef {import('./plain-server.mjs').Json} Json */
/** @typedef {import('./plain-server.mjs').Incoming} Incoming */
/** @typedef {import('./plain-server.mjs').Outgoing} Outgoing */

const setup = JSON.parse(process.argv[2] ?? '');
const { mode: protocolVersion } = setup;
const perRequest = protocolVersion === '2026-07-28';
const { before, after, cache } = /** @type {import('./plain-server.mjs').ResultFields} */ (
  resultFields[protocolVersion]
);
const META = 'io.modelcontextprotocol/';
const tools = plainTools(setup);
const listed = plainListing(setup);
/** @type {Map<string, { created: number, ready: boolean }>} */
const sessions = new Map();

/** @typedef {(id: unknown, params: Json, response: Outgoing) => void} Method */
/** @type {Map<unknown, Method>} */
const methods = new Map([
  ['tools/call', callTool],
  ['tools/list', (id, _, response) => answer(response, id, { ...before, tools: listed, ...cache, ...after })],
  perRequest ? ['server/discover', discover] : ['initialize', initialize],
]);

serve((incoming, response, text) => {
  const { origin } = incoming.headers;
  if (origin !== undefined) return refuse(response, 403, null, -32600, 'Origin not allowed');
  if (incoming.method !== 'POST') return refuse(response, 405, null, -32600, 'Method not allowed');
  if (incoming.headers['content-type'] !== 'application/json')
    return refuse(response, 415, null, -32600, 'Content-Type must be application/json');
  let message;
  try {
    message = JSON.parse(text);
  } catch {
    return refuse(response, 400, null, -32700, 'Parse error');
  }
  receive(incoming, response, message);
});

/** @param {Incoming} incoming @param {Outgoing} response @param {Json} message */
function receive({ headers }, response, message) {
  if (
    typeof message !== 'object' ||
    message === null ||
    message.jsonrpc !== '2.0' ||
    typeof message.method !== 'string'
  )
    return refuse(response, 400, null, -32600, 'Invalid request');
  const { id, method, params = {} } = message;
  if (typeof params !== 'object' || params === null || Array.isArray(params))
    return refuse(response, 400, id, -32600, 'params must be an object');
  if (id === undefined) return void response.writeHead(202).end();
  if (typeof id !== 'string' && !Number.isInteger(id)) return refuse(response, 400, null, -32600, 'Invalid id');
  const wrong = perRequest ? findHeaderError(headers, method, params) : findSessionError(headers, method);
  if (wrong !== undefined) return refuse(response, wrong.status, id, wrong.code, wrong.why);
  const run = methods.get(method);
  if (run === undefined) return refuse(response, perRequest ? 404 : 200, id, -32601, 'Method not found');
  run(id, params, response);
}

/** What 2026-07-28 asks of each request. @param {Incoming['headers']} headers @param {string} method @param {Json} params */
function findHeaderError(headers, method, { name, _meta }) {
  if (typeof _meta !== 'object' || _meta === null) return { status: 400, code: -32602, why: '_meta is missing' };
  const version = _meta[`${META}protocolVersion`];
  if (version !== protocolVersion) return { status: 400, code: -32022, why: 'Unsupported protocol version' };
  const client = _meta[`${META}clientInfo`];
  if (client !== undefined && (typeof client?.name !== 'string' || typeof client.version !== 'string'))
    return { status: 400, code: -32602, why: 'clientInfo is malformed' };
  const can = _meta[`${META}clientCapabilities`];
  if (typeof can !== 'object' || can === null)
    return { status: 400, code: -32602, why: 'clientCapabilities are missing' };
  if (headers['mcp-protocol-version'] !== version) return { status: 400, code: -32020, why: 'MCP-Protocol-Version' };
  if (headers['mcp-method'] !== method) return { status: 400, code: -32020, why: 'Mcp-Method' };
  if (method === 'tools/call' && headers['mcp-name'] !== name) return { status: 400, code: -32020, why: 'Mcp-Name' };
  return undefined;
}

/** What 2025-11-25 asks of each request. @param {Incoming['headers']} headers @param {string} method */
function findSessionError(headers, method) {
  if (method === 'initialize') return undefined;
  const version = headers['mcp-protocol-version'];
  if (version !== undefined && version !== protocolVersion)
    return { status: 400, code: -32600, why: 'MCP-Protocol-Version' };
  const sessionId = headers['mcp-session-id'];
  if (typeof sessionId !== 'string') return { status: 400, code: -32600, why: 'Mcp-Session-Id is missing' };
  if (sessions.get(sessionId) === undefined) return { status: 404, code: -32600, why: 'There is no such session' };
  return undefined;
}

/** @type {Method} */
function callTool(id, { name, arguments: given, _meta }, response) {
  const tool = tools.get(name);
  if (tool === undefined) return fail(response, id, -32602, `Unknown tool: ${name}`);
  if (!tool.fits(given)) {
    const content = [{ type: 'text', text: 'The arguments do not fit' }];
    return answer(response, id, { ...before, content, isError: true, ...after });
  }
  const token = _meta?.progressToken;
  let streams = false;
  const returned = tool.run(given, (progress, total) => {
    if (token === undefined) return;
    if (!streams) beginStream(response);
    streams = true;
    const params = { progressToken: token, progress, total };
    response.write(frame({ jsonrpc: '2.0', method: 'notifications/progress', params }));
  });
  if (typeof returned === 'string') return answer(response, id, createResult(returned));
  returned.then(text => {
    if (!streams) return answer(response, id, createResult(text));
    response.end(frame({ jsonrpc: '2.0', id, result: createResult(text) }));
  });
}

/** @param {string} text */
const createResult = text => ({ ...before, content: [{ type: 'text', text }], ...after });

/** @type {Method} */
function initialize(id, _, response) {
  const session = randomUUID();
  sessions.set(session, { created: Date.now(), ready: false });
  const result = { protocolVersion: protocolVersion, capabilities: { tools: {} }, serve, serverInfo };
  reply(response, 200, { jsonrpc: '2.0', id, result }, { 'mcp-session-id': session });
}

/** @type {Method} */
function discover(id, _, response) {
  const discovered = { supportedVersions: [protocolVersion], capabilities: { tools: {} } };
  answer(response, id, { ...before, ...discovered, ...cache, ...after });
}

/** @param {Outgoing} response @param {unknown} id @param {Json} result */
const answer = (response, id, result) => reply(response, 200, { jsonrpc: '2.0', id, result });

/** @param {Outgoing} response @param {unknown} id @param {number} code @param {string} message */
const fail = (response, id, code, message) => refuse(response, 200, id, code, message);

/** @param {Outgoing} response @param {number} status @param {unknown} id @param {number} code @param {string} message */
const refuse = (response, status, id, code, message) =>
  reply(response, status, { jsonrpc: '2.0', id, error: { code, message } });
