import { type AbortSignalLike, getCancelReason, type JsonObject, LazyAbortSignal, type TenonError } from '@tenon/base';
import type { Id } from '../../jsonrpc/message.js';
import type { PeerCallOptions } from '../../jsonrpc/pending-requests.js';
import type { SendOptions } from '../../jsonrpc/transport.js';
import type { LoggingLevel } from '../../protocol/content.js';
import type { Dialect } from '../../protocol/versions/dialect.js';
import type { Progress } from '../call-options.js';
import type { ClientOptions } from '../options.js';
import type { ServerEndpoint } from './endpoint.js';

/** Send options for transports without headers and without a stream per request. */
const NO_SEND_OPTIONS: SendOptions = {};

/** One outgoing request in the form of the newest version. */
export interface SendParameters
  extends Pick<
    PeerCallOptions,
    'signal' | 'idleTimeout' | 'totalTimeout' | 'trace' | 'laterIdleTimeout' | 'onLateResponse'
  > {
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly logLevel?: LoggingLevel | undefined;
  readonly onRequestId?: ((id: Id) => void) | undefined;
  /** Output schema of the called tool. Undefined if it is not known. Transforms of the result need it. */
  readonly outputSchema?: JsonObject | undefined;
  /** True if an aborted request sends no `notifications/cancelled`, because `tasks/cancel` cancels its task. */
  readonly silentAbort?: boolean;
  readonly onStreamClosed?: (() => void) | undefined;
  /** Called when the result is a task. Progress is reported until `stopProgress` is called. */
  readonly onTaskCreated?: ((stopProgress: () => void) => void) | undefined;
}

/** The connection on which a request is sent. */
interface SendingConnection {
  readonly endpoint: ServerEndpoint;
  /** Timeouts of calls that have no own timeouts. */
  readonly timeouts: Pick<ClientOptions, 'idleTimeout' | 'totalTimeout'>;
  notify(method: string, params: JsonObject): Promise<void>;
}

/** A request in progress, with its timeout. It is cancelled when no caller waits for it. */
export class OutgoingRequest implements PeerCallOptions {
  readonly idleTimeout: number | undefined;
  readonly totalTimeout: number | undefined;
  readonly signal: AbortSignalLike | undefined;
  readonly send: SendOptions;
  readonly trace: PeerCallOptions['trace'];
  readonly laterIdleTimeout: PeerCallOptions['laterIdleTimeout'];
  /** If it is set, a request that times out is not cancelled at the server. */
  readonly onLateResponse: PeerCallOptions['onLateResponse'];
  readonly #connection: SendingConnection;
  readonly #method: string;
  readonly #silentAbort: boolean;
  readonly #abandonSignal: LazyAbortSignal | undefined;

  constructor(
    connection: SendingConnection,
    { http: { closeCancels, sessions } }: Dialect,
    method: string,
    parameters: SendParameters,
    headers: SendOptions['headers'],
  ) {
    const { timeouts } = connection;
    const { signal, idleTimeout = timeouts.idleTimeout, totalTimeout = timeouts.totalTimeout } = parameters;
    const { silentAbort = false, onStreamClosed } = parameters;
    const isHttp = connection.endpoint.kind === 'http';
    this.idleTimeout = idleTimeout;
    this.totalTimeout = totalTimeout;
    // On a transport without a stream per request, an aborted request without a cancellation still gets a response.
    this.signal = silentAbort && !isHttp ? undefined : signal;
    this.trace = parameters.trace;
    this.#connection = connection;
    this.#method = method;
    this.#silentAbort = silentAbort;
    this.laterIdleTimeout = parameters.laterIdleTimeout;
    this.onLateResponse = parameters.onLateResponse;
    this.#abandonSignal = isHttp && (silentAbort || closeCancels) ? new LazyAbortSignal() : undefined;
    // A stateless request belongs to no session, and its stream is not resumed.
    this.send =
      isHttp || headers || onStreamClosed
        ? { headers, signal: this.#abandonSignal, stateless: !sessions, onStreamClosed }
        : NO_SEND_OPTIONS;
  }

  onAbandoned(requestId: Id, error: TenonError): void {
    if (this.#abandonSignal) this.#abandonSignal.abort();
    else if (this.#method !== 'initialize' && !this.#silentAbort && !this.onLateResponse)
      void this.#connection.notify('notifications/cancelled', { requestId, reason: getCancelReason(error) });
  }
}
