// @ts-check
/** Calls a server over raw sockets and raw pipes, with a number of calls in flight, and looks at every answer. */
import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { connectPipes, connectSocket, PER_REQUEST } from './connections.mjs';

/** @typedef {import('./connections.mjs').Json} Json */
/** @typedef {import('./connections.mjs').Reply} Reply */
/** @typedef {import('./connections.mjs').Connection} Connection */
/** A client of one protocol version. @typedef {{ connections: Connection[], revision: string, addMeta: (message: Json) => Json }} Caller */
/** What is asked again and again, and whether what reply is right. @typedef {{ method: string, params: (id: number) => Json, isRight: (reply: Reply, id: number) => boolean }} Call */
/** @typedef {{ calls: number, seconds: number, latencies: Float64Array }} Load */
/** `tools`: what `tools/list` has to have; `sessions`: one for all connections, or one for each; `headers`: more lines of header. @typedef {{ tools?: readonly string[], sessions?: 'one' | 'each', headers?: string }} ConnectOptions */

const META = {
  'io.modelcontextprotocol/protocolVersion': PER_REQUEST,
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const MOST_CALLS = 2_000_000;
let lastId = 0;

/** The tool that gives back what it is given. @type {Call} */
export const echo = {
  method: 'tools/call',
  params: id => ({ name: 'echo', arguments: { text: `call ${id}` } }),
  isRight: ({ answer }, id) => answer?.result?.content?.[0]?.text === `call ${id}`,
};

/**
 * Opens `connections` connections to an endpoint, and sessions where the protocol version has them.
 * @param {string} url @param {string} version @param {number} connections @param {ConnectOptions} [options]
 * @returns {Promise<Caller>}
 */
export async function connectOverHttp(url, version, connections, { tools, sessions = 'one', headers } = {}) {
  const shared = { fields: '' };
  const own = Array.from({ length: connections }, () => (sessions === 'one' ? shared : { fields: '' }));
  const caller = await openConnections(url, version, own, headers);
  const opened = caller.connections.slice(0, sessions === 'one' ? 1 : connections);
  await Promise.all(opened.map((connection, at) => open(caller, connection, tools, own[at])));
  return caller;
}

/**
 * Opens connections and says nothing over them: for what is no server of the protocol, but is sent the same.
 * @param {string} url @param {string} version @param {number} connections
 */
export const connectWithoutHandshake = (url, version, connections) =>
  openConnections(
    url,
    version,
    Array.from({ length: connections }, () => ({ fields: sessionFields(version, randomUUID()) })),
  );

/** Speaks with a process over its standard streams. @param {import('node:child_process').ChildProcess} child @param {string} version @param {number} connections @param {ConnectOptions} [options] @returns {Promise<Caller>} */
export async function connectOverStdio(child, version, connections, { tools } = {}) {
  const connection = connectPipes(child);
  const caller = {
    connections: Array.from({ length: connections }, () => connection),
    revision: version,
    addMeta: createAddMeta(version),
  };
  await open(caller, connection, tools);
  return caller;
}

/** @param {string} url @param {string} version @param {import('./connections.mjs').Session[]} sessions @param {string} [headers] @returns {Promise<Caller>} */
async function openConnections(url, version, sessions, headers) {
  const connections = [];
  for (const session of sessions) connections.push(await connectSocket(new URL(url), version, session, headers));
  return { connections, revision: version, addMeta: createAddMeta(version) };
}

/** @param {string} version @returns {(message: Json) => Json} */
export const createAddMeta = version => message => {
  if (version !== PER_REQUEST) return message;
  const { _meta, ...params } = message.params;
  return { ...message, params: { ...params, _meta: _meta ? { ...META, ..._meta } : META } };
};

/** @param {string} version @param {string} [id] */
const sessionFields = (version, id) => `MCP-Protocol-Version: ${version}\r\n${id ? `Mcp-Session-Id: ${id}\r\n` : ''}`;

/** @param {Caller} caller @param {Connection} connection @param {readonly string[]} [tools] @param {import('./connections.mjs').Session} [session] */
async function open({ revision: version, addMeta }, connection, tools = ['echo'], session = { fields: '' }) {
  const clientInfo = { name: 'bench', version: '1.0.0' };
  const perRequest = version === PER_REQUEST;
  const method = perRequest ? 'server/discover' : 'initialize';
  const params = perRequest ? {} : { protocolVersion: version, capabilities: {}, clientInfo };
  const { answer, head } = await connection.send(addMeta({ jsonrpc: '2.0', id: ++lastId, method, params }));
  const { protocolVersion = version, supportedVersions = [version] } = answer?.result ?? {};
  if (!answer?.result || protocolVersion !== version || !supportedVersions.includes(version))
    throw new Error(`${method} was answered with ${JSON.stringify(answer)} ${head}`);
  const [, id] = /^mcp-session-id: *(\S+)/im.exec(head) ?? [];
  session.fields = sessionFields(version, id);
  if (!perRequest) await connection.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  const listing = await connection.send(addMeta({ jsonrpc: '2.0', id: ++lastId, method: 'tools/list', params: {} }));
  const names = listing.answer?.result?.tools?.map((/** @type {Json} */ { name }) => name);
  if (String(names) !== String(tools)) throw new Error(`tools/list was answered with ${JSON.stringify(listing)}`);
}

/**
 * Has the connections call, one after the other each, until the time is over or so many calls have been made.
 * `interval`: milliseconds from one call of a connection to the next. One that is late because of the reply before it
 * counts from the time at which it was due.
 * @param {Caller} caller @param {number} inFlight @param {number} seconds @param {{ most?: number, call?: Call, isAwake?: boolean, interval?: number }} [options]
 * @returns {Promise<Load>}
 */
export async function load(
  { connections, addMeta },
  inFlight,
  seconds,
  { most = MOST_CALLS, call = echo, isAwake = true, interval = 0 } = {},
) {
  const { method, params, isRight } = call;
  const latencies = new Float64Array(most);
  let begun = 0;
  let calls = 0;
  const stopKeepingAwake = isAwake ? keepAwake() : () => {};
  const start = performance.now();
  const end = start + seconds * 1000;
  await Promise.all(
    connections.slice(0, inFlight).map(async ({ send }, at) => {
      let due = start + (at * interval) / inFlight;
      let isLate = false;
      while (performance.now() < end && begun < most) {
        begun += 1;
        lastId += 1;
        const id = lastId;
        if (interval > 0 && !isLate) await setTimeout(due - performance.now());
        const before = isLate ? due : performance.now();
        const reply = await send(addMeta({ jsonrpc: '2.0', id, method, params: params(id) }));
        latencies[calls] = performance.now() - before;
        calls += 1;
        due += interval;
        isLate = interval > 0 && performance.now() > due;
        if (reply.answer?.id !== id || !isRight(reply, id))
          throw new Error(`call ${id} of ${method} was answered with ${JSON.stringify(reply).slice(0, 2000)}`);
      }
    }),
  );
  const took = (performance.now() - start) / 1000;
  stopKeepingAwake();
  return { calls, seconds: took, latencies: latencies.slice(0, calls).sort() };
}

/** To wake one who sleeps is counted as work of the one who sends: the slower a server is, the more often. Returns what ends it. */
function keepAwake() {
  let awake = true;
  const turn = () => void (awake && setImmediate(turn));
  turn();
  return () => {
    awake = false;
  };
}

/** In microseconds. @param {Float64Array} sorted @param {number} part */
export const quantile = (sorted, part) => (sorted[Math.floor(part * (sorted.length - 1))] ?? Number.NaN) * 1000;

/** @param {Caller} caller */
export const closeConnections = ({ connections }) => {
  for (const { close } of new Set(connections)) close();
};
