import type * as http from 'node:http';
import * as https from 'node:https';
import type { Readable } from 'node:stream';
import { getCertificateAdvice, TenonError } from '@tenon/base';
import { createHeaderError } from '../../../transports/http/client/errors.js';
import type { HttpReply, HttpRequest, Requester } from '../../../transports/http/client/requester.js';
import { readInTurns } from '../read-in-turns.js';
import { ACCEPT_ENCODING } from './accept-encoding.js';
import { nodeHttp } from './node-http.js';
import { createProxyRouter, type ProxyRoute, toProxyError } from './proxy.js';
import { getEncoding } from './text-encoding.js';

export interface NodeRequesterOptions {
  /**
   * Agent for `http:`.
   * @default an own agent that keeps connections open, or the proxy of `HTTP_PROXY`
   */
  readonly httpAgent?: http.Agent;
  /**
   * Agent for `https:`, for example with certificates.
   * @default an own agent that keeps connections open, or the proxy of `HTTPS_PROXY`
   */
  readonly httpsAgent?: https.Agent;
}

/**
 * Time for which an unused connection is kept, in milliseconds. Most servers close it after 5 s, and a request on a
 * connection that is being closed has an unknown outcome.
 */
const IDLE_SOCKET_TIMEOUT = 4_000;
/** Delay before TCP keep-alive probes to a silent peer, in milliseconds. */
const KEEP_ALIVE_DELAY = 15_000;

/**
 * Creates an HTTP client with `node:http` and `node:https`, at a sixth of the cost of `fetch`. Without agents, it uses
 * the proxies of the environment.
 */
export function createNodeRequester(options: NodeRequesterOptions = {}): Requester {
  const agentOptions = { keepAlive: true, keepAliveMsecs: KEEP_ALIVE_DELAY, timeout: IDLE_SOCKET_TIMEOUT };
  const plain = options.httpAgent ?? new nodeHttp.Agent(agentOptions);
  const secure = options.httpsAgent ?? new https.Agent(agentOptions);
  const hasAgents = options.httpAgent !== undefined || options.httpsAgent !== undefined;
  const findProxyRoute = hasAgents ? () => undefined : createProxyRouter(agentOptions);
  let last: { url: string; target: RequestTarget; finding: Promise<ProxyRoute | undefined> | undefined } | undefined;

  // Most requests go to the URL of the request before.
  const find = (url: string) => {
    if (last?.url === url) return last;
    const parsed = new URL(url);
    const host = parsed.hostname.replace(/^\[|\]$/g, '');
    const path = parsed.pathname + parsed.search;
    const target: RequestTarget =
      parsed.protocol === 'https:'
        ? {
            send: https.request,
            connected: 'secureConnect',
            options: { host, port: parsed.port || 443, path, agent: secure },
          }
        : {
            send: nodeHttp.request,
            connected: 'connect',
            options: { host, port: parsed.port || 80, path, agent: plain },
          };
    last = { url, target, finding: findProxyRoute(parsed) };
    return last;
  };
  const send: Requester = request => {
    const { target, finding } = find(request.url);
    if (finding === undefined) return sendRequest(request, target);
    return finding.then(route => sendRequest(request, route ?? target));
  };
  // `node:http` supports no other version.
  return Object.assign(send, { httpVersion: '1.1' });
}

/** URL and method of a request. */
interface RequestTarget {
  readonly send: typeof http.request;
  /** The socket event after which written data may reach the server. */
  readonly connected: 'connect' | 'secureConnect';
  readonly options: http.RequestOptions;
  /** Header fields for a proxy. */
  readonly headers?: Readonly<Record<string, string>>;
}

