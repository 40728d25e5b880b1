import { AsyncResource } from 'node:async_hooks';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { AuthInfo } from '@tenon/base';
import {
  createBodyConsumedError,
  type Exchange,
  type HeaderFields,
  type RequestBody,
  type ResponseStream,
  readAuth,
} from '../../../transports/http/server/exchange.js';
import type { UnreadLimit, UnreadOutput } from '../../../transports/http/sse/unread-output.js';
import { getEncoding } from './text-encoding.js';

/** Minimum number of characters of a long text. */
const LONG_TEXT = 16_384;

const EMPTY_OBJECT_LENGTH = '{}'.length;

/** Security-relevant headers of which Node keeps only one value. */
const SINGLE_VALUE_HEADERS: ReadonlySet<string> = new Set(['host', 'authorization', 'content-type']);

/** Members that frameworks add to a Node request. */
export interface NodeRequest extends IncomingMessage {
  /** The body, if a body parser has read it. */
  readonly body?: unknown;
  /** The path prefix that a router removed. */
  readonly baseUrl?: string;
  /** User that a middleware authenticated. Some middleware sets other values here. */
  readonly auth?: unknown;
}

/** An exchange of `node:http`. It uses no web objects, and sends a complete response in one write. */
export class NodeExchange implements Exchange {
  readonly #request: NodeRequest;
  readonly #response: ServerResponse;
  readonly #parsed: unknown;
  readonly #unread: UnreadLimit | undefined;
  /** True if a router selected the handler by the path of the request. */
  isRouted = false;
  #closeListeners: readonly (() => void)[] | undefined;
  /** The listeners that read the body, until the response begins as a stream. */
  #take: ((chunk: Buffer) => void) | undefined;
  #finish: (() => void) | undefined;
  readonly method: string;
  readonly mount: string;
  readonly path: string;
  readonly query: string;
  readonly auth: AuthInfo | undefined;

