// @ts-check
/** Raw sockets and raw pipes: what can have one message under way, and cost the machine as little as it can. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { ResponseReader } from './http-response.mjs';

/** @typedef {{ [key: string]: any }} Json */
/** What came for a message: its answer, all messages that came with it, and the head of HTTP. @typedef {{ answer: Json | undefined, messages: Json[], head: string }} Reply */
/** @typedef {(message: Json) => Promise<Reply>} Send */
/** `setReading(false)`: what comes is left where it is. @typedef {{ send: Send, close: () => void, setReading: (wanted: boolean) => void }} Connection */
/** Lines of header that each message in a session carries. @typedef {{ fields: string }} Session */

export const PER_REQUEST = '2026-07-28';
/** Milliseconds. Some servers close a connection that has been idle for five seconds. */
const IDLE = 2000;

/**
 * A connection that is kept, and opened anew after a silence.
 * @param {URL} url
 * @param {string} version
 * @param {Session} session
 * @param {string} [headers] more lines of header, each with its line end
 * @returns {Promise<Connection>}
 */
export async function connectSocket(url, version, session, headers = '') {
  const { host, pathname } = url;
  const start = `POST ${pathname} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n${headers}`;
  const socket = await openSocket(url);
  let last = performance.now();

  /** @type {Send} */
  const send = async message => {
    const now = performance.now();
    if (socket.isClosed() || now - last > IDLE) await socket.reconnect();
    last = now;
    const body = JSON.stringify(message);
    const fields = version === PER_REQUEST ? createMcpHeaders(message) : session.fields;
    return socket.exchange(`${start}${fields}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`, message.id);
  };
  return { send, close: socket.close, setReading: socket.setReading };
}

/** @param {Json} message */
const createMcpHeaders = ({ method, params }) =>
  `MCP-Protocol-Version: ${PER_REQUEST}\r\nMcp-Method: ${method}\r\n${params.name ? `Mcp-Name: ${params.name}\r\n` : ''}`;

/** @param {URL} url */
async function openSocket(url) {
  /** @type {((reply: Reply) => void) | undefined} */
  let resolve;
  /** @type {((reason: Error) => void) | undefined} */
  let reject;
  /** @type {unknown} */
  let id;
  let reading = true;
  let socket = await open();

  async function open() {
    const opened = connect({ host: url.hostname, port: Number(url.port), noDelay: true });
    await once(opened, 'connect');
    const reader = new ResponseReader();
    opened.setEncoding('latin1').on('data', (/** @type {string} */ piece) => {
      const reply = reader.take(piece, id);
      if (reply !== undefined) resolve?.(reply);
    });
    if (!reading) opened.pause();
    opened.on('error', error => reject?.(error));
    opened.on('close', () => {
      if (opened === socket) reject?.(new Error('the connection was closed'));
    });
    return opened;
  }

  return {
    isClosed: () => socket.closed || socket.readableEnded,
    reconnect: async () => {
      const old = socket;
      socket = await open();
      old.destroy();
    },
    close: () => void socket.destroy(),
    /** @param {boolean} wanted */
    setReading: wanted => {
      reading = wanted;
      if (wanted) socket.resume();
      else socket.pause();
    },
    /** @param {string} request @param {unknown} asked the id of its message @returns {Promise<Reply>} */
    exchange: (request, asked) =>
      new Promise((done, refuse) => {
        resolve = done;
        reject = refuse;
        id = asked;
        socket.write(request);
      }),
  };
}

/** The standard streams of a process: any number of messages can be under way. @param {import('node:child_process').ChildProcess} child @returns {Connection} */
export function connectPipes({ stdin, stdout }) {
  if (!stdin || !stdout) throw new Error('a process without pipes');
  /** @type {Map<unknown, (reply: Reply) => void>} */
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
      resolve?.({ answer, messages: [answer], head: '' });
    }
  });
  return {
    close: () => void stdin.end(),
    setReading: wanted => void (wanted ? stdout.resume() : stdout.pause()),
    send: message =>
      new Promise(resolve => {
        if (message.id === undefined) resolve({ answer: undefined, messages: [], head: '' });
        else waiting.set(message.id, resolve);
        stdin.write(`${JSON.stringify(message)}\n`);
      }),
  };
}
