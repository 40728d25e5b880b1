/**
 * The web globals that the portable part of the library uses. Node, Bun, Deno, Workers and browsers have all of them.
 *
 * The portable part compiles against this file alone, so that it cannot depend on one runtime by accident. If the types
 * of a runtime are present too, the interfaces merge.
 */

interface AbortSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  throwIfAborted(): void;
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}
declare var AbortSignal: {
  prototype: AbortSignal;
  abort(reason?: unknown): AbortSignal;
  any(signals: Iterable<AbortSignal>): AbortSignal;
  timeout(ms: number): AbortSignal;
};

interface AbortController {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
}
declare var AbortController: { prototype: AbortController; new (): AbortController };

interface TextDecoder {
  decode(input?: ArrayBuffer | ArrayBufferView, options?: { stream?: boolean }): string;
}
declare var TextDecoder: {
  prototype: TextDecoder;
  new (label?: string, options?: { fatal?: boolean; ignoreBOM?: boolean }): TextDecoder;
};

interface TextEncoder {
  encode(text?: string): Uint8Array<ArrayBuffer>;
  encodeInto(text: string, into: Uint8Array): { readonly read: number; readonly written: number };
}
declare var TextEncoder: { prototype: TextEncoder; new (): TextEncoder };

declare function atob(text: string): string;
declare function btoa(text: string): string;
declare function queueMicrotask(run: () => void): void;

interface URLSearchParams {
  get(name: string): string | null;
  getAll(name: string): string[];
  has(name: string): boolean;
  set(name: string, value: string): void;
  append(name: string, value: string): void;
  delete(name: string): void;
  toString(): string;
}
declare var URLSearchParams: {
  prototype: URLSearchParams;
  new (init?: string | Record<string, string> | Iterable<[string, string]>): URLSearchParams;
};

interface URL {
  href: string;
  readonly origin: string;
  protocol: string;
  username: string;
  password: string;
  host: string;
  hostname: string;
  port: string;
  pathname: string;
  search: string;
  readonly searchParams: URLSearchParams;
  hash: string;
  toString(): string;
}
declare var URL: { prototype: URL; new (url: string | URL, base?: string | URL): URL };

interface Crypto {
  randomUUID(): `${string}-${string}-${string}-${string}-${string}`;
  getRandomValues<T extends ArrayBufferView>(array: T): T;
}
declare var crypto: Crypto;

interface Headers {
  get(name: string): string | null;
  has(name: string): boolean;
  set(name: string, value: string): void;
  append(name: string, value: string): void;
  delete(name: string): void;
  forEach(each: (value: string, name: string) => void): void;
}
declare var Headers: { prototype: Headers; new (init?: Record<string, string> | Headers): Headers };

interface ReadableStreamDefaultReader<R = unknown> {
  read(): Promise<{ done: false; value: R } | { done: true; value?: R | undefined }>;
  cancel(reason?: unknown): Promise<void>;
  releaseLock(): void;
}
interface ReadableStreamDefaultController<R = unknown> {
  readonly desiredSize: number | null;
  enqueue(chunk?: R): void;
  close(): void;
  error(reason?: unknown): void;
}
interface ReadableStream<R = unknown> {
  readonly locked: boolean;
  getReader(): ReadableStreamDefaultReader<R>;
  cancel(reason?: unknown): Promise<void>;
}
declare var ReadableStream: {
  prototype: ReadableStream;
  new <R = unknown>(
    source?: {
      start?(controller: ReadableStreamDefaultController<R>): void;
      pull?(controller: ReadableStreamDefaultController<R>): void | Promise<void>;
      cancel?(reason?: unknown): void;
    },
    strategy?: { highWaterMark?: number; size?(chunk?: R): number },
  ): ReadableStream<R>;
};

interface Request {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  readonly signal: AbortSignal;
  readonly body: ReadableStream<Uint8Array> | null;
  readonly bodyUsed: boolean;
  text(): Promise<string>;
  arrayBuffer(): Promise<ArrayBuffer>;
}
declare var Request: {
  prototype: Request;
  new (url: string | URL, init?: RequestInit): Request;
};

interface RequestInit {
  method?: string;
  headers?: Record<string, string> | Headers;
  body?: string | Uint8Array | ArrayBuffer | ReadableStream | null;
  signal?: AbortSignal | null;
  redirect?: 'follow' | 'error' | 'manual';
}

interface Response {
  readonly ok: boolean;
  readonly status: number;
  readonly headers: Headers;
  readonly url: string;
  readonly redirected: boolean;
  readonly body: ReadableStream<Uint8Array> | null;
  arrayBuffer(): Promise<ArrayBuffer>;
  text(): Promise<string>;
  json(): Promise<unknown>;
  clone(): Response;
}
declare var Response: {
  prototype: Response;
  new (
    body?: string | Uint8Array | ArrayBuffer | ReadableStream | null,
    init?: { status?: number; statusText?: string; headers?: Record<string, string> | Headers },
  ): Response;
};

declare function fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>;
