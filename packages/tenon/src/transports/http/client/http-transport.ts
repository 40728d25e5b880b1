import { applyDefaults, LazyAbortSignal, runWithTimeout, systemClock } from '@tenon/base';
import type { JsonRpcMessage } from '../../../jsonrpc/message.js';
import type { MessageReceiver, SendOptions, Transport } from '../../../jsonrpc/transport.js';
import type { HttpClientContext } from './context.js';
import { createEndpointClient, drain } from './endpoint-client.js';
import { createTransportClosedError } from './errors.js';
import { CLOSE_TIMEOUT, type HttpTransportOptions, LISTEN_POLICY, MAX_MESSAGE_SIZE, RESUME_POLICY } from './options.js';
import { postMessage } from './post-message.js';
import { type RequestSignal, RequestSignals } from './request-signals.js';
import { SessionFailures } from './session-failures.js';
import { SilentStreams } from './silent-streams.js';
import { readStandaloneStream } from './standalone-stream.js';

const VERSION_HEADER = 'mcp-protocol-version';

/**
 * Client transport for a Streamable HTTP endpoint.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http
 */
export interface HttpTransport extends Transport {
  /**
   * POSTs the message. Resolves when the server has accepted it: with the head of a stream, or with the complete body
   * of any other response. Messages that are sent concurrently may arrive in another order.
   * @throws TenonError with one of these codes:
   * - `http/unreachable`: nothing was sent. `http/interrupted`: the message was sent, and the response was lost.
   * - `peer/error`: an error status with a JSON-RPC error, which is in `status`, `rpcCode`, `summary` and `data`. It is
   * not also delivered as a message.
   * - `http/status`: an error status without one. `http/redirected`: a redirect that is not followed.
   * - `session/gone`: 404 or 410 to a message of a session, or a text about a lost session with another status. The message
   * was not processed. The session ID is dropped, so the next message is sent without it.
   * - `session/rejected`: a text about a lost session with a 5xx, or in the JSON-RPC response to the request itself, which
   * may have been processed. The session ID is dropped as well.
   * - `call/aborted`, or the reason of `signal` if that is a `TenonError`; `connection/closed`.
   */
  send(message: JsonRpcMessage, options?: SendOptions): Promise<void>;
  /**
   * Opens the standalone stream for messages of the server, if the server has one, and keeps it open. Call it after the
   * handshake.
   *
   * Does nothing while the stream is open. If the stream cannot be reopened, `receiver.onParseError` gets an
   * `http/listen-ended`.
   *
   * @param onMissed Called when the stream was opened later or again, and messages in between may be lost because it could
   * not be resumed.
   */
  listen(onMissed?: () => void): void;
  /** True if the standalone stream, or the stream of a `subscriptions/listen`, is open or being opened. */
  readonly hasOpenStream: boolean;
  close(): Promise<void>;
  /** ID of the session, once the server has assigned one. */
  readonly sessionId: string | undefined;
  /** Shares the session with other processes. Call it before anything is sent. */
  shareSession(session: TransportSession): void;
}

/** Session of a transport that other processes use too. */
export interface TransportSession {
  /** Prefix of the IDs of sent requests. */
  readonly requestIdPrefix: string;
  /** ID and protocol version of the session to continue. Absent for a transport that opens a session. */
  readonly continued?: { readonly id: string; readonly versionHeader: string | undefined } | undefined;
  /** Tells if another process may continue the session. Closing the transport then does not end it. */
  isContinued(): boolean;
}

/** Creates the transport. Nothing is sent before the first message. Throws `http/bad-url`. */
export function createHttpTransport(url: string | URL, options: HttpTransportOptions): HttpTransport {
  const client = createEndpointClient(url, options);
  const { peer } = client;
  const signals = new RequestSignals();
  const silentStreams = new SilentStreams();
  const clock = options.clock ?? systemClock;
  let receiver: MessageReceiver | undefined;
  let session: string | undefined;
  let sessionSignal = new LazyAbortSignal();
  let version: string | undefined;
  let listening: RequestSignal | undefined;
  let closing: Promise<void> | undefined;
  let shared: TransportSession | undefined;

  const context: HttpClientContext = {
    peer,
    client,
    signals,
    silentStreams,
    failures: new SessionFailures(peer),
    clock,
    random: options.random ?? Math.random,
    maxMessageSize: options.maxMessageSize ?? MAX_MESSAGE_SIZE,
    resume: applyDefaults(RESUME_POLICY, options.resume ?? {}),
    listen: applyDefaults(LISTEN_POLICY, options.listen ?? {}),
    get receiver() {
      return receiver as MessageReceiver;
    },
    get session() {
      return session;
    },
    get sessionSignal() {
      return sessionSignal;
    },
    get isShared() {
      return shared !== undefined;
    },
    setSession(id) {
      session ??= id;
    },
    forgetSession(id) {
      if (session !== id) return;
      session = undefined;
      context.failures.reset();
      sessionSignal.abort();
      sessionSignal = new LazyAbortSignal();
      listening?.abort(undefined);
      listening = undefined;
    },
    createHeaders: (sessionId, more) => createStateHeaders(sessionId, version, more),
  };

  const shutDown = async () => {
    signals.abortAll(createTransportClosedError(peer));
    if (session !== undefined && !shared?.isContinued())
      await endSession(context.createHeaders(session, {}), options.closeTimeout ?? CLOSE_TIMEOUT);
    receiver?.onClose();
  };

  const endSession = async (headers: Record<string, string>, wait: number) => {
    const requestSignal = signals.create();
    const ended = client.request({ method: 'DELETE', headers, signal: requestSignal }).then(drain);
    await runWithTimeout(() => ended.catch(() => {}), {
      clock,
      timeout: wait,
      onTimeout: () => requestSignal.abort(createTransportClosedError(peer)),
    });
    requestSignal.release();
  };

  return {
    peer,
    httpVersion: options.requester.httpVersion,
    get requestIdPrefix() {
      return shared?.requestIdPrefix;
    },
    get sessionId() {
      return session;
    },
    shareSession(given) {
      shared = given;
      session = given.continued?.id;
      version = given.continued?.versionHeader;
    },
    open(givenReceiver) {
      receiver = givenReceiver;
    },
    send(message, options = {}) {
      if (closing || !receiver) return Promise.reject(createTransportClosedError(peer));
      if (options.stateless) return postMessage(context, message, options);
      // Responses to requests of the server have no headers of their own.
      if (options.headers === undefined) {
        return postMessage(context, message, { ...options, headers: createStateHeaders(undefined, version, {}) });
      }
      version = options.headers[VERSION_HEADER];
      return postMessage(context, message, options);
    },
    listen(onMissed) {
      if (listening || closing || !receiver) return;
      const requestSignal = signals.create();
      listening = requestSignal;
      void readStandaloneStream(context, requestSignal, onMissed).then(error => {
        if (listening === requestSignal) listening = undefined;
        if (error) receiver?.onParseError(error);
      });
    },
    get hasOpenStream() {
      return listening !== undefined || silentStreams.size > 0;
    },
    checkStreams: limits => silentStreams.check(limits),
    endStreams: () => silentStreams.endAll(),
    cutStream: () => !!context.cutStream?.(),
    close() {
      closing ??= shutDown();
      return closing;
    },
  };
}

function createStateHeaders(session: string | undefined, version: string | undefined, more: Record<string, string>) {
  const headers = { ...more };
  if (session !== undefined) headers['mcp-session-id'] = session;
  if (version !== undefined) headers[VERSION_HEADER] = version;
  return headers;
}
