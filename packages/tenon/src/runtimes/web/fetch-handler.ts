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
  waitUntil?(until: Promise<unknown>): void;
}

/** Lets `handle` answer a web `Request`. */
export function answerFetch(
  handle: (exchange: Exchange) => void,
  request: Request,
  facts: FetchFacts = {},
  lifetime: Lifetime = {},
): Promise<Response> {
  return new Promise(resolve => handle(createFetchExchange(request, facts, lifetime, resolve)));
}

declare const navigator: { readonly userAgent?: string } | undefined;

/** Where promises of one request do not settle in another. */
const FLEETING = typeof navigator === 'object' && navigator.userAgent === 'Cloudflare-Workers';

/** What some servers write into their logs for a client that left. */
const CLIENT_GONE = 499;

function createFetchExchange(
  request: Request,
  facts: FetchFacts,
  lifetime: Lifetime,
  answer: (response: Response) => void,
): Exchange {
  const url = new URL(request.url);
  const listeners: (() => void)[] = [];
  let state: 'waiting' | 'streaming' | 'complete' | 'gone' = 'waiting';
  const leave = (): boolean => {
    if (state === 'complete' || state === 'gone') return false;
    // Nobody reads it, but whoever waits for the answer here is not left waiting.
    if (state === 'waiting') answer(new Response(null, { status: CLIENT_GONE }));
    state = 'gone';
    for (const gone of listeners.splice(0)) gone();
    return true;
  };
  if (request.signal?.aborted) leave();
  else request.signal?.addEventListener('abort', leave, { once: true });

  return {
    method: request.method,
    path: url.pathname,
    query: url.search.slice(1),
    mount: '',
    remote: typeof facts.remote === 'string' ? facts.remote : undefined,
    auth: typeof facts.auth?.principal === 'string' ? facts.auth : undefined,
    raw: request,
    fleeting: FLEETING,
    get gone() {
      return state === 'gone';
    },
    // Runtimes that keep `Host` to themselves have put it into the URL.
    header: name => request.headers.get(name) ?? (name === 'host' ? url.host : undefined),
    body(limit, read) {
      readBody(request, limit).then(body => {
        if (state !== 'gone') read(body);
      }, leave);
    },
    reply(status, body, headers) {
      if (state !== 'waiting') return;
      state = 'complete';
      const fields = body === undefined ? { ...headers } : { 'content-type': 'application/json', ...headers };
      answer(new Response(body ?? null, { status, headers: fields }));
    },
    stream(status, headers) {
      state = 'streaming';
      const [sink, response] = createStream(status, headers, () => (state = 'complete'), leave);
      answer(response);
      return sink;
    },
    whenGone(gone) {
      if (state === 'gone') gone();
      else if (state !== 'complete') listeners.push(gone);
    },
    hold: typeof lifetime.waitUntil === 'function' ? until => lifetime.waitUntil?.(until) : undefined,
  };
}

async function readBody(request: Request, limit: number): Promise<Body> {
  if (Number(request.headers.get('content-length')) > limit) return { status: 413 };
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
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
    try {
      text += decoder.decode(chunk.value, { stream: true });
    } catch {
      return { status: 400 };
    }
  }
  try {
    return { text: text + decoder.decode() };
  } catch {
    return { status: 400 };
  }
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
