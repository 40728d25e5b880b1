import { TenonError } from '../errors/error.js';
import { checkFunction, checkOptional } from '../options/check.js';
import { requireArgument, requireKnownOptions } from '../options/check-options.js';
import { type Clock, systemClock } from '../timing/clock.js';
import { runWithTimeout } from '../timing/run-with-timeout.js';
import { parseUrl } from '../uris/parse-url.js';
import { getCertificateAdvice } from './certificate-advice.js';
import { checkGuard, type UrlGuard } from './url-guard.js';

/** Structural type of `fetch`: the members that this library uses. */
export type AuthFetch = (
  url: string,
  init: {
    method: string;
    headers: Record<string, string>;
    /** Body of the request. Never `undefined`, because the types of some `fetch` implementations do not accept it. */
    body?: string;
    signal: AbortSignal;
    redirect: 'manual';
  },
  /** Checks the resolved address of a host name. For implementations that can check it before they connect. */
  guard: UrlGuard,
) => Promise<AuthFetchResponse>;

/** Members of a `fetch` response that this library uses. */
export interface AuthFetchResponse {
  /** HTTP status. */
  readonly status: number;
  /** Response type of `fetch`: `opaqueredirect` for a redirect. */
  readonly type?: string | undefined;
  /** Header fields. */
  readonly headers: { get(name: string): string | null; forEach(each: (value: string, name: string) => void): void };
  /** Body. `null` if there is none. */
  readonly body: { getReader(): ResponseReader } | null;
}

/** `AuthFetch` for requests whose body may be bytes. An `AuthFetch` is accepted too, because its requests have text only. */
export type ByteFetch = {
  send(
    url: string,
    init: Omit<Parameters<AuthFetch>[1], 'body'> & { body?: string | ArrayBuffer },
    guard: UrlGuard,
  ): Promise<AuthFetchResponse>;
}['send'];

interface ResponseReader {
  read(): Promise<{ done: boolean; value?: unknown }>;
  cancel(): Promise<void>;
}

/** Maximum size of a response, in bytes. */
const MAX_BODY_BYTES = 256 * 1024;
/** Timeout of a complete response, in milliseconds. */
const FETCH_TIMEOUT = 10_000;
/** Header fields that a redirect to another origin keeps. All others may contain credentials of the first origin. */
const HARMLESS_HEADERS = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'user-agent',
  'mcp-protocol-version',
]);
/** Default number of redirects that a GET follows. */
const DEFAULT_MAX_REDIRECTS = 5;
const BODILESS_STATUSES = new Set([204, 205, 304]);

/** Request options of a guarded `fetch`. */
export interface GuardedFetchInit {
  /**
   * HTTP method.
   * @default `GET`
   */
  readonly method?: string | undefined;
  /** Header fields, as an object. */
  readonly headers?: unknown;
  /** Body: bytes in an `ArrayBuffer`. Any other value is converted to a string. */
  readonly body?: unknown;
}

/**
 * Sends a request to another party, with a timeout and a size limit. Follows the redirects of a GET or HEAD only. Another
 * origin gets no header field that may contain credentials.
 * @throws TenonError `auth/unreachable`, `auth/redirected`, `auth/unsafe-url`, `auth/too-large`, `auth/timeout`
 */
export type GuardedFetch = (url: string, init?: GuardedFetchInit, signal?: AbortSignal) => Promise<Response>;

/** Options of `createGuardedFetch`. */
export interface GuardedFetchOptions {
  /** Decides which URLs may be requested. It checks each redirect as well. */
  readonly guard: UrlGuard;
  /**
   * Sends the requests.
   * @default `fetchWithAddressCheck` on Node, else the global `fetch`
   */
  readonly fetch?: ByteFetch | undefined;
  /**
   * Maximum number of redirects that a GET follows.
   * @default 5
   */
  readonly maxRedirects?: number | undefined;
  /**
   * Timeout of a complete response, in milliseconds.
   * @default 10,000
   */
  readonly timeout?: number | undefined;
  /**
   * Maximum size of a response, in bytes.
   * @default 262,144 (256 KiB)
   */
  readonly maxSize?: number | undefined;
  /**
   * Name of the other party in errors.
   * @default `the authorization server`
   */
  readonly party?: string | undefined;
  /**
   * Clock for the timeout.
   * @default the clock of the system
   */
  readonly clock?: Clock | undefined;
}

/** Calls the global `fetch`. It is the default on runtimes without `fetchWithAddressCheck`. */
export const fetchWithGlobal: ByteFetch = (url, init) => fetch(url, init);

/**
 * Creates a `fetch` for URLs from untrusted parties. It rejects private addresses, times out after 10 s, and reads at
 * most 256 KiB of a response.
 * @see https://modelcontextprotocol.io/docs/tutorials/security/security_best_practices
 */
