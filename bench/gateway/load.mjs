// @ts-check
/** Calls a tool over raw sockets and raw pipes, with a number of calls in flight, and looks at every answer. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { readAnswer } from './http-answer.mjs';

/** @typedef {{ [key: string]: any }} Json */
/** Sends one message; gives the answer, and the head of HTTP where there is one. @typedef {(message: Json) => Promise<{ answer: Json | undefined, head: string }>} Send */
/** One that can have one call under way. @typedef {{ send: Send, close: () => void }} Way */
/** A client of one revision. @typedef {{ lanes: Way[], revision: string, decorate: (message: Json) => Json }} Caller */
/** @typedef {{ calls: number, seconds: number, latencies: Float64Array }} Load */

const PER_REQUEST = '2026-07-28';
const META = {
  'io.modelcontextprotocol/protocolVersion': PER_REQUEST,
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const MOST_CALLS = 2_000_000;
let lastId = 0;

/** Opens `lanes` connections to an endpoint, and a session over the first where the revision has sessions. @param {string} url @param {string} revision @param {number} lanes @returns {Promise<Caller>} */
export async function callOverHttp(url, revision, lanes) {
  const headers = { current: '' };
  const ways = [];
  for (let lane = 0; lane < lanes; lane += 1) ways.push(await socketWay(new URL(url), revision, headers));
  const caller = { lanes: ways, revision, decorate: decorating(revision) };
  await open(caller, head => {
    const [, session] = /^mcp-session-id: *(\S+)/im.exec(head) ?? [];
    headers.current = `MCP-Protocol-Version: ${revision}\r\n${session ? `Mcp-Session-Id: ${session}\r\n` : ''}`;
  });
  return caller;
}

/** Speaks with a process over its standard streams. @param {import('node:child_process').ChildProcess} child @param {string} revision @param {number} lanes @returns {Promise<Caller>} */
export async function callOverStdio(child, revision, lanes) {
  const way = pipeWay(child);
  const caller = { lanes: Array.from({ length: lanes }, () => way), revision, decorate: decorating(revision) };
  await open(caller, () => {});
  return caller;
}

/** @param {string} revision @returns {(message: Json) => Json} */
const decorating = revision => message =>
  revision === PER_REQUEST ? { ...message, params: { ...message.params, _meta: META } } : message;

/** @param {Caller} caller @param {(head: string) => void} opened */
async function open({ lanes: [way], revision, decorate }, opened) {
  if (!way) throw new Error('there is no lane');
  const clientInfo = { name: 'bench', version: '1.0.0' };
  const perRequest = revision === PER_REQUEST;
  const method = perRequest ? 'server/discover' : 'initialize';
  const params = perRequest ? {} : { protocolVersion: revision, capabilities: {}, clientInfo };
  lastId += 1;
  const { answer, head } = await way.send(decorate({ jsonrpc: '2.0', id: lastId, method, params }));
  const { protocolVersion = revision, supportedVersions = [revision] } = answer?.result ?? {};
  if (!answer?.result || protocolVersion !== revision || !supportedVersions.includes(revision))
    throw new Error(`${method} was answered with ${JSON.stringify(answer)} ${head}`);
  opened(head);
  if (!perRequest) await way.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  const listing = await way.send(decorate({ jsonrpc: '2.0', id: ++lastId, method: 'tools/list', params: {} }));
  const names = listing.answer?.result?.tools?.map((/** @type {Json} */ { name }) => name);
  if (String(names) !== 'echo') throw new Error(`tools/list was answered with ${JSON.stringify(listing.answer)}`);
}

/**
 * Has the lanes call, one after the other each, until the time is over or so many calls have been made.
 * @param {Caller} caller @param {number} inFlight @param {number} seconds @param {number} [most]
 * @returns {Promise<Load>}
 */
export async function load({ lanes, decorate }, inFlight, seconds, most = MOST_CALLS) {
  const latencies = new Float64Array(most);
  let begun = 0;
  let calls = 0;
  const start = performance.now();
  const end = start + seconds * 1000;
  await Promise.all(
    lanes.slice(0, inFlight).map(async ({ send }) => {
      while (performance.now() < end && begun < most) {
        begun += 1;
        lastId += 1;
        const id = lastId;
        const text = `call ${id}`;
        const message = { jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'echo', arguments: { text } } };
        const before = performance.now();
        const { answer } = await send(decorate(message));
        latencies[calls] = performance.now() - before;
        calls += 1;
        if (answer?.id !== id || answer?.result?.content?.[0]?.text !== text)
          throw new Error(`a call of ${text} was answered with ${JSON.stringify(answer)}`);
      }
    }),
  );
  const took = (performance.now() - start) / 1000;
  return { calls, seconds: took, latencies: latencies.slice(0, calls).sort() };
}

/** @param {Caller} caller */
export const hangUp = ({ lanes }) => {
  for (const { close } of new Set(lanes)) close();
};

/** @param {URL} url @param {string} revision @param {{ current: string }} headers @returns {Promise<Way>} */
async function socketWay(url, revision, headers) {
  const { host, pathname } = url;
  /** @type {((reason: Error) => void) | undefined} */
  let reject;
  /** @type {((text: string) => boolean) | undefined} */
  let take;
  let socket = await dial();
  const fixed = `POST ${pathname} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n`;

  async function dial() {
    const made = connect({ host: url.hostname, port: Number(url.port), noDelay: true });
    await once(made, 'connect');
    let text = '';
    made.setEncoding('latin1').on('data', (/** @type {string} */ chunk) => {
      text += chunk;
      if (take?.(text)) text = '';
    });
    made.on('error', error => reject?.(error));
    made.on('close', () => reject?.(new Error('the connection was closed')));
    return made;
  }

  /** @type {Send} */
  const send = async message => {
    // Some servers hang up after five seconds in which nobody calls.
    if (socket.closed || socket.readableEnded) socket = await dial();
    const body = JSON.stringify(message);
    const mirrored =
      revision === PER_REQUEST
        ? `MCP-Protocol-Version: ${revision}\r\nMcp-Method: ${message.method}\r\n${message.params.name ? `Mcp-Name: ${message.params.name}\r\n` : ''}`
        : headers.current;
    return new Promise((resolve, refuse) => {
      reject = refuse;
      take = text => {
        const found = readAnswer(text, message.id);
        if (found) resolve(found);
        return found !== undefined;
      };
      socket.write(`${fixed}${mirrored}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
    });
  };
  return { send, close: () => void socket.destroy() };
}

/** @param {import('node:child_process').ChildProcess} child @returns {Way} */
function pipeWay({ stdin, stdout }) {
  if (!stdin || !stdout) throw new Error('a process without pipes');
  /** @type {Map<unknown, (found: { answer: Json | undefined, head: string }) => void>} */
  const waiting = new Map();
  let text = '';
  stdout.setEncoding('utf8');
  stdout.on('data', (/** @type {string} */ chunk) => {
    const lines = (text + chunk).split('\n');
    text = lines.pop() ?? '';
    for (const line of lines) {
      const answer = JSON.parse(line);
      const resolve = waiting.get(answer.id);
      waiting.delete(answer.id);
      resolve?.({ answer, head: '' });
    }
  });
  return {
    close: () => void stdin.end(),
    send: message =>
      new Promise(resolve => {
        if (message.id === undefined) resolve({ answer: undefined, head: '' });
        else waiting.set(message.id, resolve);
        stdin.write(`${JSON.stringify(message)}\n`);
      }),
  };
}
