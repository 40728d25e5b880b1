import { systemClock } from '../../../cancellation/clock.js';
import { LazyAbortSignal } from '../../../cancellation/lazy-abort-signal.js';
import type { JsonRpcMessage } from '../../../jsonrpc/message.js';
import type { MessageReceiver, SendOptions, Transport } from '../../../jsonrpc/transport.js';
import { applyDefaults } from '../../../protocol/defaults.js';
import type { HttpClientContext } from './context.js';
import { createEndpointClient, drain } from './endpoint-client.js';
import { createTransportClosedError } from './errors.js';
import { CLOSE_TIMEOUT, type HttpTransportOptions, LISTEN_POLICY, MAX_MESSAGE_SIZE, RESUME_POLICY } from './options.js';
import { postMessage } from './post-message.js';
import { type RequestSignal, RequestSignals } from './request-signals.js';
import { SilentStreams } from './silent-streams.js';
import { readStandaloneStream } from './standalone-stream.js';

const VERSION_HEADER = 'mcp-protocol-version';

/** A client's road to a Streamable HTTP endpoint. https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http */
export interface HttpTransport extends Transport {
  /**
   * POSTs the message. Settles when the server has taken it: with the head of a stream, or with the whole of any other
   * answer. Messages that are sent without awaiting each other may arrive in another order. Rejects with a `TenonError`:
   *
   * - `http/unreachable`: nothing was sent. `http/interrupted`: it was, and the answer was lost.
   * - `http/refused`: a status that is no success, with a JSON-RPC error, which `status`, `rpc`, `message`, `data` and, as
   *   it came, `cause` hold. It is not delivered as a message as well.
   * - `http/status`: such a status without one. `http/redirected`: a redirect that is not followed.
   * - `session/gone`: 404 to a message of a session, or 400 with words about the session. The message was not carried
   *   out. The session is forgotten: the next message goes without its id.
   * - `session/rejected`: 400 with words about the session in the JSON-RPC answer to the request itself, which may have
   *   been carried out. The session is forgotten as well.
   * - `call/aborted`, or the reason of `signal` if that is a `TenonError`; `connection/closed`.
   */
  send(message: JsonRpcMessage, options?: SendOptions): Promise<void>;
  /**
   * Opens the stream on which the server speaks unasked, if it has one, and keeps it open. For after the handshake; does
   * nothing while it is open. When it is lost for good, `receiver.unreadable` gets an `http/listen-ended`.
   */
  listen(): void;
  /** Tells whether that stream, or the stream of a `subscriptions/listen`, is open or is being opened. */
  readonly hasOpenStream: boolean;
  close(): Promise<void>;
}

/** Makes the channel; nothing is sent before the first message. Throws `http/bad-url`. */
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

  const context: HttpClientContext = {
    peer,
    client,
    signals,
    silentStreams,
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
    setSession(id) {
      session ??= id;
    },
    forgetSession(id) {
      if (session !== id) return;
      session = undefined;
      sessionSignal.abort();
      sessionSignal = new LazyAbortSignal();
      listening?.abort(undefined);
      listening = undefined;
    },
    createHeaders: (sessionId, more) => createStateHeaders(sessionId, version, more),
  };

  const shutDown = async () => {
    signals.abortAll(createTransportClosedError(peer));
    if (session !== undefined)
      await endSession(context.createHeaders(session, {}), options.closeTimeout ?? CLOSE_TIMEOUT);
    receiver?.onClose();
  };

  const endSession = async (headers: Record<string, string>, wait: number) => {
    const requestSignal = signals.create();
    const ended = client.request({ method: 'DELETE', headers, signal: requestSignal }).then(drain);
    await new Promise<void>(done => {
      const cancelTimer = clock.after(wait, () => {
        requestSignal.abort(createTransportClosedError(peer));
        done();
      });
      ended
        .catch(() => {})
        .then(() => {
          cancelTimer();
          done();
        });
    });
    requestSignal.release();
  };

  return {
    peer,
    open(givenReceiver) {
      receiver = givenReceiver;
    },
    send(message, options = {}) {
      if (closing || !receiver) return Promise.reject(createTransportClosedError(peer));
      if (!options.stateless) version = options.headers?.[VERSION_HEADER];
      return postMessage(context, message, options);
    },
    listen() {
      if (listening || closing || !receiver) return;
      const requestSignal = signals.create();
      listening = requestSignal;
      void readStandaloneStream(context, requestSignal).then(error => {
        if (listening === requestSignal) listening = undefined;
        if (error) receiver?.onParseError(error);
      });
    },
    get hasOpenStream() {
      return listening !== undefined || silentStreams.size > 0;
    },
    checkStreams: limits => silentStreams.check(limits),
    endStreams: () => silentStreams.endAll(),
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