export function createGuardedFetch(options: GuardedFetchOptions): GuardedFetch {
  requireKnownOptions('createGuardedFetch', options, {
    guard: true,
    fetch: true,
    maxRedirects: true,
    timeout: true,
    maxSize: true,
    party: true,
    clock: true,
  });
  requireArgument('`guard` of createGuardedFetch', options.guard, checkGuard);
  requireArgument('`fetch` of createGuardedFetch', options.fetch, checkOptional(checkFunction));
  const {
    guard,
    fetch: fetchLike = fetchWithGlobal,
    maxRedirects = DEFAULT_MAX_REDIRECTS,
    timeout = FETCH_TIMEOUT,
    maxSize = MAX_BODY_BYTES,
    party = 'the authorization server',
    clock = systemClock,
  } = options;
  async function followRedirects(
    requestedUrl: string | URL,
    init: GuardedFetchInit,
    signal: AbortSignal,
  ): Promise<Response> {
    const { method = 'GET' } = init;
    let url = guard.check(requestedUrl, `a URL of ${party}`);
    const { origin } = url;
    for (let hops = 0; ; hops += 1) {
      const body = init.body === undefined || init.body === null ? {} : { body: toBody(init.body) };
      const all = init.headers as Record<string, string>;
      const headers = url.origin === origin ? all : keepHarmless(all);
      const request = { method, headers, ...body, signal };
      const response = await fetchLike(url.href, { ...request, redirect: 'manual' }, guard);
      if (!isRedirect(response)) return await readWholeResponse(response, url, { maxSize, party });
      void response.body?.getReader().cancel();
      if (hops >= maxRedirects) throw createRedirectError(url, `more than ${maxRedirects} redirects`);
      url = resolveRedirect(response, url, method, guard);
    }
  }

  return async (requestedUrl, init = {}, signal) => {
    const timeouts = {
      clock,
      timeout,
      hold: true,
      signal,
      onTimeout() {
        throw new TenonError('auth/timeout', `${party} timed out after ${timeout} ms`, {
          hint: 'try again later',
          peer: redactUrl(requestedUrl),
        });
      },
    };
    try {
      return await runWithTimeout(own => followRedirects(requestedUrl, init, own.signal), timeouts);
    } catch (error) {
      throw toFetchError(error, requestedUrl, party);
    }
  };
}

const toBody = (body: unknown): string | ArrayBuffer => (body instanceof ArrayBuffer ? body : String(body));

function isRedirect({ status, type }: AuthFetchResponse): boolean {
  return type === 'opaqueredirect' || (status >= 301 && status <= 308 && status !== 304);
}

/**
 * Resolves the target of a redirect, and checks it like the first URL. Rejects the redirect of a POST, because its
 * credentials must not reach another URL.
 */
function resolveRedirect(response: AuthFetchResponse, fromUrl: URL, method: string, guard: UrlGuard): URL {
  const location = response.headers.get('location');
  if (method !== 'GET' && method !== 'HEAD')
    throw createRedirectError(fromUrl, 'a request with credentials was redirected');
  if (location === null) throw createRedirectError(fromUrl, 'a redirect has no valid location');
  const url = guard.check(parseUrl(location, fromUrl)?.href ?? location, 'the target of a redirect');
  if (fromUrl.protocol === 'https:' && url.protocol !== 'https:')
    throw createRedirectError(fromUrl, 'a redirect goes from https: to http:');
  return url;
}

function createRedirectError(url: URL, reason: string): TenonError {
  return new TenonError('auth/redirected', reason, {
    peer: redactUrl(url.href),
    hint: 'configure the server with the final URL',
  });
}

function keepHarmless(headers: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => HARMLESS_HEADERS.has(name.toLowerCase())));
}

/** Copies a response with its complete body, so that reading the copy never waits. */
async function readWholeResponse(response: AuthFetchResponse, url: URL, limit: BodyLimit): Promise<Response> {
  const headers = new Headers();
  response.headers.forEach((value, name) => headers.append(name, value));
  const bytes = response.body === null ? undefined : await readBytes(response.body.getReader(), url, limit);
  return new Response(BODILESS_STATUSES.has(response.status) ? null : (bytes ?? ''), {
    status: response.status,
    headers,
  });
}

interface BodyLimit {
  readonly maxSize: number;
  readonly party: string;
}

async function readBytes(
  reader: ResponseReader,
  url: URL,
  { maxSize, party }: BodyLimit,
): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    const chunk = value as Uint8Array;
    size += chunk.length;
    if (size > maxSize) {
      void reader.cancel().catch(() => {});
      throw new TenonError('auth/too-large', `the response is larger than ${maxSize} bytes`, {
        peer: redactUrl(url.href),
        hint: `ask the operator of ${party} to reduce the response`,
      });
    }
    chunks.push(chunk);
  }
  const bytes = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.length;
  }
  return bytes;
}

/** Converts an error of `fetch`. Keeps only its code, because errors of HTTP clients may contain the request. */
function toFetchError(error: unknown, url: string, party: string): TenonError {
  if (TenonError.is(error)) return error;
  const { cause } = error instanceof Error ? error : { cause: undefined };
  const code = [error, cause]
    .map(each => (each as { code?: unknown } | undefined)?.code)
    .find(each => typeof each === 'string');
  const received = code === undefined ? undefined : String(code).slice(0, 60);
  return new TenonError('auth/unreachable', `${party} did not answer`, {
    peer: redactUrl(url),
    received,
    hint: getCertificateAdvice(error) ?? `check the URL, and check that ${party} is running`,
  });
}

/** Removes the query of a URL for error messages, because it may contain secrets. */
export function redactUrl(url: string): string {
  const parsed = parseUrl(url);
  return parsed ? (parsed.origin + parsed.pathname).slice(0, 200) : 'an invalid URL';
}
