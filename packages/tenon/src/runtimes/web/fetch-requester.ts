import { getCertificateAdvice, TenonError, toAbortSignal } from '@tenon/base';
import { createHeaderError } from '../../transports/http/client/errors.js';
import type { FetchBody, FetchLike, FetchReader, FetchResponse } from '../../transports/http/client/fetch-like.js';
import type { HttpReply, Requester } from '../../transports/http/client/requester.js';

/** Creates an HTTP client with `fetch`. */
export function createFetchRequester(fetchLike: FetchLike = (url, init) => fetch(url, init)): Requester {
  return async ({ url, method, headers, body, signal }) => {
    try {
      const response = await fetchLike(url, {
        method,
        headers,
        // Redirects are left to the caller, because `fetch` would send all headers except `authorization` to another origin.
        redirect: 'manual',
        ...(body === undefined ? undefined : { body }),
        ...(signal === undefined ? undefined : { signal: toAbortSignal(signal) }),
      });
      return toHttpReply(response);
    } catch (error) {
      throw toFetchError(error);
    }
  };
}

/**
 * Matches errors of Node, Bun and Deno for a connection that was never established. Browsers do not distinguish them.
 */
const NEVER_CONNECTED =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ConnectionRefused|UND_ERR_CONNECT_TIMEOUT)$/;

function toFetchError(error: unknown): TenonError {
  const { cause, message } = error instanceof Error ? error : new Error(String(error));
  const codes = [error, cause].map(one => (one as { code?: unknown } | undefined)?.code);
  const code = codes.find(one => typeof one === 'string' && NEVER_CONNECTED.test(one));
  if (code !== undefined) return new TenonError('http/unreachable', `cannot connect: ${code}`);
  const hint = getCertificateAdvice(error);
  if (hint !== undefined)
    return new TenonError('http/unreachable', `cannot connect: ${Object(cause).message ?? message}`, { hint });
  // `fetch` converts the headers before it connects.
  if (/ByteString|invalid header|header (?:name|value)/i.test(message)) return createHeaderError(error);
  const reason = cause instanceof Error && cause.message ? `${message}: ${cause.message}` : message;
  return new TenonError('http/interrupted', `the connection broke before the response: ${reason}`);
}

function toHttpReply(response: FetchResponse): HttpReply {
  const { headers, body } = response;
  let reader: FetchReader | undefined;
  const open = (stream: FetchBody) => {
    reader = stream.getReader();
    return reader;
  };
  return {
    status: response.type === 'opaqueredirect' ? 0 : response.status,
    header: name => headers.get(name) ?? undefined,
    async text(limit) {
      const length = headers.get('content-length');
      // The length of a compressed body says nothing about its text.
      const isShort = length !== null && headers.get('content-encoding') === null && Number(length) <= limit;
      if (body === null || isShort) return response.text();
      const textReader = open(body);
      const decoder = new TextDecoder();
      let text = '';
      let size = 0;
      await readBody(textReader, chunk => {
        size += chunk.length;
        if (size > limit) {
          textReader.cancel().catch(() => {});
          throw new TenonError('http/too-large', `the response is larger than ${limit} bytes`);
        }
        text += decoder.decode(chunk, { stream: true });
      });
      return text + decoder.decode();
    },
    read: async each => (body === null ? undefined : readBody(open(body), each)),
    cancel() {
      // A stream that has ended or failed cannot be cancelled and does not need it.
      (reader ?? body)?.cancel().catch(() => {});
    },
  };
}

async function readBody(reader: FetchReader, onChunk: (chunk: Uint8Array) => void): Promise<void> {
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    if (value !== undefined) onChunk(value);
  }
}