function sendRequest({ method, headers, body, signal }: HttpRequest, target: RequestTarget): Promise<HttpReply> {
  return new Promise((resolve, reject) => {
    const fields = { 'accept-encoding': ACCEPT_ENCODING, ...headers, ...target.headers };
    let request: http.ClientRequest;
    try {
      request = target.send({ method, headers: fields, ...target.options });
    } catch (error) {
      return reject(createHeaderError(error));
    }
    let sent = request.reusedSocket;
    // Deno repeats a request whose reused connection breaks or is aborted, although the server may have executed it.
    request.reusedSocket = false;
    if (!sent) {
      request.on('socket', socket => {
        // A socket through a tunnel is connected before TLS has begun.
        const isSecuring = 'secureConnecting' in socket && socket.secureConnecting === true;
        if (!socket.connecting && !isSecuring) sent = true;
        else socket.once(target.connected, () => (sent = true));
      });
    }
    const abort = () => request.destroy();
    signal?.addEventListener('abort', abort);
    request.on('close', () => signal?.removeEventListener('abort', abort));
    // The listener stays, because a request can fail again after it was aborted.
    request.on('error', error => reject(toProxyError(error, target.headers) ?? toRequestError(error, sent)));
    request.on('response', message => resolve(createReply(message)));
    if (signal?.aborted) abort();
    else request.end(body ?? '', getEncoding(body ?? ''));
  });
}

function toRequestError(error: NodeJS.ErrnoException & { errors?: Error[] }, sent: boolean): TenonError {
  const { code, message } = error;
  // If the first bytes of the server are no TLS, OpenSSL reports an invalid version of the protocol.
  const isPlainResponse = /wrong.version.number|packet.length.too.long/i.test(`${code} ${message}`);
  if (!sent && isPlainResponse) {
    return new TenonError('http/unreachable', 'cannot connect: the server does not speak TLS on this port', {
      hint: 'use a URL with `http://` if the server speaks plain HTTP',
    });
  }
  const reason = message || error.errors?.[0]?.message || code || 'the connection failed';
  return sent
    ? new TenonError('http/interrupted', `the connection broke before the response: ${reason}`)
    : new TenonError('http/unreachable', `cannot connect: ${reason}`, { hint: getCertificateAdvice(error) });
}

function createReply(message: http.IncomingMessage): NodeReply | Promise<NodeReply> {
  // An error of an unread body is ignored.
  message.on('error', ignore);
  if (message.headers['content-encoding'] === undefined) return new NodeReply(message, message);
  // Loaded on first use, because most responses are not compressed.
  return import('./decode-body.js').then(({ decodeBody }) => new NodeReply(message, decodeBody(message)));
}

class NodeReply implements HttpReply {
  readonly status: number;
  readonly #message: http.IncomingMessage;
  /** The body without its content codings. */
  readonly #body: Readable;

  constructor(message: http.IncomingMessage, body: Readable) {
    this.status = message.statusCode ?? 0;
    this.#message = message;
    this.#body = body;
    if (body !== message) body.on('error', ignore);
  }

  header(name: string): string | undefined {
    const value = this.#message.headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  }

  text(limit: number): Promise<string> {
    const body = this.#body;
    const announced = body === this.#message ? Number(this.#message.headers['content-length'] ?? 0) : 0;
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      let size = 0;
      const refuse = () => {
        body.destroy();
        reject(new TenonError('http/too-large', `the response is larger than ${limit} bytes`));
      };
      const take = (chunk: Buffer) => {
        size += chunk.length;
        if (size > limit) refuse();
        else chunks.push(chunk);
      };
      const finish = () => {
        const text = (chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)).toString();
        resolve(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
      };
      if (announced > limit) refuse();
      else readBody(body, take, finish, reject);
    });
  }

  read(each: (chunk: Buffer) => void): Promise<void> {
    const body = this.#body;
    return new Promise((resolve, reject) => readBody(body, readInTurns(body, each), resolve, reject));
  }

  cancel(): void {
    this.#body.destroy();
  }
}

function ignore(): void {}

/** Reads the body to its end. Only the first call of `done` or `failed` has an effect. */
function readBody(
  body: Readable,
  onChunk: (chunk: Buffer) => void,
  onEnd: () => void,
  onError: (error: TenonError) => void,
): void {
  if (body.destroyed) return onError(createReadError(body));
  body.on('data', onChunk);
  body.on('end', onEnd);
  body.on('close', () => {
    if (!body.readableEnded) onError(createReadError(body));
  });
}

function createReadError({ errored }: Readable): TenonError {
  if (TenonError.is(errored)) return errored;
  return new TenonError('http/interrupted', 'the connection broke during the response');
}
