import type { AuthInfo } from '../../jsonrpc/channel.js';
import type { Body, Exchange, HeaderFields, Sink } from '../../transports/http/exchange.js';

/** What may be known of a request beside the request. Members of other types, as runtimes pass them, do not count. */
export interface FetchFacts {
  /** Whom something in front has authenticated. */
  readonly auth?: AuthInfo | undefined;
  /** The address of the other end. */
  readonly remote?: string | undefined;
}

/** How long a runtime stays with a request: the `ctx` of a Worker. */
export interface Lifetime {
  readonly waitUntil?: ((until: Promise<unknown>) => void) | undefined;
}

/** Lets `handle` answer a web `Request`. */
export function answerFetch(
  handle: (exchange: Exchange) => void,
  request: Request,
  facts: FetchFacts = {},
  lifetime: Lifetime = {},
): Promise<Response> {
  return new Promise(resolve => handle(new FetchExchange(request, facts, lifetime, resolve)));
}

declare function setTimeout(run: () => void, ms: number): unknown;
declare const navigator: { readonly userAgent?: string } | undefined;

/** Where promises of one request do not settle in another. */
const FLEETING = typeof navigator === 'object' && navigator.userAgent === 'Cloudflare-Workers';

/** What some servers write into their logs for a client that left. */
const CLIENT_GONE = 499;

/** An exchange of `fetch`. Adapters on Node make the costly parts of a `Request` when they are asked for: here they seldom are. */
class FetchExchange implements Exchange {
  readonly path: string;
  readonly query: string;
  readonly mount = '';
  readonly fleeting = FLEETING;
  readonly hold: Exchange['hold'];
  readonly raw: Request;
  readonly #host: string;
  readonly #facts: FetchFacts;
  readonly #answer: (response: Response) => void;
  #state: 'waiting' | 'streaming' | 'complete' | 'gone' = 'waiting';
  #listeners: (() => void)[] | undefined;

  constructor(request: Request, facts: FetchFacts, lifetime: Lifetime, answer: (response: Response) => void) {
    const { host, path, query } = placeOf(request.url);
    this.path = path;
    this.query = query;
    this.raw = request;
    this.hold = typeof lifetime.waitUntil === 'function' ? until => lifetime.waitUntil?.(until) : undefined;
    this.#host = host;
    this.#facts = facts;
    this.#answer = answer;
  }

  get method(): string {
    return this.raw.method;
  }

  get remote(): string | undefined {
    const { remote } = this.#facts;
    return typeof remote === 'string' ? remote : undefined;
  }

  get auth(): AuthInfo | undefined {
    const { auth } = this.#facts;
    return typeof auth?.principal === 'string' ? auth : undefined;
  }

  get gone(): boolean {
    return this.#state === 'gone';
  }

