// @ts-check
/** Who subscribes in the soak: some read and leave, some break off, and some hang: they are there and read nothing. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { connectSocket, PER_REQUEST } from '../connections.mjs';
import { head, META, nextId, openSession } from './traffic.mjs';

/** @typedef {import('./traffic.mjs').Progress} Progress */
/** Milliseconds for which it stays, and whether it reads meanwhile. @typedef {{ stays: number, reads: boolean }} Behavior */

/** Who stays so many milliseconds has been told as many bytes by far. */
const LONG = 8000;

/** @type {Behavior[]} */
export const behaviors = [
  { stays: 10_000, reads: true },
  { stays: 1000, reads: true },
  { stays: 40_000, reads: false },
];

/** Subscribes, stays, is gone without a word, and subscribes anew. @param {string} url @param {readonly string[]} uris @param {string} version @param {Behavior} behavior @param {Progress} progress */
export async function resubscribeContinuously(url, uris, version, { stays, reads }, progress) {
  while (performance.now() < progress.end) {
    const socket = await (version === PER_REQUEST ? listen(url, uris) : openStream(url, uris));
    const [first] = await once(socket, 'data');
    if (!/^HTTP\/1\.1 200 /.test(String(first))) throw new Error(`a subscription was answered with ${first}`);
    if (reads) socket.resume();
    else socket.pause();
    const stay = Math.min(stays, Math.max(0, progress.end - performance.now()));
    await new Promise(resolve => setTimeout(resolve, stay));
    if (reads && stay >= LONG && socket.bytesRead < LONG) throw new Error('a subscriber was told nothing');
    socket.destroy();
    progress.watched += 1;
  }
}

/** @param {string} url */
async function openSocket(url) {
  const { hostname: host, port } = new URL(url);
  const socket = connect({ host, port: Number(port) });
  // The server may end who does not read.
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

/** The stream of a session, which watches. @param {string} url @param {readonly string[]} uris */
export async function openStream(url, uris) {
  const session = { fields: '' };
  const connection = await connectSocket(new URL(url), '2025-11-25', session);
  await openSession(connection, session);
  for (const uri of uris) {
    const { answer } = await connection.send({
      jsonrpc: '2.0',
      id: nextId(),
      method: 'resources/subscribe',
      params: { uri },
    });
    if (answer?.result === undefined) throw new Error(`resources/subscribe: ${JSON.stringify(answer)}`);
  }
  connection.close();
  const socket = await openSocket(url);
  socket.write(head('GET', url, session.fields));
  return socket;
}

/** A request that is answered for as long as it is listened to. @param {string} url @param {readonly string[]} uris */
export async function listen(url, uris) {
  const socket = await openSocket(url);
  const method = 'subscriptions/listen';
  const params = { notifications: { resourceSubscriptions: uris }, _meta: META };
  const body = JSON.stringify({ jsonrpc: '2.0', id: nextId(), method, params });
  socket.write(head('POST', url, `MCP-Protocol-Version: ${PER_REQUEST}\r\nMcp-Method: ${method}\r\n`, body));
  return socket;
}
