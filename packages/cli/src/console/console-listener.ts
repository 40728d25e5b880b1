import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { decodePathPart, describeInexactInteger, findInexactInteger, isObject, type JsonObject } from '@tenon/base';
import { writeJson } from '@tenon/base/writers';
import type { PageRole } from '@tenon/console/api';
import { TenonError } from 'tenon';
import { createHttpServer, startListening } from '../http/listen.js';
import { readBounded, SizeLimitError } from '../http/read-bounded.js';
import type { WriteEvent } from './change-feed.js';
import type { ApiRequest } from './console-api.js';
import { createErrorView } from './console-calls.js';
import type { PageFile } from './page-files.js';
import { isReading } from './read-only.js';
import { createRequestGuard, createSecurityHeaders, type Refusal } from './request-guard.js';

/** Maximum size of a request of the page, in bytes. A form may contain a file. */
const MAX_REQUEST = 20_000_000;
const LOOPBACK = '127.0.0.1';
/** Beginning of the paths that need the token. */
const API = '/api/';

const READ_ONLY: Refusal = {
  status: 403,
  message: 'This page is read-only: open the address of the operator that the command printed',
};

/** Serves the content of a console. */
export interface ListenerParts {
  readonly files: ReadonlyMap<string, PageFile>;
  /** Returns the origin of the frames of apps. `undefined`: no app was opened yet. */
  getFrameOrigin?(): string | undefined;
  respond(request: ApiRequest): Promise<unknown>;
  /** Writes events until the signal is aborted. */
  sendEvents(after: number, write: WriteEvent, signal: AbortSignal, role: PageRole): Promise<void>;
}

/** The HTTP listener of a console. */
export interface ConsoleListener {
  /** Address with the token, for the user. */
  readonly url: string;
  /** Address with the token of pages that change nothing. */
  readonly readOnlyUrl: string;
  /** Origins at which a browser may have the page. */
  readonly origins: readonly string[];
  close(): Promise<void>;
}

