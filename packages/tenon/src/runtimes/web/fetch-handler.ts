import { type AuthInfo, logError, TenonError } from '@tenon/base';
import {
  createBodyConsumedError,
  type Exchange,
  type HeaderFields,
  type RequestBody,
  type ResponseStream,
  readAuth,
} from '../../transports/http/server/exchange.js';

/**
 * Information about a request, in addition to the request itself. Members of other types are ignored, because runtimes
 * pass other objects here.
 */
export interface FetchRequestInfo {
  /** User that a framework authenticated. */
  readonly auth?: AuthInfo | undefined;
  /** Network address of the client. */
  readonly remote?: string | undefined;
  /**
   * Body that other code has read from the request: the parsed value, or its text. Used only if the request does not
   * have its body any more.
   */
  readonly body?: unknown;
}

/** Lifetime of a request in a runtime: the `ctx` of a Worker. */
export interface WorkerContext {
  /** Keeps the worker alive until a promise settles. */
  readonly waitUntil?: ((until: Promise<unknown>) => void) | undefined;
}

/**
 * Handles a web `Request` with a function for an `Exchange`. So one endpoint supports `fetch` and, by `toNode`,
 * `node:http`.
 *
 * @throws TenonError `serve/request`, as a rejection, if `request` is not a web `Request`.
 */
export function answerFetch(
  handle: (exchange: Exchange) => void,
  request: Request,
  info: FetchRequestInfo = {},
  workerContext: WorkerContext = {},
): Promise<Response> {
  // Requests of another realm or polyfill have no common class.
  const given: Partial<Request> | null | undefined = request;
  const isWebRequest = typeof given?.headers?.get === 'function' && typeof given.url === 'string';
  if (!isWebRequest) return refuseOtherRequest(request, info, workerContext);
  return new Promise(resolve => handle(new FetchExchange(request, info, workerContext, resolve)));
}

/** Members of the arguments that other frameworks pass. */
interface OtherArgument {
  readonly raw?: unknown;
  readonly req?: unknown;
  readonly writeHead?: (status: number, headers: HeaderFields) => { readonly end: (text: string) => void };
}

/**
 * Reports the call of a handler without a web `Request`. Frameworks ignore the promise of a handler, or hide its
 * rejection, so the error is written to the log, and a response of Node is completed.
 */
function refuseOtherRequest(request: unknown, info: unknown, next: unknown): Promise<Response> {
  const isObject = typeof request === 'object' && request !== null;
  const response: OtherArgument = typeof info === 'object' && info !== null ? info : {};
  const isNode = typeof response.writeHead === 'function' || response.raw !== undefined;
  const error = new TenonError('serve/request', 'the handler was called without a web `Request`', {
    expected: 'a `Request` of the fetch API as first argument',
    received: isNode ? 'a request of node:http, Express or Fastify' : isObject ? 'another object' : typeof request,
    hint: isNode
      ? 'write `toNode(handler)` of tenon/node in place of `handler`'
      : 'pass the `Request` of the framework: `c => handler(c.req.raw)` in Hono, `event => handler(event.request)` in others',
  });
  logError(error);
  if (typeof response.writeHead !== 'function') return Promise.reject(error);
  if (typeof next === 'function') next(error);
  else response.writeHead(500, { 'content-type': 'text/plain' }).end(`${error.message}\n`);
  return Promise.resolve(new Response(null, { status: 500 }));
}

declare function setTimeout(run: () => void, ms: number): unknown;
declare const navigator: { readonly userAgent?: string } | undefined;

/** True on Workers, where promises of one request do not settle in another. */
const IS_WORKERS = typeof navigator === 'object' && navigator.userAgent === 'Cloudflare-Workers';

/** Status that some servers log for a client that has disconnected. */
const STATUS_CLIENT_CLOSED = 499;

/**
 * An exchange of `fetch`. Adapters on Node create the expensive parts of a `Request` on access, and this class rarely
 * accesses them.
 */
class FetchExchange implements Exchange {
  readonly path: string;
  readonly query: string;
  readonly mount = '';
  readonly isRouted = true;
  readonly ephemeral = IS_WORKERS;
  readonly waitUntil: Exchange['waitUntil'];
  readonly raw: Request;
  readonly #host: string;
  readonly #info: FetchRequestInfo;
  readonly #respond: (response: Response) => void;
  #state: 'waiting' | 'streaming' | 'complete' | 'gone' = 'waiting';
  #listeners: (() => void)[] | undefined;

