// @ts-check
/** What the floors have in common: bare `node:http`, one body read, one answer written. */
import { createServer } from 'node:http';
import { listen } from './listen.mjs';

/** @typedef {{ [key: string]: any }} Json */
/** @typedef {import('node:http').IncomingMessage} Incoming */
/** @typedef {import('node:http').ServerResponse} Outgoing */

export const serverInfo = { name: 'bench', version: '1.0.0' };
export const SERVER_INFO = 'io.modelcontextprotocol/serverInfo';

/** What a result says beside what it is about. @typedef {{ before: Json, after: Json, cache: Json }} ResultFields */

/** @type {Record<string, ResultFields>} */
export const resultFields = {
  '2025-11-25': { before: {}, after: {}, cache: {} },
  '2026-07-28': {
    before: { resultType: 'complete' },
    after: { _meta: { [SERVER_INFO]: serverInfo } },
    cache: { ttlMs: 0, cacheScope: 'private' },
  },
};

/** @param {(incoming: Incoming, response: Outgoing, text: string) => void} receive */
export function serve(receive) {
  const server = createServer((incoming, response) => {
    /** @type {Buffer[]} */
    const chunks = [];
    incoming.on('data', chunk => chunks.push(chunk));
    incoming.on('end', () => {
      const bytes = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
      // The call may take its time: what was read is not held meanwhile.
      chunks.length = 0;
      receive(incoming, response, String(bytes));
    });
  });
  listen(server);
}

/** @param {Outgoing} response @param {number} status @param {Json} message @param {Record<string, string>} [headers] */
export const reply = (response, status, message, headers) =>
  replyText(response, status, JSON.stringify(message), headers);

/** @param {Outgoing} response @param {number} status @param {string} text @param {Record<string, string>} [headers] */
export function replyText(response, status, text, headers) {
  const own = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
  response.writeHead(status, headers ? { ...own, ...headers } : own).end(text);
}

/** Begins a stream with its first message. @param {Outgoing} response */
export const beginStream = response =>
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });

/** @param {Json} message */
export const frame = message => `data: ${JSON.stringify(message)}\n\n`;
