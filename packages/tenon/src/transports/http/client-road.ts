import { systemClock } from '../../jsonrpc/clock.js';
import { TenonError } from '../../jsonrpc/error.js';
import type { Signal } from '../../jsonrpc/recall.js';
import { createSigning } from './client-auth.js';
import { abortError, requestError } from './client-errors.js';
import type { EndpointOptions, HeaderRecord, Refusal } from './client-options.js';
import type { HttpReply, HttpRequest } from './requester.js';

/** Redirects that one request follows. */
const MAX_REDIRECTS = 5;
/** How much of an unwanted body is read to keep the connection, in bytes. */
const MAX_DRAINED = 65_536;

const NONE: HeaderRecord = {};

export interface RoadRequest {
  readonly method: HttpRequest['method'];
  /** Lower-case names. They win over the user's. */
  readonly headers: Record<string, string>;
  readonly body?: string | undefined;
  readonly signal: Signal;
  /** Where to, when it is not the endpoint itself. Of the same origin. */
  readonly url?: string;
}

/** Requests to one server: with the user's headers, sign-in and redirects seen to. */
export interface Road {
  readonly peer: string;
  readonly url: string;
  /** Resolves with whatever the server answered. Rejects with a `TenonError` when it answered nothing. */
  request(request: RoadRequest): Promise<HttpReply>;
}

/** What one attempt came to, and how it was made. */
interface Attempt {
  readonly reply: HttpReply;
  /** The headers of the sign-in. */
  readonly sent: HeaderRecord;
  readonly url: string;
}

export function createRoad(url: string | URL, options: EndpointOptions): Road {
  const endpoint = readUrl(url);
  const peer = endpoint.origin + endpoint.pathname;
  const own = typeof options.headers === 'object' ? lowerCase(options.headers) : options.headers;

  const { auth, clock = systemClock, onSigningIn = () => {} } = options;
  const signing = auth && createSigning(auth, { server: endpoint.href, peer, clock, onSigningIn });

  const failed = (error: unknown): never => {
    throw requestError(error, peer, endpoint.href);
  };

  const attempt = async (request: RoadRequest): Promise<Attempt> => {
    const ours = typeof own === 'function' ? await askFor(own, peer) : own;
    const { method, body, signal } = request;
    let url = request.url ?? endpoint.href;
    for (let hops = 0; ; hops += 1) {
      const sent = signing ? await signing.headers({ method, url, signal }) : NONE;
      const headers = ours || signing ? Object.assign({}, ours, sent, request.headers) : request.headers;
      const reply = await options.requester({ method, url, headers, body, signal }).catch(failed);
      if (!isRedirect(reply)) return { reply, sent, url };
      const next = hops < MAX_REDIRECTS ? redirect(reply, url) : undefined;
      if (next === undefined) return turnDown(reply, peer);
      await drain(reply);
      url = next;
    }
  };

  const request = async (request: RoadRequest): Promise<HttpReply> => {
    const { signal } = request;
    const tried: number[] = [];
    try {
      for (let repeats = 0; ; repeats += 1) {
        if (signal.aborted) throw abortError(signal, peer);
        const { reply, sent, url } = await attempt(request);
        const again =
          (signing && (await signing.mayRepeat(reply, { request, sent, url, repeats }))) ||
          (isDenied(reply) && (await mayRepeat(reply, peer, options.onUnauthorized, tried)));
        if (!again) return reply;
        await drain(reply);
      }
    } catch (error) {
      throw signal.aborted ? abortError(signal, peer) : error;
    }
  };

  return { peer, url: endpoint.href, request };
}

function readUrl(given: string | URL): URL {
  const bad = (why: string, next: string) => new TenonError('http/bad-url', why, { next });
  let url: URL;
  try {
    url = new URL(given);
  } catch {
    throw bad('this is not a URL', 'give an absolute one: http://127.0.0.1:3000/mcp');
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw bad(`a URL of ${url.protocol} can not be reached over HTTP`, 'give one of http: or https:');
  }
  if (url.username || url.password)
    throw bad('the URL holds credentials', 'give them in headers: { authorization: … }');
  url.hash = '';
  return url;
}

/** `fetch` joins two spellings of one name; so there is only one. */
function lowerCase(headers: HeaderRecord): Record<string, string> {
  const lower: Record<string, string> = {};
  for (const name of Object.keys(headers)) lower[name.toLowerCase()] = headers[name] as string;
  return lower;
}

async function askFor(own: () => HeaderRecord | Promise<HeaderRecord>, peer: string): Promise<HeaderRecord> {
  try {
    return lowerCase(await own());
  } catch (error) {
    throw TenonError.is(error)
      ? error
      : new TenonError('auth/failed', 'no headers could be had', { peer, cause: error });
  }
}

type Denied = HttpReply & { readonly status: Refusal['status'] };

function isDenied(reply: HttpReply): reply is Denied {
  return reply.status === 401 || reply.status === 403;
}

async function mayRepeat(
  reply: Denied,
  peer: string,
  onUnauthorized: EndpointOptions['onUnauthorized'],
  tried: number[],
): Promise<boolean> {
  const { status } = reply;
  if (!onUnauthorized || tried.includes(status)) return false;
  tried.push(status);
  const facts: Refusal = { status, url: peer, header: name => reply.header(name) };
  try {
    return await onUnauthorized(facts);
  } catch (error) {
    reply.cancel();
    throw TenonError.is(error) ? error : new TenonError('auth/failed', 'signing in failed', { peer, cause: error });
  }
}

/** Opaque to a browser, where the status of a redirect reads 0. */
function isRedirect({ status }: HttpReply): boolean {
  return status === 0 || (status >= 301 && status <= 308 && status !== 304);
}

/** Where to go on, when that is the same request to the same origin: credentials must not follow anywhere else. */
function redirect(reply: HttpReply, from: string): string | undefined {
  const location = reply.status === 307 || reply.status === 308 ? reply.header('location') : undefined;
  const target = location === undefined ? undefined : resolve(location, from);
  return target?.origin === new URL(from).origin ? target.href : undefined;
}

function resolve(location: string, from: string): URL | undefined {
  try {
    const url = new URL(location, from);
    return url.username || url.password ? undefined : url;
  } catch {
    return undefined;
  }
}

function turnDown(reply: HttpReply, peer: string): never {
  const { status } = reply;
  const target = resolve(reply.header('location') ?? '', peer);
  const got = target && target.href !== peer ? `a redirect to ${target.origin}${target.pathname}` : 'a redirect';
  reply.cancel();
  const next = 'connect to the final address yourself if you trust it: credentials are not sent after a redirect';
  throw new TenonError('http/redirected', 'the server sends us elsewhere', { peer, status, got, next });
}

/** Reads what nobody needs, so that the connection can serve again. */
export async function drain(reply: HttpReply): Promise<void> {
  await reply.text(MAX_DRAINED).catch(() => {});
}

export function mediaType(reply: HttpReply): string | undefined {
  return reply.header('content-type')?.split(';', 1)[0]?.trim().toLowerCase();
}

export function isSuccess({ status }: HttpReply): boolean {
  return status >= 200 && status < 300;
}

export function isEventStream(reply: HttpReply, type = mediaType(reply)): boolean {
  return reply.status === 200 && type === 'text/event-stream';
}
