// @ts-check
/** Who calls in the soak: some call all the time, others come, call a few times, and go, with or without a word. */
import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { connectSocket, PER_REQUEST } from '../connections.mjs';

/** @typedef {import('../connections.mjs').Json} Json */
/** How far it is with what is to be done until `end`. @typedef {{ start: number, end: number, calls: number, wantedCalls: number, sessions: number, wantedSessions: number, vanished: number, watched: number }} Progress */

const SESSIONS = '2025-11-25';
const clientInfo = { name: 'soak', version: '1.0.0' };
export const META = {
  'io.modelcontextprotocol/protocolVersion': PER_REQUEST,
  'io.modelcontextprotocol/clientInfo': clientInfo,
  'io.modelcontextprotocol/clientCapabilities': {},
};
let lastId = 0;
export const nextId = () => {
  lastId += 1;
  return lastId;
};

const isOver = (/** @type {Progress} */ { end }) => performance.now() >= end;
const pause = (/** @type {number} */ ms) => new Promise(resolve => setTimeout(resolve, ms));

/** The part of the time that is over. @param {Progress} progress */
const part = ({ start, end }) => (performance.now() - start) / (end - start);

/** A session, by its header fields. @param {import('../connections.mjs').Connection} connection @param {{ fields: string }} session @returns {Promise<string>} */
export async function openSession(connection, session) {
  session.fields = '';
  const params = { protocolVersion: SESSIONS, capabilities: {}, clientInfo };
  const { head, answer } = await connection.send({ jsonrpc: '2.0', id: nextId(), method: 'initialize', params });
  const [, id] = /^mcp-session-id: *(\S+)/im.exec(head) ?? [];
  if (id === undefined) throw new Error(`no session was opened: ${head} ${JSON.stringify(answer)}`);
  session.fields = `MCP-Protocol-Version: ${SESSIONS}\r\nMcp-Session-Id: ${id}\r\n`;
  await connection.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  return id;
}

/** @param {import('../connections.mjs').Connection} connection @param {boolean} perRequest @param {Progress} progress */
async function call(connection, perRequest, progress) {
  const id = nextId();
  const text = `call ${id}`;
  const params = { name: 'echo', arguments: { text }, ...(perRequest ? { _meta: META } : {}) };
  const { answer } = await connection.send({ jsonrpc: '2.0', id, method: 'tools/call', params });
  if (answer?.id !== id || answer.result?.content?.[0]?.text !== text)
    throw new Error(`${text} was answered with ${JSON.stringify(answer)}`);
  progress.calls += 1;
}

/** Calls all the time, at the rate at which all calls will have been made in the end. @param {string} url @param {string} version @param {Progress} progress */
export async function callContinuously(url, version, progress) {
  const session = { fields: '' };
  const connection = await connectSocket(new URL(url), version, session);
  const perRequest = version === PER_REQUEST;
  if (!perRequest) await openSession(connection, session);
  while (!isOver(progress)) {
    if (progress.calls >= progress.wantedCalls * part(progress)) await pause(2);
    else await call(connection, perRequest, progress);
  }
  connection.close();
}

/** Opens sessions, one after the other: one in two is closed, and the others are left as they are. @param {string} url @param {Progress} progress */
export async function openAndEndSessions(url, progress) {
  const session = { fields: '' };
  const connection = await connectSocket(new URL(url), SESSIONS, session);
  while (!isOver(progress)) {
    if (progress.sessions >= progress.wantedSessions * part(progress)) {
      await pause(5);
      continue;
    }
    progress.sessions += 1;
    const number = progress.sessions;
    const id = await openSession(connection, session);
    for (let n = 0; n <= number % 4; n += 1) await call(connection, false, progress);
    if (number % 2 === 0) await end(url, id);
    if (number % 20 === 1) await disconnectDuringCall(url, id, progress);
  }
  connection.close();
}

/** @param {string} url @param {string} id */
function end(url, id) {
  const headers = { 'mcp-protocol-version': SESSIONS, 'mcp-session-id': id };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'DELETE', headers }, reply => {
      reply.resume().on('end', resolve);
      if ((reply.statusCode ?? 500) >= 300) reject(new Error(`DELETE was answered with ${reply.statusCode}`));
    });
    sent.on('error', reject).end();
  });
}

/** Calls what takes a while, and is gone before the answer. @param {string} url @param {string} id @param {Progress} progress */
async function disconnectDuringCall(url, id, progress) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: nextId(), method: 'tools/call', params: { name: 'wait' } });
  const socket = connect({ host: new URL(url).hostname, port: Number(new URL(url).port) });
  await once(socket, 'connect');
  socket.write(head('POST', url, `MCP-Protocol-Version: ${SESSIONS}\r\nMcp-Session-Id: ${id}\r\n`, body));
  await pause(50);
  socket.destroy();
  progress.vanished += 1;
}

/** A request as it goes over the wire. @param {string} method @param {string} url @param {string} fields @param {string} [body] */
export function head(method, url, fields, body) {
  const { host, pathname } = new URL(url);
  const start = `${method} ${pathname} HTTP/1.1\r\nHost: ${host}\r\nAccept: application/json, text/event-stream\r\n${fields}`;
  if (body === undefined) return `${start}\r\n`;
  return `${start}Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}
