import type { Clock } from '../../cancellation/clock.js';
import { TenonError } from '../../jsonrpc/error.js';
import type { UrlGuard } from './url-guard.js';

/** `fetch` by its shape, as far as it is used here. */
export type AuthFetch = (
  url: string,
  init: {
    method: string;
    headers: Record<string, string>;
    /** Without `undefined`, which the `fetch` of a platform does not accept by its types. */
    body?: string;
    signal: AbortSignal;
    redirect: 'manual';
  },
  /** Judges the address that a name turns out to stand for. For those who can look before they connect. */
  guard: UrlGuard,
) => Promise<AuthFetchResponse>;

/** The part of a `fetch` response that is used. */
export interface AuthFetchResponse {
  /** HTTP status. */
  readonly status: number;
  /** Response type as in `fetch`: `opaqueredirect` for a redirect. */
  readonly type?: string | undefined;
  /** Header fields. */
  readonly headers: { get(name: string): string | null; forEach(each: (value: string, name: string) => void): void };
  /** Body, if there is one. */
  readonly body: { getReader(): ResponseReader } | null;
}

interface ResponseReader {
  read(): Promise<{ done: boolean; value?: unknown }>;
  cancel(): Promise<void>;
}

/** Answers of authorization servers, in bytes. */
const MAX_BODY_BYTES = 256 * 1024;
/** Until an answer is whole, in milliseconds. */
const FETCH_TIMEOUT = 10_000;
const MAX_REDIRECTS = 5;
const BODILESS_STATUSES = new Set([204, 205, 304]);

interface GuardedFetchInit {
  readonly method?: string;
  readonly headers?: unknown;
  readonly body?: unknown;
}

/**
 * Requests to authorization servers: guarded, bounded, and ended with the signal. Redirects of a GET are followed, and no
 * others. Rejects with `auth/unreachable`, `auth/redirected`, `auth/unsafe-url`, `auth/too-large`, `auth/timeout`.
 */
export type GuardedFetch = (url: string, init?: GuardedFetchInit, signal?: AbortSignal) => Promise<Response>;

export function createGuardedFetch(fetchLike: AuthFetch, guard: UrlGuard, clock: Clock): GuardedFetch {
  return async (requestedUrl, init = {}, callerSignal) => {
    const { method = 'GET' } = init;
    const controller = new AbortController();
    const onAbort = () => controller.abort(callerSignal?.reason);
    if (callerSignal?.aborted) onAbort();
    callerSignal?.addEventListener('abort', onAbort);
    const timeoutError = new TenonError('auth/timeout', `no answer within ${FETCH_TIMEOUT} ms`, {
      peer: redactUrl(requestedUrl),
    });
    const cancelTimeout = clock.after(FETCH_TIMEOUT, () => controller.abort(timeoutError), { hold: true });
    const { signal } = controller;
    try {
      let url = guard.check(requestedUrl, 'a URL of the authorization');
      for (let hops = 0; ; hops += 1) {
        const body = init.body === undefined || init.body === null ? {} : { body: String(init.body) };
        const request = { method, headers: init.headers as Record<string, string>, ...body, signal };
        const response = await fetchLike(url.href, { ...request, redirect: 'manual' }, guard);
        if (!isRedirect(response)) return await readWholeResponse(response, url);
        void response.body?.getReader().cancel();
        url = resolveRedirect(response, url, method, hops, guard);
      }
    } catch (error) {
      throw toFetchError(signal.aborted ? signal.reason : error, requestedUrl);
    } finally {
      cancelTimeout();
      callerSignal?.removeEventListener('abort', onAbort);
    }
  };
}

function isRedirect({ status, type }: AuthFetchResponse): boolean {
  return type === 'opaqueredirect' || (status >= 301 && status <= 308 && status !== 304);
}

/** Resolves a redirect by the same rules as the first URL. What is sent by POST goes nowhere else. */
function resolveRedirect(
  response: AuthFetchResponse,
  fromUrl: URL,
  method: string,
  hops: number,
  guard: UrlGuard,
): URL {
  const location = response.headers.get('location');
  const createRedirectError = (reason: string) =>
    new TenonError('auth/redirected', reason, {
      peer: redactUrl(fromUrl.href),
      hint: 'have the server name the final URL',
    });
  if (method !== 'GET') throw createRedirectError('what holds credentials is not sent after a redirect');
  if (location === null) throw createRedirectError('a redirect leads nowhere');
  if (hops >= MAX_REDIRECTS) throw createRedirectError(`there are more than ${MAX_REDIRECTS} redirects`);
  const url = guard.check(resolveLocation(location, fromUrl), 'the target of a redirect');
  if (fromUrl.protocol === 'https:' && url.protocol !== 'https:')
    throw createRedirectError('a redirect leads from https: to http:');
  return url;
}

function resolveLocation(location: string, from: URL): string {
  try {
    return new URL(location, from).href;
  } catch {
    return location;
  }
}

/** A copy whose body has come in full: nothing is left to wait for, whoever reads it. */
async function readWholeResponse(response: AuthFetchResponse, url: URL): Promise<Response> {
  const headers = new Headers();
  response.headers.forEach((value, name) => headers.append(name, value));
  const text = response.body === null ? '' : await readText(response.body.getReader(), url);
  return new Response(BODILESS_STATUSES.has(response.status) ? null : text, { status: response.status, headers });
}

async function readText(reader: ResponseReader, url: URL): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for (let size = 0; ; ) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    const chunk = value as Uint8Array;
    size += chunk.length;
    if (size > MAX_BODY_BYTES) {
      void reader.cancel().catch(() => {});
      throw new TenonError('auth/too-large', `an answer of more than ${MAX_BODY_BYTES} bytes`, {
        peer: redactUrl(url.href),
      });
    }
    text += decoder.decode(chunk, { stream: true });
  }
}

/** Takes over what kind of failure it was and no more: errors of HTTP clients carry the request along. */
function toFetchError(error: unknown, url: string): TenonError {
  if (TenonError.is(error)) return error;
  const { cause } = error instanceof Error ? error : { cause: undefined };
  const code = [error, cause]
    .map(each => (each as { code?: unknown } | undefined)?.code)
    .find(each => typeof each === 'string');
  const received = code === undefined ? undefined : String(code).slice(0, 60);
  return new TenonError('auth/unreachable', 'there was no answer', { peer: redactUrl(url), received });
}

/** A URL as errors show it: without its query, where there may be secrets. */
export function redactUrl(url: string): string {
  try {
    const { origin, pathname } = new URL(url);
    return (origin + pathname).slice(0, 200);
  } catch {
    return 'an address that is none';
  }
}
