import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { Readable } from 'node:stream';
import { type HttpTarget, TenonError } from 'tenon';
import type { DaemonRecord } from './daemon-record.js';

type SocketFetch = NonNullable<HttpTarget['fetch']>;

/** Time to wait for a response of the daemon itself, in milliseconds. Servers may take long to start. */
const TIMEOUT = 60_000;
const MAX_RESPONSE = 1024 ** 2;

/** Creates a function with the signature of `fetch` that sends requests to the daemon. */
export function createSocketFetch(record: DaemonRecord): SocketFetch {
  return (url, { method, headers, body, signal }) =>
    new Promise((resolve, reject) => {
      const { pathname, search } = new URL(url);
      const sent = startRequest(record, method, pathname + search, headers, signal);
      sent.once('error', reject);
      sent.once('response', message => {
        // An error after the response is an error of its body.
        sent.on('error', () => {});
        resolve(createResponse(message));
      });
      sent.end(body);
    });
}

function startRequest(
  { socket, token }: DaemonRecord,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  signal?: AbortSignal,
): ClientRequest {
  return request({
    socketPath: socket,
    method,
    path,
    headers: { ...headers, host: 'localhost', 'x-tenon-token': token },
    ...(signal === undefined ? {} : { signal }),
  });
}

function createResponse(message: IncomingMessage): Awaited<ReturnType<SocketFetch>> {
  const response = new Response(Readable.toWeb(message) as ReadableStream<Uint8Array>);
  return {
    status: message.statusCode ?? 0,
    headers: { get: name => message.headers[name.toLowerCase()]?.toString() ?? null },
    body: response.body,
    text: () => response.text(),
  };
}

/** Sends a request to the daemon itself, and returns the JSON of its response. Rejects if it is not running. */
export function requestDaemon(
  record: DaemonRecord,
  method: 'GET' | 'POST',
  path: string,
  body?: unknown,
  timeout = TIMEOUT,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const sent = startRequest(record, method, path, {}, AbortSignal.timeout(timeout));
    sent.once('error', cause => reject(new TenonError('daemon/unreachable', 'the daemon does not respond', { cause })));
    sent.once('response', async message => {
      try {
        resolve(readResponse(message, await readText(message)));
      } catch (error) {
        reject(error);
      }
    });
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** Reads the body of a request or response. */
export async function readText(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of message) {
    size += chunk.length;
    if (size > MAX_RESPONSE) throw new TenonError('daemon/unreachable', 'the message is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function readResponse({ statusCode }: IncomingMessage, text: string): unknown {
  const content: unknown = text === '' ? undefined : JSON.parse(text);
  if (statusCode === 200) return content;
  const { reason, code, hint } = Object(content);
  throw new TenonError(
    code === 'daemon/full' ? code : 'daemon/refused',
    typeof reason === 'string' ? reason : `the daemon responded with ${statusCode}`,
    typeof hint === 'string' ? { hint } : {},
  );
}
