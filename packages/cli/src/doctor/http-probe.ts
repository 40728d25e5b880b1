import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { version } from 'tenon';
import { findProxyRoute } from 'tenon/node';

/** Raw request of the doctor. */
export interface ProbeRequest {
  /** @default `POST` with a body, else `GET` */
  readonly method?: string;
  /** @default the URL of the server */
  readonly url?: string | URL;
  /** Headers by lower-case names. `undefined` removes a default. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** JSON value, or a text that is sent unchanged. */
  readonly body?: unknown;
  /**
   * Ends the request after the headers of the response.
   * @default `false`
   */
  readonly headersOnly?: boolean;
  /** Called with each SSE event of the body. The request ends when it resolves with true. */
  readonly onEvent?: (event: EventSourceMessage) => Promise<boolean>;
}

/** Response to a raw request. */
export interface ProbeResponse {
  readonly status: number;
  /** Media type of `Content-Type`, in lower case. `''` if there is none. */
  readonly mediaType: string;
  header(name: string): string | undefined;
  /** All headers, by lower-case names. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly text: string;
  /** JSON-RPC messages of the body. */
  readonly messages: readonly Readonly<Record<string, unknown>>[];
  /** IDs of the SSE events of the body. */
  readonly eventIds: readonly string[];
}

/** Sends raw requests, and never follows redirects. Rejects if there is no response. */
export type HttpProbe = (request?: ProbeRequest) => Promise<ProbeResponse>;

export interface HttpProbeOptions {
  readonly url: URL;
  /** Returns headers for every request. */
  readonly getHeaders: (method: string, url: string) => Promise<Readonly<Record<string, string>>>;
  /** Maximum time of one request, in milliseconds. */
  readonly timeout: number;
  /**
   * Rejects a certificate that is not trusted. Only false for requests without headers and tokens of the user, because
   * the peer may be an attacker.
   */
  readonly verify: boolean;
  /** Called with each request before it is sent. The request waits for the returned promise. */
  readonly onSend?: ((request: SentProbe) => Promise<void>) | undefined;
}

/** A raw request as it is sent. */
export interface SentProbe {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** Maximum number of characters of a body that are read. */
const MAX_BODY = 1_000_000;

const ACCEPT_BOTH = 'application/json, text/event-stream';

/** Creates a probe for a URL. It uses `node:http` because `fetch` cannot set `Host`. */
export function createHttpProbe({ url, getHeaders, timeout, verify, onSend }: HttpProbeOptions): HttpProbe {
  return async (request = {}) => {
    const target = new URL(request.url ?? url);
    const method = request.method ?? (request.body === undefined ? 'GET' : 'POST');
    const body = serializeBody(request.body);
    const headers = removeUndefined({
      accept: method === 'GET' ? 'text/event-stream' : ACCEPT_BOTH,
      'user-agent': `tenon-doctor/${version}`,
      ...(body === undefined
        ? {}
        : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }),
      ...(await getHeaders(method, target.href)),
      ...request.headers,
    });
    await onSend?.({ method, url: target.href, headers, body });
    return sendProbe(target, {
      method,
      headers,
      body,
      timeout,
      verify,
      headersOnly: request.headersOnly ?? false,
      onEvent: request.onEvent,
    });
  };
}

interface RawRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly timeout: number;
  readonly verify: boolean;
  readonly headersOnly: boolean;
  readonly onEvent: ProbeRequest['onEvent'];
}

async function sendProbe(
  url: URL,
  { method, headers, body, timeout, verify, ...reading }: RawRequest,
): Promise<ProbeResponse> {
  const route = await findProxyRoute(url);
  const send = route?.send ?? (url.protocol === 'https:' ? requestHttps : requestHttp);
  return new Promise((resolve, reject) => {
    const outgoing = send(
      url,
      {
        method,
        agent: false,
        ...route?.options,
        headers: { ...headers, ...route?.headers },
        rejectUnauthorized: verify,
      },
      response => {
        readResponse(response, reading).then(resolve, reject).finally(stop);
      },
    );
    const timer = setTimeout(() => outgoing.destroy(new Error(`no response within ${timeout} ms`)), timeout);
    const stop = () => {
      clearTimeout(timer);
      outgoing.destroy();
    };
    outgoing.on('error', error => {
      clearTimeout(timer);
      reject(error);
    });
    outgoing.end(body);
  });
}

/** Reads a response until its end, or until the JSON-RPC response in a stream that stays open. */
async function readResponse(
  response: IncomingMessage,
  { headersOnly, onEvent }: Pick<RawRequest, 'headersOnly' | 'onEvent'>,
): Promise<ProbeResponse> {
  const mediaType = (response.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  const isStream = mediaType === 'text/event-stream';
  let text = '';
  const events: EventSourceMessage[] = [];
  const messages: Record<string, unknown>[] = [];
  if (!headersOnly) {
    const parser = createParser({ onEvent: event => events.push(event) });
    /** Tells if the part of the stream has the last event that is needed. */
    const readPart = async (part: string): Promise<boolean> => {
      const known = events.length;
      parser.feed(part);
      for (const event of events.slice(known)) {
        const received = parseMessages(event.data);
        messages.push(...received);
        if (received.some(({ id, method }) => id !== undefined && !method) || (await onEvent?.(event))) return true;
      }
      return false;
    };
    response.setEncoding('utf8');
    try {
      for await (const chunk of response) {
        text += chunk;
        if ((isStream && (await readPart(chunk))) || text.length > MAX_BODY) break;
      }
    } catch (error) {
      // A stream that stays open ends by the timeout. Its first part is enough.
      if (text === '') throw error;
    }
  }
  return {
    status: response.statusCode ?? 0,
    mediaType,
    headers: Object.entries(response.headers).map(([name, value]) => [name, [value].flat().join(', ')]),
    header: name => [response.headers[name]].flat().join(', ') || undefined,
    text,
    messages: isStream ? messages : parseMessages(text),
    eventIds: events.flatMap(({ id }) => (id === undefined || id === '' ? [] : [id])),
  };
}

function parseMessages(text: string): Record<string, unknown>[] {
  try {
    return [JSON.parse(text)].flat().filter(each => typeof each === 'object' && each !== null);
  } catch {
    return [];
  }
}

const serializeBody = (body: unknown): string | undefined =>
  typeof body === 'string' || body === undefined ? body : JSON.stringify(body);

function removeUndefined(headers: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