/** Listens on loopback. Each request must come from the page, and each one of the API must have the token. */
export async function listenForPage(parts: ListenerParts, port: number, portOption: string): Promise<ConsoleListener> {
  let bound = port;
  const guard = createRequestGuard(() => bound);
  const streams = new Set<AbortController>();
  const page = parts.files.get('/index.html')?.content.toString() ?? '';
  const createHeaders = (frameOrigin?: string) => ({
    frameOrigin,
    entries: Object.entries(createSecurityHeaders(page, frameOrigin)),
  });
  let headers = createHeaders();
  const server = createHttpServer((request, response) => {
    const frameOrigin = parts.getFrameOrigin?.();
    if (frameOrigin !== headers.frameOrigin) headers = createHeaders(frameOrigin);
    for (const [name, value] of headers.entries) response.setHeader(name, value);
    const { path, query } = splitAddress(request.url ?? '/');
    const refusal = guard.checkSource(request.headers);
    if (refusal) return refuse(response, refusal);
    if (!path.startsWith(API)) return sendFile(parts.files, request, response, path);
    response.setHeader('cache-control', 'no-store');
    const role = guard.checkToken(request.headers);
    if (typeof role === 'object') return refuse(response, role);
    const place = path.slice(API.length);
    if (role === 'read-only' && !isReading(request.method, place)) return refuse(response, READ_ONLY);
    if (place === 'events' && request.method === 'GET') {
      const ending = new AbortController();
      streams.add(ending);
      const after = Number(query.get('after') ?? 0) || 0;
      void sendStream(parts, response, { after, role }, ending).finally(() => streams.delete(ending));
      return;
    }
    void respondFromApi(parts, request, response, place, query);
  });
  const origin = await startListening(server, port, LOOPBACK, { port: portOption });
  bound = (server.address() as AddressInfo).port;
  return {
    url: `${origin}/#token=${guard.token}`,
    readOnlyUrl: `${origin}/#token=${guard.readOnlyToken}`,
    origins: guard.listOrigins(),
    async close() {
      for (const ending of streams) ending.abort();
      const closed = new Promise<void>(resolve => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Splits the address of a request. It is not parsed as a URL, because any page can send one that is none: `//`. */
function splitAddress(address: string): { readonly path: string; readonly query: URLSearchParams } {
  const [path = ''] = address.split('?', 1);
  return { path, query: new URLSearchParams(address.slice(path.length)) };
}

function sendFile(
  files: ListenerParts['files'],
  { method }: IncomingMessage,
  response: ServerResponse,
  path: string,
): void {
  if (method !== 'GET' && method !== 'HEAD') {
    response.setHeader('allow', 'GET, HEAD');
    return refuse(response, { status: 405, message: 'expected GET' });
  }
  // Each address of a view is served by the same page.
  const file = files.get(path) ?? (path.startsWith('/assets/') ? undefined : files.get('/index.html'));
  if (!file) return refuse(response, { status: 404, message: 'not found' });
  response.writeHead(200, {
    'content-type': file.type,
    'content-length': file.content.length,
    'cache-control': file.isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache',
  });
  response.end(method === 'HEAD' ? undefined : file.content);
}

function refuse(response: ServerResponse, { status, message }: Refusal): void {
  sendJson(response, status, { error: { code: `http/${status}`, cause: message } });
}

function sendJson(response: ServerResponse, status: number, value: unknown): void {
  const body = Buffer.from(writeJson(value));
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', 'content-length': body.length });
  response.end(body);
}

async function respondFromApi(
  { respond }: ListenerParts,
  request: IncomingMessage,
  response: ServerResponse,
  place: string,
  query: URLSearchParams,
): Promise<void> {
  try {
    const path = place.split('/').map(decodePathPart);
    const body = request.method === 'POST' ? await readBody(request) : {};
    sendJson(response, 200, (await respond({ method: request.method ?? '', path, query, body })) ?? {});
  } catch (thrown) {
    const error = createErrorView(TenonError.from(thrown));
    sendJson(response, error.code === 'console/not-found' ? 404 : 400, { error });
  }
}

async function readBody(request: IncomingMessage): Promise<JsonObject> {
  if (!request.headers['content-type']?.startsWith('application/json'))
    throw new TenonError('console/request', 'the request has another content type', { expected: 'application/json' });
  const text = await readBounded(request, MAX_REQUEST).catch(error => {
    if (!(error instanceof SizeLimitError)) throw error;
    throw new TenonError('console/request', `body: expected at most ${MAX_REQUEST} bytes`);
  });
  const integer = findInexactInteger(text);
  if (integer !== undefined)
    throw new TenonError('console/request', `body: the integer ${describeInexactInteger(integer)}`, {
      expected: 'an integer from -9007199254740991 to 9007199254740991',
    });
  const body: unknown = JSON.parse(text || '{}');
  if (isObject(body)) return body;
  throw new TenonError('console/request', 'body: expected a JSON object');
}

/** Writes events as lines of JSON, as fast as the page reads them. */
async function sendStream(
  { sendEvents }: ListenerParts,
  response: ServerResponse,
  { after, role }: { readonly after: number; readonly role: PageRole },
  ending: AbortController,
): Promise<void> {
  response.once('close', () => ending.abort());
  response.writeHead(200, { 'content-type': 'application/x-ndjson; charset=utf-8' });
  const write: WriteEvent = async event => {
    if (ending.signal.aborted || response.write(`${writeJson(event)}\n`)) return;
    await new Promise<void>(resolve => {
      const resume = () => {
        response.off('drain', resume);
        ending.signal.removeEventListener('abort', resume);
        resolve();
      };
      response.once('drain', resume);
      ending.signal.addEventListener('abort', resume, { once: true });
    });
  };
  await sendEvents(after, write, ending.signal, role);
  response.end();
}
