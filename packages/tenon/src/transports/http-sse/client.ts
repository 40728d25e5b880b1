import { parseUrl, systemClock, TenonError } from '@tenon/base';
import { parseJson, serializeMessage } from '../../jsonrpc/message.js';
import type { MessageReceiver, Transport } from '../../jsonrpc/transport.js';
import { createEndpointClient, drain, isEventStream, isSuccess } from '../http/client/endpoint-client.js';
import {
  createTooLargeError,
  createTransportClosedError,
  createUnreadableError,
  findDecodingError,
  readRefusal,
} from '../http/client/errors.js';
import { type HttpClientOptions, MAX_MESSAGE_SIZE } from '../http/client/options.js';
import { getRequestId } from '../http/client/post-message.js';
import { type RequestSignal, RequestSignals } from '../http/client/request-signals.js';
import type { HttpReply } from '../http/client/requester.js';
import { createSseReader, type SseEvent } from '../http/sse/sse-reader.js';

export interface HttpSseTransportOptions extends HttpClientOptions {
  /**
   * Maximum time for the server to send its endpoint, in milliseconds.
   * @default `ENDPOINT_TIMEOUT`
   */
  readonly endpointTimeout?: number;
}

const ENDPOINT_TIMEOUT = 10_000;

/**
 * Creates a client transport for HTTP+SSE, which is deprecated in 2026-07-28. The server sends its messages on one
 * event stream, and its first event is the address for POST requests of the client. It closes with its stream.
 * @throws TenonError `http/bad-url`. `open` rejects with `http/no-endpoint`, `http/foreign-endpoint`, or the errors of
 * `send` of a Streamable HTTP transport.
 * @see https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse
 */
export function createHttpSseTransport(url: string | URL, options: HttpSseTransportOptions): Transport {
  let restartTimer = (_enabled: boolean): void => {};
  const onSigningIn = (signingIn: boolean) => {
    restartTimer(!signingIn);
    options.onSigningIn?.(signingIn);
  };
  const client = createEndpointClient(url, { ...options, onSigningIn });
  const { peer } = client;
  const signals = new RequestSignals();
  const clock = options.clock ?? systemClock;
  const maxMessageSize = options.maxMessageSize ?? MAX_MESSAGE_SIZE;
  let endpoint: string | undefined;
  let receiver: MessageReceiver | undefined;
  let closed = false;

  const end = (error?: TenonError) => {
    if (closed) return;
    closed = true;
    signals.abortAll(error ?? createTransportClosedError(peer));
    if (endpoint !== undefined) receiver?.onClose(error);
  };

  const receiveMessage = (text: string): void => {
    let value: unknown;
    try {
      value = parseJson(text);
    } catch (cause) {
      return receiver?.onParseError(createUnreadableError(peer, `${text.length} characters of other text`, cause));
    }
    receiver?.onMessage(value);
  };

  /** Reads until the stream ends. `found` gets the address, or the error if there is none. */
  const read = async (
    reply: HttpReply,
    requestSignal: RequestSignal,
    onEndpoint: (address: string | TenonError) => void,
  ) => {
    const onEvent = ({ type, data }: SseEvent) => {
      if (requestSignal.aborted) return;
      if (endpoint !== undefined) return type === 'message' ? receiveMessage(data) : undefined;
      if (type === 'endpoint') onEndpoint(resolvePostUrl(data, client.url, peer));
      else if (type === 'message') onEndpoint(createNoEndpointError(peer, 'a message'));
    };
    const onEventTooLong = () =>
      receiver?.onParseError(createTooLargeError(peer, 'an event', `${maxMessageSize} characters`));
    const reader = createSseReader({ onEvent, onEventTooLong }, maxMessageSize);
    try {
      await reply.read(chunk => reader.feed(chunk));
    } catch (error) {
      // The end of the stream closes the transport, for any reason.
      const decodingError = findDecodingError(error, peer);
      if (decodingError) onEndpoint(decodingError);
    }
    reply.cancel();
    onEndpoint(createNoEndpointError(peer, 'the end of the stream'));
    if (endpoint === undefined) return;
    end(
      new TenonError('connection/closed', 'the event stream ended', {
        peer,
        hint: 'do nothing: the next request connects again',
      }),
    );
  };

  const connect = async (requestSignal: RequestSignal): Promise<void> => {
    const headers = { accept: 'text/event-stream' };
    const reply = await client.request({ method: 'GET', headers, signal: requestSignal });
    if (!isSuccess(reply)) throw await readRefusal(reply, peer, { hadSession: false });
    if (!isEventStream(reply)) {
      // The body may never end.
      reply.cancel();
      throw createNoEndpointError(peer, 'no event stream');
    }
    const address = await new Promise<string | TenonError>(onEndpoint => {
      void read(reply, requestSignal, address => {
        if (endpoint === undefined && typeof address === 'string') endpoint = address;
        onEndpoint(address);
      });
    });
    if (typeof address !== 'string') throw address;
  };

  return {
    peer,
    hasOpenStream: true,
    async open(givenReceiver) {
      receiver = givenReceiver;
      const requestSignal = signals.create();
      const { endpointTimeout = ENDPOINT_TIMEOUT } = options;
      const timeoutError = createNoEndpointError(peer, `nothing in ${endpointTimeout} ms`);
      let cancelTimer = () => {};
      // The timeout does not run while the user signs in.
      restartTimer = enabled => {
        cancelTimer();
        cancelTimer = enabled ? clock.after(endpointTimeout, () => requestSignal.abort(timeoutError)) : () => {};
      };
      restartTimer(true);
      try {
        await connect(requestSignal);
      } catch (error) {
        end(TenonError.from(error));
        throw requestSignal.aborted ? requestSignal.reason : error;
      } finally {
        restartTimer(false);
        restartTimer = () => {};
      }
    },
    async send(receiveMessage, { headers, signal } = {}) {
      if (closed || endpoint === undefined) throw createTransportClosedError(peer);
      const requestSignal = signals.create(signal);
      try {
        const allHeaders = { ...headers, 'content-type': 'application/json' };
        const body = serializeMessage(receiveMessage, { code: 'call/unwritable', peer });
        const reply = await client.request({
          method: 'POST',
          headers: allHeaders,
          body,
          signal: requestSignal,
          url: endpoint,
        });
        // The address contains the session ID.
        if (!isSuccess(reply))
          throw await readRefusal(reply, peer, {
            id: getRequestId(receiveMessage),
            hadSession: true,
            checkBody: true,
          });
        await drain(reply);
      } finally {
        requestSignal.release();
      }
    },
    close: () => end(),
  };
}

/** Resolves the address for POST requests. Another origin is an error, because requests contain credentials. */
function resolvePostUrl(data: string, base: string, peer: string): string | TenonError {
  const url = parseUrl(data, base);
  if (!url) return createNoEndpointError(peer, 'an invalid URL');
  if (url.origin === new URL(base).origin && !url.username && !url.password) return url.href;
  return new TenonError('http/foreign-endpoint', 'the server named a message endpoint of another origin', {
    peer,
    expected: 'an endpoint of the same origin',
    received: url.origin,
    hint: 'connect to the other server directly if you trust it',
  });
}

function createNoEndpointError(peer: string, received: string): TenonError {
  return new TenonError('http/no-endpoint', 'the server does not support HTTP+SSE', {
    peer,
    hint: 'check the path of the URL, which is often /sse',
    expected: 'an endpoint event',
    received,
  });
}