  /** `unread` counts responses that the client does not read. */
  constructor(
    request: NodeRequest,
    response: ServerResponse,
    unread: UnreadLimit | undefined,
    parsed: unknown = request.body,
  ) {
    this.#unread = unread;
    this.#request = request;
    this.#parsed = parsed;
    this.#response = response;
    this.method = request.method ?? '';
    this.mount = request.baseUrl ?? '';
    this.auth = readAuth(request);
    const target = request.url ?? '/';
    // A request in the form for proxies names the whole URL. [RFC 9112, section 3.2.2]
    const url = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?]*/i, '');
    const queryStart = url.indexOf('?');
    this.path = queryStart === -1 ? url : url.slice(0, queryStart);
    this.query = queryStart === -1 ? '' : url.slice(queryStart + 1);
  }

  get remote(): string | undefined {
    return this.#request.socket.remoteAddress;
  }

  get remotePort(): number | undefined {
    return this.#request.socket.remotePort;
  }

  get httpVersion(): string {
    return this.#request.httpVersion;
  }

  get raw(): IncomingMessage {
    return this.#request;
  }

  get clientClosed(): boolean {
    return this.#response.destroyed || this.#response.closed;
  }

  closeConnection(): void {
    this.#response.shouldKeepAlive = false;
  }

  header(name: string): string | undefined {
    const value = this.#request.headers[name];
    if (Array.isArray(value)) return value.join(', ');
    if (value === undefined || !SINGLE_VALUE_HEADERS.has(name)) return value;
    return joinRepeated(this.#request.rawHeaders ?? [], name) ?? value;
  }

  body(limit: number, read: (body: RequestBody) => void): void {
    const request = this.#request;
    const parsed = this.#parsed;
    const length = Number(request.headers['content-length'] ?? Number.NaN);
    // The parsers of Express 4 set an empty body, without reading the request, for content types that they do not parse.
    const isPlaceholder =
      typeof parsed === 'object' &&
      parsed !== null &&
      Object.keys(parsed).length === 0 &&
      !Array.isArray(parsed) &&
      !request.readableDidRead &&
      length > EMPTY_OBJECT_LENGTH;
    if (parsed !== undefined && !isPlaceholder) {
      // The value of a body parser: a parsed value, text or bytes. The parser has already checked its own limit.
      if (Buffer.isBuffer(parsed)) read(parsed.length > limit ? { status: 413 } : decode(parsed));
      else if (typeof parsed === 'string') read(parsed.length > limit ? { status: 413 } : { text: parsed });
      else read({ value: parsed });
    } else if (request.readableEnded || request.destroyed) read({ error: createConsumedError() });
    else if (length > limit) rejectTooLarge(request, read);
    else this.#collect(limit, length, read);
  }

  #collect(limit: number, length: number, read: (body: RequestBody) => void): void {
    const request = this.#request;
    const wasRead = request.readableDidRead;
    let chunks: Buffer[] | undefined;
    let first: Buffer | undefined;
    let onBody: typeof read | undefined = read;
    // Events of a request have no `AsyncLocalStorage` of the listener that got it, such as the span of an instrumentation.
    const scope = new AsyncResource('TENON_BODY');
    let size = 0;
    const take = (chunk: Buffer): void => {
      size += chunk.length;
      if (size > limit) {
        request.off('data', take).off('end', finish);
        if (onBody) rejectTooLarge(request, onBody);
      } else if (first === undefined) first = chunk;
      else {
        chunks ??= [first];
        chunks.push(chunk);
      }
    };
    const finish = (): void => {
      const bytes = chunks === undefined ? first : Buffer.concat(chunks, size);
      const receive = onBody;
      // The listeners live as long as the request, so they must not keep the body or its reader in memory.
      first = undefined;
      chunks = undefined;
      onBody = undefined;
      const isMissing = size < length || (wasRead && size === 0);
      const body: RequestBody = isMissing ? { error: createConsumedError() } : decode(bytes);
      if (receive) scope.runInAsyncScope(receive, undefined, body);
    };
    this.#take = take;
    this.#finish = finish;
    request.on('data', take).on('end', finish);
    // A listener does not start a stream again that other code has paused.
    if (request.readableFlowing === false) request.resume();
  }

  reply(status: number, body?: string, headers?: HeaderFields): void {
    const response = this.#response;
    if (this.clientClosed || response.headersSent) return;
    if (body === undefined) {
      response.writeHead(status, status === 204 ? headers : { 'content-length': 0, ...headers }).end();
      return;
    }
    // A short text is sent in one write with the head. A long text is encoded to bytes only once.
    const long = body.length > LONG_TEXT ? Buffer.from(body) : undefined;
    const length = long?.length ?? Buffer.byteLength(body);
    const fields = { 'content-type': 'application/json', 'content-length': length };
    response.writeHead(status, headers === undefined ? fields : { ...fields, ...headers });
    response.end(long ?? body, getEncoding(body, length));
    // The system accepts most responses at once, so that nothing of them waits here.
    if (response.writableLength > 0) this.#countUnread();
  }

  #countUnread(): void {
    const [response, unread] = [this.#response, this.#unread];
    if (unread === undefined) return;
    const output: UnreadOutput = {
      get bufferedAmount() {
        return response.destroyed ? 0 : response.writableLength;
      },
      destroy: () => void response.destroy(),
    };
    response.once('close', () => unread.forget(output));
    unread.count(output, this.remote ?? '');
  }

  stream(status: number, headers: HeaderFields): ResponseStream {
    const response = this.#response.writeHead(status, headers);
    // Node keeps the text of the head for as long as the stream is open. Flushed by itself, the text takes 1 KiB less than
    // joined with the first event. Both still leave in one write.
    const { socket } = response;
    if (socket && socket.writableCorked === 0) {
      socket.cork();
      process.nextTick(releaseWrites, socket);
    }
    response.flushHeaders();
    this.#releaseBody();
    return new NodeResponseStream(response);
  }

  /** Removes the listeners of a body that was read, which would stay in memory for as long as the stream is open. */
  #releaseBody(): void {
    if (this.#take === undefined || this.#finish === undefined || !this.#request.readableEnded) return;
    this.#request.off('data', this.#take).off('end', this.#finish);
    this.#take = undefined;
    this.#finish = undefined;
  }

  onClientClosed(listener: () => void): void {
    const response = this.#response;
    if (this.clientClosed) {
      if (!response.writableFinished) listener();
    } else if (this.#closeListeners === undefined) {
      this.#closeListeners = [listener];
      // Node allocates room for 17 listeners with the third one, so all share one. `once` would allocate a wrapper.
      response.on('close', () => this.#handleClose());
    } else {
      // V8 reserves room for 17 more items in a list to which another is spread.
      this.#closeListeners = this.#closeListeners.concat(listener);
    }
  }

  #handleClose(): void {
    const listeners = this.#closeListeners ?? [];
    this.#closeListeners = undefined;
    if (!this.#response.writableFinished) for (const listener of listeners) listener();
  }
}

function releaseWrites(socket: Socket): void {
  socket.uncork();
}

/**
 * Joins the values of a repeated header. Node keeps only the first value of some headers, while a proxy may have used
 * the last one.
 */
function joinRepeated(rawHeaders: readonly string[], name: string): string | undefined {
  let joined: string | undefined;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const field = rawHeaders[index] ?? '';
    if (field.length !== name.length || field.toLowerCase() !== name) continue;
    const value = rawHeaders[index + 1] ?? '';
    joined = joined === undefined ? value : `${joined}, ${value}`;
  }
  return joined;
}

function createConsumedError() {
  return createBodyConsumedError(
    'store the parsed body in `request.body`, pass the request and reply of Fastify themselves, or mount the handler before the other middleware',
  );
}

/** Discards the rest of the body, so that the client can read the response. */
function rejectTooLarge(request: IncomingMessage, read: (body: RequestBody) => void): void {
  request.resume();
  read({ status: 413 });
}

function decode(bytes: Buffer | undefined): RequestBody {
  return { text: bytes === undefined ? '' : bytes.toString('utf8') };
}

/** A streamed response of `node:http`. */
class NodeResponseStream implements ResponseStream {
  readonly #response: ServerResponse;
  #drained: Promise<void> | undefined;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  write(text: string): void | Promise<void> {
    const response = this.#response;
    if (response.destroyed || response.writableEnded || response.write(text)) return undefined;
    this.#drained ??= new Promise(resolve => {
      const release = (): void => {
        response.off('drain', release).off('close', release);
        this.#drained = undefined;
        resolve();
      };
      response.on('drain', release).on('close', release);
    });
    return this.#drained;
  }

  get bufferedAmount(): number {
    return this.#response.writableLength;
  }

  end(): void {
    this.#response.end();
  }

  destroy(): void {
    this.#response.destroy();
  }
}