  constructor(
    request: Request,
    info: FetchRequestInfo,
    workerContext: WorkerContext,
    respond: (response: Response) => void,
  ) {
    const [, host = '', path = '', query = ''] = /^[a-z]+:\/\/([^/?#]*)([^?#]*)\??([^#]*)/i.exec(request.url) ?? [];
    this.path = path === '' ? '/' : path;
    this.query = query;
    this.raw = request;
    this.waitUntil =
      typeof workerContext.waitUntil === 'function' ? until => workerContext.waitUntil?.(until) : undefined;
    this.#host = host.slice(host.indexOf('@') + 1);
    this.#info = info;
    this.#respond = respond;
  }

  get method(): string {
    return this.raw.method;
  }

  get remote(): string | undefined {
    const { remote } = this.#info;
    return typeof remote === 'string' ? remote : undefined;
  }

  get auth(): AuthInfo | undefined {
    return readAuth(this.#info);
  }

  get clientClosed(): boolean {
    return this.#state === 'gone';
  }

  /** Returns a header. Runtimes that hide `Host` have put it into the URL. */
  header(name: string): string | undefined {
    return this.raw.headers.get(name) ?? (name === 'host' ? this.#host : undefined);
  }

  body(limit: number, read: (body: RequestBody) => void): void {
    const { bodyUsed, body: stream } = this.raw;
    if (bodyUsed || stream?.locked) {
      const parsed: unknown = this.#info.body;
      if (typeof parsed === 'string') return read(parsed.length > limit ? { status: 413 } : { text: parsed });
      if (parsed !== undefined) return read({ value: parsed });
      const hint =
        'pass the parsed body: `handler(request, { body })`, or read a copy of the request: `request.clone().json()`';
      return read({ error: createBodyConsumedError(hint) });
    }
    readBody(this.raw, limit).then(
      body => {
        if (!this.clientClosed) read(body);
      },
      () => this.#handleClientClosed(),
    );
  }

  reply(status: number, body?: string, headers?: HeaderFields): void {
    if (this.#state !== 'waiting') return;
    const fields = body === undefined ? { ...headers } : { 'content-type': 'application/json', ...headers };
    // The constructor throws for an invalid status or header, and the endpoint then replies with an error.
    const response = new Response(body ?? null, { status, headers: fields });
    this.#state = 'complete';
    this.#respond(response);
  }

  stream(status: number, headers: HeaderFields): ResponseStream {
    const markComplete = () => {
      this.#state = 'complete';
    };
    const [sink, response] = createStream(status, headers, markComplete, () => this.#handleClientClosed());
    this.#state = 'streaming';
    this.#respond(response);
    this.watch();
    return sink;
  }

  onClientClosed(listener: () => void): void {
    if (this.clientClosed) return listener();
    if (this.#state === 'complete') return;
    if (this.#listeners === undefined) watchSoon(this);
    this.#listeners ??= [];
    this.#listeners.push(listener);
  }

  /** Detects from now on when the client disconnects. */
  watch(): void {
    if (this.#state === 'complete' || this.clientClosed) return;
    const { signal } = this.raw;
    if (signal?.aborted) this.#handleClientClosed();
    else signal?.addEventListener('abort', () => this.#handleClientClosed(), { once: true });
  }

  /** Handles a disconnected client. Returns false if the response is already complete. */
  #handleClientClosed(): boolean {
    if (this.#state === 'complete' || this.clientClosed) return false;
    // The body is not read, but the code that waits for the response must continue.
    if (this.#state === 'waiting') this.#respond(new Response(null, { status: STATUS_CLIENT_CLOSED }));
    this.#state = 'gone';
    for (const listener of this.#listeners?.splice(0) ?? []) listener();
    return true;
  }
}

/** Time after which a client that waits for a response is checked, in milliseconds. */
const WATCH_DELAY = 20;

let unwatched: FetchExchange[] = [];

/**
 * Watches an exchange after a delay. Most responses are sent earlier, so their expensive abort signal is never created.
 * One timer is shared by all exchanges, except on Workers, where one request cannot access the data of another.
 */
function watchSoon(exchange: FetchExchange): void {
  if (IS_WORKERS) return void setTimeout(() => exchange.watch(), 0);
  if (unwatched.push(exchange) === 1) setTimeout(watchAll, WATCH_DELAY);
}

function watchAll(): void {
  const waiting = unwatched;
  unwatched = [];
  for (const exchange of waiting) exchange.watch();
}

/** The decoder keeps no state between texts. */
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** Reads a body. A body with a known length is read in one step, any other one in chunks. */
async function readBody(request: Request, limit: number): Promise<RequestBody> {
  const length = request.headers.get('content-length');
  if (length !== null) {
    if (Number(length) > limit) return { status: 413 };
    const bytes = await request.arrayBuffer();
    return bytes.byteLength > limit ? { status: 413 } : { text: utf8.decode(bytes) };
  }
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const reader = request.body?.getReader();
  let text = '';
  let size = 0;
  while (reader !== undefined) {
    const chunk = await reader.read();
    if (chunk.done) break;
    size += chunk.value.byteLength;
    if (size > limit) {
      reader.cancel().catch(() => {});
      return { status: 413 };
    }
    text += decoder.decode(chunk.value, { stream: true });
  }
  return { text: text + decoder.decode() };
}

function createStream(
  status: number,
  headers: HeaderFields,
  onComplete: () => void,
  onCancel: () => boolean,
): [ResponseStream, Response] {
  const encoder = new TextEncoder();
  const capacity = 64 * 1024;
  let controller!: ReadableStreamDefaultController<Uint8Array>;
  let open = true;
  let drained: { promise: Promise<void>; free: () => void } | undefined;
  const free = (): void => {
    drained?.free();
    drained = undefined;
  };
  const close = (): boolean => {
    const first = open;
    open = false;
    free();
    return first;
  };
  const stream = new ReadableStream<Uint8Array>(
    {
      start(streamController) {
        controller = streamController;
      },
      pull: free,
      cancel() {
        if (close()) onCancel();
      },
    },
    { highWaterMark: capacity, size: chunk => chunk?.byteLength ?? 0 },
  );
  const countBuffered = (): number => capacity - (controller.desiredSize ?? capacity);
  const sink: ResponseStream = {
    write(text) {
      if (!open) return undefined;
      controller.enqueue(encoder.encode(text));
      if (countBuffered() < capacity) return undefined;
      if (drained === undefined) {
        let settle!: () => void;
        const promise = new Promise<void>(resolve => {
          settle = resolve;
        });
        drained = { promise, free: settle };
      }
      return drained.promise;
    },
    get bufferedAmount() {
      return open ? countBuffered() : 0;
    },
    end() {
      if (!close()) return;
      onComplete();
      controller.close();
    },
    destroy() {
      if (!close()) return;
      // The stream of a disconnected client ends without an error, because some runtimes log such errors.
      if (onCancel()) controller.error(new Error('cut off'));
      else controller.close();
    },
  };
  return [sink, new Response(stream, { status, headers: { ...headers } })];
}