  /** Runtimes that keep `Host` to themselves have put it into the URL. */
  header(name: string): string | undefined {
    return this.raw.headers.get(name) ?? (name === 'host' ? this.#host : undefined);
  }

  body(limit: number, read: (body: Body) => void): void {
    readBody(this.raw, limit).then(
      body => {
        if (!this.gone) read(body);
      },
      () => this.#leave(),
    );
  }

  reply(status: number, body?: string, headers?: HeaderFields): void {
    if (this.#state !== 'waiting') return;
    this.#state = 'complete';
    const fields = body === undefined ? { ...headers } : { 'content-type': 'application/json', ...headers };
    this.#answer(new Response(body ?? null, { status, headers: fields }));
  }

  stream(status: number, headers: HeaderFields): Sink {
    this.#state = 'streaming';
    const complete = () => {
      this.#state = 'complete';
    };
    const [sink, response] = createStream(status, headers, complete, () => this.#leave());
    this.#answer(response);
    this.watch();
    return sink;
  }

  whenGone(gone: () => void): void {
    if (this.gone) return gone();
    if (this.#state === 'complete') return;
    if (this.#listeners === undefined) watchSoon(this);
    this.#listeners ??= [];
    this.#listeners.push(gone);
  }

  /** Notices from now on when the client leaves. */
  watch(): void {
    if (this.#state === 'complete' || this.gone) return;
    const { signal } = this.raw;
    if (signal?.aborted) this.#leave();
    else signal?.addEventListener('abort', () => this.#leave(), { once: true });
  }

  /** False when there is nothing to leave any more. */
  #leave(): boolean {
    if (this.#state === 'complete' || this.gone) return false;
    // Nobody reads it, but whoever waits for the answer here is not left waiting.
    if (this.#state === 'waiting') this.#answer(new Response(null, { status: CLIENT_GONE }));
    this.#state = 'gone';
    for (const gone of this.#listeners?.splice(0) ?? []) gone();
    return true;
  }
}

/** Milliseconds after which somebody who waits for an answer is watched. */
const PATIENCE = 20;

let unwatched: FetchExchange[] = [];

/**
 * Most answers are there before anybody could leave: the signal, which is costly to have, is looked at for those that are
 * not. One timer serves all, but where what belongs to one request can not be touched in another.
 */
function watchSoon(exchange: FetchExchange): void {
  if (FLEETING) return void setTimeout(() => exchange.watch(), 0);
  if (unwatched.push(exchange) === 1) setTimeout(watchAll, PATIENCE);
}

function watchAll(): void {
  const waiting = unwatched;
  unwatched = [];
  for (const exchange of waiting) exchange.watch();
}

/** The parts of an absolute URL, as a request has it: no part is written in two ways. */
function placeOf(url: string): { host: string; path: string; query: string } {
  const [, host = '', path = '', query = ''] = /^[a-z]+:\/\/([^/?#]*)([^?#]*)\??([^#]*)/i.exec(url) ?? [];
  return { host: host.slice(host.indexOf('@') + 1), path: path === '' ? '/' : path, query };
}

/** Between texts it remembers nothing. */
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** What says how long it is is read in one go. */
async function readBody(request: Request, limit: number): Promise<Body> {
  const length = request.headers.get('content-length');
  if (length === null) return readPieces(request, limit);
  if (Number(length) > limit) return { status: 413 };
  const bytes = await request.arrayBuffer();
  return bytes.byteLength > limit ? { status: 413 } : { text: utf8.decode(bytes) };
}

async function readPieces(request: Request, limit: number): Promise<Body> {
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
  complete: () => void,
  leave: () => boolean,
): [Sink, Response] {
  const encoder = new TextEncoder();
  const capacity = 64 * 1024;
  let controller!: ReadableStreamDefaultController<Uint8Array>;
  let open = true;
  let room: { promise: Promise<void>; free: () => void } | undefined;
  const free = (): void => {
    room?.free();
    room = undefined;
  };
  const close = (): boolean => {
    const first = open;
    open = false;
    free();
    return first;
  };
  const stream = new ReadableStream<Uint8Array>(
    {
      start(given) {
        controller = given;
      },
      pull: free,
      cancel() {
        if (close()) leave();
      },
    },
    { highWaterMark: capacity, size: chunk => chunk?.byteLength ?? 0 },
  );
  const waiting = (): number => capacity - (controller.desiredSize ?? capacity);
  const sink: Sink = {
    write(text) {
      if (!open) return undefined;
      controller.enqueue(encoder.encode(text));
      if (waiting() < capacity) return undefined;
      room ??= deferred();
      return room.promise;
    },
    get waiting() {
      return open ? waiting() : 0;
    },
    end() {
      if (!close()) return;
      complete();
      controller.close();
    },
    cut() {
      if (!close()) return;
      // Who has left is told nothing: some runtimes log an error that a stream ends with.
      if (leave()) controller.error(new Error('cut off'));
      else controller.close();
    },
  };
  return [sink, new Response(stream, { status, headers: { ...headers } })];
}

function deferred(): { promise: Promise<void>; free: () => void } {
  let free!: () => void;
  const promise = new Promise<void>(resolve => {
    free = resolve;
  });
  return { promise, free };
}
