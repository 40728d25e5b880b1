import type { Clock } from '../jsonrpc/clock.js';
import { TenonError } from '../jsonrpc/error.js';
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
) => Promise<FetchedReply>;

/** The part of a `fetch` response that is used. */
export interface FetchedReply {
  readonly status: number;
  readonly type?: string | undefined;
  readonly headers: { get(name: string): string | null; forEach(each: (value: string, name: string) => void): void };
  readonly body: { getReader(): ReplyReader } | null;
}

interface ReplyReader {
  read(): Promise<{ done: boolean; value?: unknown }>;
  cancel(): Promise<void>;
}

/** Answers of authorization servers, in bytes. */
const MAX_BODY = 256 * 1024;
/** Until an answer is whole, in milliseconds. */
const TIME_LIMIT = 10_000;
const MAX_REDIRECTS = 5;
const BODILESS = new Set([204, 205, 304]);

interface Init {
  readonly method?: string;
  readonly headers?: unknown;
  readonly body?: unknown;
}

/**
 * Requests to authorization servers: guarded, bounded, and ended with the signal. Redirects of a GET are followed, and no
 * others. Rejects with `auth/unreachable`, `auth/redirected`, `auth/unsafe-url`, `auth/too-large`, `auth/timeout`.
 */
export type GuardedFetch = (url: string, init?: Init, signal?: AbortSignal) => Promise<Response>;

export function createGuardedFetch(fetchLike: AuthFetch, guard: UrlGuard, clock: Clock): GuardedFetch {
  return async (given, init = {}, wish) => {
    const { method = 'GET' } = init;
    const controller = new AbortController();
    const abort = () => controller.abort(wish?.reason);
    if (wish?.aborted) abort();
    wish?.addEventListener('abort', abort);
    const slow = new TenonError('auth/timeout', `no answer within ${TIME_LIMIT} ms`, { peer: shown(given) });
    const callOff = clock.after(TIME_LIMIT, () => controller.abort(slow), { hold: true });
    const { signal } = controller;
    try {
      let url = guard.check(given, 'a URL of the authorization');
      for (let hops = 0; ; hops += 1) {
        const body = init.body === undefined || init.body === null ? {} : { body: String(init.body) };
        const sent = { method, headers: init.headers as Record<string, string>, ...body, signal };
        const reply = await fetchLike(url.href, { ...sent, redirect: 'manual' }, guard);
        if (!isRedirect(reply)) return await whole(reply, url);
        void reply.body?.getReader().cancel();
        url = next(reply, url, method, hops, guard);
      }
    } catch (error) {
      throw fault(signal.aborted ? signal.reason : error, given);
    } finally {
      callOff();
      wish?.removeEventListener('abort', abort);
    }
  };
}

function isRedirect({ status, type }: FetchedReply): boolean {
  return type === 'opaqueredirect' || (status >= 301 && status <= 308 && status !== 304);
}

/** Where a redirect leads, by the same rules as the first URL. What is sent by POST goes nowhere else. */
function next(reply: FetchedReply, from: URL, method: string, hops: number, guard: UrlGuard): URL {
  const location = reply.headers.get('location');
  const refuse = (why: string) =>
    new TenonError('auth/redirected', why, { peer: shown(from.href), next: 'have the server name the final URL' });
  if (method !== 'GET') throw refuse('what holds credentials is not sent after a redirect');
  if (location === null) throw refuse('a redirect leads nowhere');
  if (hops >= MAX_REDIRECTS) throw refuse(`there are more than ${MAX_REDIRECTS} redirects`);
  const url = guard.check(resolve(location, from), 'the target of a redirect');
  if (from.protocol === 'https:' && url.protocol !== 'https:') throw refuse('a redirect leads from https: to http:');
  return url;
}

function resolve(location: string, from: URL): string {
  try {
    return new URL(location, from).href;
  } catch {
    return location;
  }
}

/** A copy whose body has come in full: nothing is left to wait for, whoever reads it. */
async function whole(reply: FetchedReply, url: URL): Promise<Response> {
  const headers = new Headers();
  reply.headers.forEach((value, name) => headers.append(name, value));
  const text = reply.body === null ? '' : await readText(reply.body.getReader(), url);
  return new Response(BODILESS.has(reply.status) ? null : text, { status: reply.status, headers });
}

async function readText(reader: ReplyReader, url: URL): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for (let size = 0; ; ) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    const chunk = value as Uint8Array;
    size += chunk.length;
    if (size > MAX_BODY) {
      void reader.cancel().catch(() => {});
      throw new TenonError('auth/too-large', `an answer of more than ${MAX_BODY} bytes`, { peer: shown(url.href) });
    }
    text += decoder.decode(chunk, { stream: true });
  }
}

/** Takes over what kind of failure it was and no more: errors of HTTP clients carry the request along. */
function fault(error: unknown, url: string): TenonError {
  if (TenonError.is(error)) return error;
  const { cause } = error instanceof Error ? error : { cause: undefined };
  const code = [error, cause]
    .map(one => (one as { code?: unknown } | undefined)?.code)
    .find(one => typeof one === 'string');
  const got = code === undefined ? undefined : String(code).slice(0, 60);
  return new TenonError('auth/unreachable', 'there was no answer', { peer: shown(url), got });
}

/** A URL as errors show it: without its query, where there may be secrets. */
export function shown(url: string): string {
  try {
    const { origin, pathname } = new URL(url);
    return (origin + pathname).slice(0, 200);
  } catch {
    return 'an address that is none';
  }
}
