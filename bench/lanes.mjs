// @ts-check
/** Raw sockets and raw pipes: what can have one message under way, and cost the machine as little as it can. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { AnswerReader } from './http-answer.mjs';

/** @typedef {{ [key: string]: any }} Json */
/** What came for a message: the answer, all messages that it came with, and the head of HTTP. @typedef {{ answer: Json | undefined, messages: Json[], head: string }} Came */
/** @typedef {(message: Json) => Promise<Came>} Send */
/** `listen(false)`: what comes is left where it is. @typedef {{ send: Send, close: () => void, listen: (wanted: boolean) => void }} Lane */
/** Lines of header that each message in a session carries. @typedef {{ fields: string }} Session */

export const PER_REQUEST = '2026-07-28';
/** Some servers hang up on who does not call for five seconds. */
const IDLE = 2000;

/**
 * A connection that is kept, and made anew after a silence.
 * @param {URL} url
 * @param {string} revision
 * @param {Session} session
 * @returns {Promise<Lane>}
 */
export async function socketLane(url, revision, session) {
  const { host, pathname } = url;
  const start = `POST ${pathname} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n`;
  const line = await dial(url);
  let last = performance.now();

  /** @type {Send} */
  const send = async message => {
    const now = performance.now();
    if (line.gone() || now - last > IDLE) await line.redial();
    last = now;
    const body = JSON.stringify(message);
    const fields = revision === PER_REQUEST ? mirrors(message) : session.fields;
    return line.exchange(`${start}${fields}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`, message.id);
  };
  return { send, close: line.close, listen: line.listen };
}

/** @param {Json} message */
const mirrors = ({ method, params }) =>
  `MCP-Protocol-Version: ${PER_REQUEST}\r\nMcp-Method: ${method}\r\n${params.name ? `Mcp-Name: ${params.name}\r\n` : ''}`;

/** @param {URL} url */
async function dial(url) {
  /** @type {((came: Came) => void) | undefined} */
  let resolve;
  /** @type {((reason: Error) => void) | undefined} */
  let reject;
  /** @type {unknown} */
  let id;
  let listening = true;
  let socket = await open();

  async function open() {
    const made = connect({ host: url.hostname, port: Number(url.port), noDelay: true });
    await once(made, 'connect');
    const reader = new AnswerReader();
    made.setEncoding('latin1').on('data', (/** @type {string} */ piece) => {
      const came = reader.take(piece, id);
      if (came !== undefined) resolve?.(came);
    });
    if (!listening) made.pause();
    made.on('error', error => reject?.(error));
    made.on('close', () => {
      if (made === socket) reject?.(new Error('the connection was closed'));
    });
    return made;
  }

  return {
    gone: () => socket.closed || socket.readableEnded,
    redial: async () => {
      const old = socket;
      socket = await open();
      old.destroy();
    },
    close: () => void socket.destroy(),
    /** @param {boolean} wanted */
    listen: wanted => {
      listening = wanted;
      if (wanted) socket.resume();
      else socket.pause();
    },
    /** @param {string} request @param {unknown} asked the id of its message @returns {Promise<Came>} */
    exchange: (request, asked) =>
      new Promise((done, refuse) => {
        resolve = done;
        reject = refuse;
        id = asked;
        socket.write(request);
      }),
  };
}

/** The standard streams of a process: any number of messages can be under way. @param {import('node:child_process').ChildProcess} child @returns {Lane} */
export function pipeLane({ stdin, stdout }) {
  if (!stdin || !stdout) throw new Error('a process without pipes');
  /** @type {Map<unknown, (came: Came) => void>} */
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
    listen: wanted => void (wanted ? stdout.resume() : stdout.pause()),
    send: message =>
      new Promise(resolve => {
        if (message.id === undefined) resolve({ answer: undefined, messages: [], head: '' });
        else waiting.set(message.id, resolve);
        stdin.write(`${JSON.stringify(message)}\n`);
      }),
  };
}
