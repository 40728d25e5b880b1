// @ts-check
/** Calls a server over raw sockets and raw pipes, with a number of calls in flight, and looks at every answer. */
import { randomUUID } from 'node:crypto';
import { PER_REQUEST, pipeLane, socketLane } from './lanes.mjs';

/** @typedef {import('./lanes.mjs').Json} Json */
/** @typedef {import('./lanes.mjs').Came} Came */
/** @typedef {import('./lanes.mjs').Lane} Lane */
/** A client of one revision. @typedef {{ lanes: Lane[], revision: string, decorate: (message: Json) => Json }} Caller */
/** What is asked again and again, and whether what came is right. @typedef {{ method: string, params: (id: number) => Json, isRight: (came: Came, id: number) => boolean }} Call */
/** @typedef {{ calls: number, seconds: number, latencies: Float64Array }} Load */
/** `tools`: what `tools/list` has to have; `sessions`: one for all lanes, or one for each. @typedef {{ tools?: readonly string[], sessions?: 'one' | 'each' }} Opening */

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
 * Opens `lanes` connections to an endpoint, and sessions where the revision has them.
 * @param {string} url @param {string} revision @param {number} lanes @param {Opening} [opening]
 * @returns {Promise<Caller>}
 */
export async function callOverHttp(url, revision, lanes, { tools, sessions = 'one' } = {}) {
  const shared = { fields: '' };
  const own = Array.from({ length: lanes }, () => (sessions === 'one' ? shared : { fields: '' }));
  const caller = await dialOnly(url, revision, own);
  const opened = caller.lanes.slice(0, sessions === 'one' ? 1 : lanes);
  await Promise.all(opened.map((lane, at) => open(caller, lane, tools, own[at])));
  return caller;
}

/**
 * Opens connections and says nothing over them: for what is no server of the protocol, but is sent the same.
 * @param {string} url @param {string} revision @param {number} lanes
 */
export const callPlainly = (url, revision, lanes) =>
  dialOnly(
    url,
    revision,
    Array.from({ length: lanes }, () => ({ fields: sessionFields(revision, randomUUID()) })),
  );

/** Speaks with a process over its standard streams. @param {import('node:child_process').ChildProcess} child @param {string} revision @param {number} lanes @param {Opening} [opening] @returns {Promise<Caller>} */
export async function callOverStdio(child, revision, lanes, { tools } = {}) {
  const lane = pipeLane(child);
  const caller = { lanes: Array.from({ length: lanes }, () => lane), revision, decorate: decorating(revision) };
  await open(caller, lane, tools);
  return caller;
}

/** @param {string} url @param {string} revision @param {import('./lanes.mjs').Session[]} sessions @returns {Promise<Caller>} */
async function dialOnly(url, revision, sessions) {
  const lanes = [];
  for (const session of sessions) lanes.push(await socketLane(new URL(url), revision, session));
  return { lanes, revision, decorate: decorating(revision) };
}

/** @param {string} revision @returns {(message: Json) => Json} */
const decorating = revision => message => {
  if (revision !== PER_REQUEST) return message;
  const { _meta, ...params } = message.params;
  return { ...message, params: { ...params, _meta: _meta ? { ...META, ..._meta } : META } };
};

/** @param {string} revision @param {string} [id] */
const sessionFields = (revision, id) => `MCP-Protocol-Version: ${revision}\r\n${id ? `Mcp-Session-Id: ${id}\r\n` : ''}`;

/** @param {Caller} caller @param {Lane} lane @param {readonly string[]} [tools] @param {import('./lanes.mjs').Session} [session] */
async function open({ revision, decorate }, lane, tools = ['echo'], session = { fields: '' }) {
  const clientInfo = { name: 'bench', version: '1.0.0' };
  const perRequest = revision === PER_REQUEST;
  const method = perRequest ? 'server/discover' : 'initialize';
  const params = perRequest ? {} : { protocolVersion: revision, capabilities: {}, clientInfo };
  const { answer, head } = await lane.send(decorate({ jsonrpc: '2.0', id: ++lastId, method, params }));
  const { protocolVersion = revision, supportedVersions = [revision] } = answer?.result ?? {};
  if (!answer?.result || protocolVersion !== revision || !supportedVersions.includes(revision))
    throw new Error(`${method} was answered with ${JSON.stringify(answer)} ${head}`);
  const [, id] = /^mcp-session-id: *(\S+)/im.exec(head) ?? [];
  session.fields = sessionFields(revision, id);
  if (!perRequest) await lane.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  const listing = await lane.send(decorate({ jsonrpc: '2.0', id: ++lastId, method: 'tools/list', params: {} }));
  const names = listing.answer?.result?.tools?.map((/** @type {Json} */ { name }) => name);
  if (String(names) !== String(tools)) throw new Error(`tools/list was answered with ${JSON.stringify(listing)}`);
}

/**
 * Has the lanes call, one after the other each, until the time is over or so many calls have been made.
 * @param {Caller} caller @param {number} inFlight @param {number} seconds @param {{ most?: number, call?: Call }} [options]
 * @returns {Promise<Load>}
 */
export async function load({ lanes, decorate }, inFlight, seconds, { most = MOST_CALLS, call = echo } = {}) {
  const { method, params, isRight } = call;
  const latencies = new Float64Array(most);
  let begun = 0;
  let calls = 0;
  const sleep = stayAwake();
  const start = performance.now();
  const end = start + seconds * 1000;
  await Promise.all(
    lanes.slice(0, inFlight).map(async ({ send }) => {
      while (performance.now() < end && begun < most) {
        begun += 1;
        lastId += 1;
        const id = lastId;
        const before = performance.now();
        const came = await send(decorate({ jsonrpc: '2.0', id, method, params: params(id) }));
        latencies[calls] = performance.now() - before;
        calls += 1;
        if (came.answer?.id !== id || !isRight(came, id))
          throw new Error(`call ${id} of ${method} was answered with ${JSON.stringify(came).slice(0, 2000)}`);
      }
    }),
  );
  const took = (performance.now() - start) / 1000;
  sleep();
  return { calls, seconds: took, latencies: latencies.slice(0, calls).sort() };
}

/** To wake one who sleeps is counted as work of the one who sends: the slower a server is, the more often. Returns what ends it. */
function stayAwake() {
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
export const hangUp = ({ lanes }) => {
  for (const { close } of new Set(lanes)) close();
};
