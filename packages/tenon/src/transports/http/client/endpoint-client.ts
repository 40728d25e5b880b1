import { type AbortSignalLike, addUrlScheme, parseUrl, systemClock, TenonError } from '@tenon/base';
import { createAbortError, toRequestError } from './errors.js';
import type { HeaderRecord, HttpClientOptions } from './options.js';
import { createRequestAuth, toLowerCaseNames, wrapAuthError } from './request-auth.js';
import type { HttpReply, HttpRequest } from './requester.js';

/** Maximum number of redirects for one request. */
const MAX_REDIRECTS = 5;
/** Maximum number of bytes of an unwanted body that are read to keep the connection. */
const MAX_DRAINED = 65_536;

const NO_HEADERS: HeaderRecord = {};

export interface EndpointRequest {
  readonly method: HttpRequest['method'];
  /** Headers by lower-case name. They take precedence over the headers of the user. */
  readonly headers: Record<string, string>;
  readonly body?: string | undefined;
  readonly signal: AbortSignalLike;
  /** URL of the request, if it is not that of the endpoint. It must have the same origin. */
  readonly url?: string;
}

/** Sends requests to one server, with the user's headers, the sign-in, and redirects. */
export interface EndpointClient {
  readonly peer: string;
  readonly url: string;
  /** Resolves with any response of the server. Rejects with a `TenonError` when there was none. */
  request(request: EndpointRequest): Promise<HttpReply>;
}

/** One attempt and its reply. */
interface Attempt {
  readonly reply: HttpReply;
  /** Headers of the sign-in that were sent. */
  readonly sent: HeaderRecord;
  readonly url: string;
}

export function createEndpointClient(url: string | URL, options: HttpClientOptions): EndpointClient {
  const endpoint = readUrl(url);
  const peer = endpoint.origin + endpoint.pathname;
  const configuredHeaders = typeof options.headers === 'object' ? toLowerCaseNames(options.headers) : options.headers;

  const { auth, clock = systemClock, onSigningIn = () => {}, onUnauthorized } = options;
  const requestAuth = auth && createRequestAuth(auth, { server: endpoint.href, peer, clock, onSigningIn });

  const rethrow = (error: unknown): never => {
    throw toRequestError(error, peer, endpoint.href);
  };

  const attempt = async (request: EndpointRequest): Promise<Attempt> => {
    const userHeaders =
      typeof configuredHeaders === 'function'
        ? await wrapAuthError(async () => toLowerCaseNames(await configuredHeaders()), peer, 'the `headers` function')
        : configuredHeaders;
    const { method, body, signal } = request;
    let url = request.url ?? endpoint.href;
    for (let hops = 0; ; hops += 1) {
      const sent = requestAuth ? await requestAuth.getHeaders({ method, url, signal }) : NO_HEADERS;
      const headers =
        userHeaders || requestAuth ? Object.assign({}, userHeaders, sent, request.headers) : request.headers;
      const reply = await options.requester({ method, url, headers, body, signal }).catch(rethrow);
      reply.hadToken = headers.authorization !== undefined;
      const { status } = reply;
      // In browsers a redirect is opaque and its status is 0.
      const isRedirect = status === 0 || (status >= 301 && status <= 308 && status !== 304);
      if (!isRedirect) return { reply, sent, url };
      const next = hops < MAX_REDIRECTS ? resolveRedirect(reply, method, url) : undefined;
      if (next === undefined) return throwRedirectError(reply, peer);
      await drain(reply);
      url = next;
    }
  };

  const request = async (request: EndpointRequest): Promise<HttpReply> => {
    const { signal } = request;
    const triedStatuses: number[] = [];
    try {
      for (let retries = 0; ; retries += 1) {
        if (signal.aborted) throw createAbortError(signal, peer);
        const { reply, sent, url } = await attempt(request);
        const { status } = reply;
        try {
          if (!(requestAuth && (await requestAuth.shouldRetry(reply, { request, sent, url, retries })))) {
            if ((status !== 401 && status !== 403) || !onUnauthorized || triedStatuses.includes(status)) return reply;
            triedStatuses.push(status);
            const header = (name: string) => reply.header(name);
            if (!(await wrapAuthError(() => onUnauthorized({ status, url: peer, header }), peer))) return reply;
          }
        } catch (error) {
          reply.cancel();
          throw error;
        }
        await drain(reply);
      }
    } catch (error) {
      throw signal.aborted ? createAbortError(signal, peer) : error;
    }
  };

  return { peer, url: endpoint.href, request };
}

function readUrl(input: string | URL): URL {
  const createUrlError = (reason: string, hint: string) => new TenonError('http/bad-url', reason, { hint });
  const completed = typeof input === 'string' ? addUrlScheme(input) : undefined;
  if (completed !== undefined)
    throw createUrlError(
      'a URL without http:// or https:// at its start',
      `write ${completed.split('?')[0]}, or pass { command, args } to start a program`,
    );
  const url = parseUrl(input);
  if (!url)
    throw createUrlError(
      'invalid URL',
      'pass an absolute URL, such as http://127.0.0.1:3000/mcp, or { command, args } to start a program',
    );
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw createUrlError(`unsupported URL scheme ${url.protocol}`, 'pass an http: or https: URL');
  }
  if (url.username || url.password)
    throw createUrlError('the URL contains credentials', 'pass them in headers: { authorization: … }');
  url.hash = '';
  return url;
}

/** Statuses that keep the method and the body. A GET has no body, so it keeps its method with any of the others too. */
const KEEPING_STATUSES: ReadonlySet<number> = new Set([307, 308]);
const GET_STATUSES: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * Returns the target of a redirect if the same request can be sent to it. The target must have the same origin, because
 * credentials must not reach another one.
 */
function resolveRedirect(reply: HttpReply, method: string, from: string): string | undefined {
  const statuses = method === 'GET' ? GET_STATUSES : KEEPING_STATUSES;
  const location = statuses.has(reply.status) ? reply.header('location') : undefined;
  const target = location === undefined ? undefined : parseUrl(location, from);
  if (target === undefined || target.username || target.password) return undefined;
  return target.origin === new URL(from).origin ? target.href : undefined;
}

function throwRedirectError(reply: HttpReply, peer: string): never {
  const { status } = reply;
  const target = parseUrl(reply.header('location') ?? '', peer);
  const isOtherUrl = target !== undefined && target.href !== peer;
  // Credentials, query and fragment may contain secrets.
  if (isOtherUrl) Object.assign(target, { username: '', password: '', search: '', hash: '' });
  const received = isOtherUrl ? `a redirect to ${target.href}` : 'a redirect';
  reply.cancel();
  const hint = 'connect to the final URL directly if you trust it, because credentials are not sent after a redirect';
  throw new TenonError('http/redirected', 'the server answered with a redirect', { peer, status, received, hint });
}

/** Reads and discards the body, so that the connection can be reused. */
export async function drain(reply: HttpReply): Promise<void> {
  await reply.text(MAX_DRAINED).catch(() => {});
}

export function getMediaType(reply: HttpReply): string | undefined {
  return reply.header('content-type')?.split(';', 1)[0]?.trim().toLowerCase();
}

export function isSuccess({ status }: HttpReply): boolean {
  return status >= 200 && status < 300;
}

export function isEventStream(reply: HttpReply, type = getMediaType(reply)): boolean {
  return reply.status === 200 && type === 'text/event-stream';
}
