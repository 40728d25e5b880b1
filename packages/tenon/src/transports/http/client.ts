import type { Channel, Receiver, SendOptions } from '../../jsonrpc/channel.js';
import { systemClock } from '../../jsonrpc/clock.js';
import type { Message } from '../../jsonrpc/message.js';
import { Recall } from '../../jsonrpc/recall.js';
import { applyDefaults } from '../../model/defaults.js';
import { closedError } from './client-errors.js';
import { type Lease, Leases } from './client-leases.js';
import type { Link } from './client-link.js';
import { listenTo } from './client-listen.js';
import { CLOSE_WAIT, type HttpOptions, LISTEN, MAX_MESSAGE, RESUME } from './client-options.js';
import { post } from './client-post.js';
import { createRoad, drain } from './client-road.js';
import { SilentStreams } from './client-silence.js';

const VERSION_HEADER = 'mcp-protocol-version';

/** A client's road to a Streamable HTTP endpoint. https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http */
export interface HttpChannel extends Channel {
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
  send(message: Message, options?: SendOptions): Promise<void>;
  /**
   * Opens the stream on which the server speaks unasked, if it has one, and keeps it open. For after the handshake; does
   * nothing while it is open. When it is lost for good, `receiver.unreadable` gets an `http/listen-ended`.
   */
  listen(): void;
  /** Tells whether that stream, or the stream of a `subscriptions/listen`, is open or is being opened. */
  readonly listening: boolean;
  close(): Promise<void>;
}

/** Makes the channel; nothing is sent before the first message. Throws `http/bad-url`. */
export function openHttp(url: string | URL, options: HttpOptions): HttpChannel {
  const road = createRoad(url, options);
  const { peer } = road;
  const leases = new Leases();
  const silent = new SilentStreams();
  const clock = options.clock ?? systemClock;
  let receiver: Receiver | undefined;
  let session: string | undefined;
  let sessionSignal = new Recall();
  let version: string | undefined;
  let listening: Lease | undefined;
  let closing: Promise<void> | undefined;

  const link: Link = {
    peer,
    road,
    leases,
    silent,
    clock,
    random: options.random ?? Math.random,
    maxMessage: options.maxMessage ?? MAX_MESSAGE,
    resume: applyDefaults(RESUME, options.resume ?? {}),
    listen: applyDefaults(LISTEN, options.listen ?? {}),
    get receiver() {
      return receiver as Receiver;
    },
    get session() {
      return session;
    },
    get sessionSignal() {
      return sessionSignal;
    },
    learn(id) {
      session ??= id;
    },
    forget(id) {
      if (session !== id) return;
      session = undefined;
      sessionSignal.abort();
      sessionSignal = new Recall();
      listening?.abort(undefined);
      listening = undefined;
    },
    headers: (of, more) => stateHeaders(of, version, more),
  };

  const shut = async () => {
    leases.endAll(closedError(peer));
    if (session !== undefined) await endSession(link.headers(session, {}), options.closeWait ?? CLOSE_WAIT);
    receiver?.closed();
  };

  const endSession = async (headers: Record<string, string>, wait: number) => {
    const lease = leases.lend();
    const ended = road.request({ method: 'DELETE', headers, signal: lease }).then(drain);
    await new Promise<void>(done => {
      const callOff = clock.after(wait, () => {
        lease.abort(closedError(peer));
        done();
      });
      ended
        .catch(() => {})
        .then(() => {
          callOff();
          done();
        });
    });
    lease.end();
  };

  return {
    peer,
    open(to) {
      receiver = to;
    },
    send(message, options = {}) {
      if (closing || !receiver) return Promise.reject(closedError(peer));
      if (!options.stateless) version = options.headers?.[VERSION_HEADER];
      return post(link, message, options);
    },
    listen() {
      if (listening || closing || !receiver) return;
      const lease = leases.lend();
      listening = lease;
      void listenTo(link, lease).then(error => {
        if (listening === lease) listening = undefined;
        if (error) receiver?.unreadable(error);
      });
    },
    get listening() {
      return listening !== undefined || silent.size > 0;
    },
    checkStreams: limits => silent.check(limits),
    endStreams: () => silent.endAll(),
    close() {
      closing ??= shut();
      return closing;
    },
  };
}

function stateHeaders(session: string | undefined, version: string | undefined, more: Record<string, string>) {
  const headers = { ...more };
  if (session !== undefined) headers['mcp-session-id'] = session;
  if (version !== undefined) headers[VERSION_HEADER] = version;
  return headers;
}
