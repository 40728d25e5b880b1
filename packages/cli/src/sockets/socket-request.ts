import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { Readable } from 'node:stream';
import { type HttpTarget, TenonError } from 'tenon';
import { readBounded, SizeLimitError } from '../http/read-bounded.js';
import type { SocketRecord } from './socket-record.js';

type SocketFetch = NonNullable<HttpTarget['fetch']>;

/** Time to wait for a response of the process itself, in milliseconds. Servers may take long to start. */
const TIMEOUT = 60_000;
const MAX_RESPONSE = 1024 ** 2;

/** Creates a function with the signature of `fetch` that sends requests to a process of the user. */
export function createSocketFetch(record: SocketRecord): SocketFetch {
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
  { socket, token }: SocketRecord,
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

/** Process that listens on a socket, for errors. */
export interface SocketPeer {
  /** Subject of the errors: `the daemon`. */
  readonly name: string;
  /** Code of the error if it does not respond. */
  readonly unreachable: string;
  /** Code of the error if its response has none. */
  readonly refused: string;
}

export interface SocketRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  /**
   * Time limit, in milliseconds.
   * @default 60,000
   */
  readonly timeout?: number;
}

/** Sends a request to a process of the user, and returns the JSON of its response. Rejects if it is not running. */
export function requestSocket(
  record: SocketRecord,
  peer: SocketPeer,
  { method, path, body, timeout = TIMEOUT }: SocketRequest,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const sent = startRequest(record, method, path, {}, AbortSignal.timeout(timeout));
    sent.once('error', cause => reject(new TenonError(peer.unreachable, `${peer.name} does not respond`, { cause })));
    sent.once('response', async message => {
      try {
        resolve(readResponse(message, await readText(message), peer));
      } catch (error) {
        reject(error);
      }
    });
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** Reads the body of a request or response. */
export function readText(message: IncomingMessage): Promise<string> {
  return readBounded(message, MAX_RESPONSE).catch(error => {
    if (error instanceof SizeLimitError) throw new TenonError('daemon/unreachable', 'the message is too large');
    throw error;
  });
}

function readResponse({ statusCode }: IncomingMessage, text: string, { name, refused }: SocketPeer): unknown {
  const content: unknown = text === '' ? undefined : JSON.parse(text);
  if (statusCode === 200) return content;
  const { reason, code, hint } = Object(content);
  throw new TenonError(
    typeof code === 'string' ? code : refused,
    typeof reason === 'string' ? reason : `${name} responded with ${statusCode}`,
    typeof hint === 'string' ? { hint } : {},
  );
}
