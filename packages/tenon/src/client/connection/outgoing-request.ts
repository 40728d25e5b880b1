import { type AbortSignalLike, LazyAbortSignal } from '../../cancellation/lazy-abort-signal.js';
import { getCancelReason } from '../../jsonrpc/cancel-reason.js';
import type { TenonError } from '../../jsonrpc/error.js';
import type { Id, JsonObject } from '../../jsonrpc/message.js';
import type { PeerCallOptions } from '../../jsonrpc/pending-requests.js';
import type { SendOptions } from '../../jsonrpc/transport.js';
import type { LoggingLevel } from '../../protocol/content.js';
import type { Progress } from '../options.js';
import type { Connection } from './connection.js';

/** Options for transports without headers and without a request per message. */
const NO_SEND_OPTIONS: SendOptions = {};

/** One outgoing request in the form of the newest version. */
export interface SendParameters extends Pick<PeerCallOptions, 'signal' | 'idleTimeout' | 'totalTimeout'> {
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly logLevel?: LoggingLevel | undefined;
  readonly onRequestId?: ((id: Id) => void) | undefined;
  /** Output schema of the called tool, if known. Transforms of the result need it. */
  readonly outputSchema?: JsonObject | undefined;
  /** No cancellation is sent for this request, because it creates or awaits a task, which `tasks/cancel` cancels. */
  readonly silentAbort?: boolean;
  readonly onStreamClosed?: (() => void) | undefined;
  /** Called when the answer is a task: progress is reported on until this is called. */
  readonly onTaskCreated?: ((stopProgress: () => void) => void) | undefined;
}

/** One request in flight: its timeout, and its cancellation when no caller waits for it. */
export class OutgoingRequest implements PeerCallOptions {
  readonly idleTimeout: number | undefined;
  readonly totalTimeout: number | undefined;
  readonly signal: AbortSignalLike | undefined;
  readonly send: SendOptions;
  readonly #link: Connection;
  readonly #method: string;
  readonly #silentAbort: boolean;
  readonly #abandonSignal: LazyAbortSignal | undefined;

  constructor(connection: Connection, method: string, parameters: SendParameters, headers: SendOptions['headers']) {
    const { timeouts } = connection;
    const { signal, idleTimeout = timeouts.idleTimeout, totalTimeout = timeouts.totalTimeout } = parameters;
    const { silentAbort = false, onStreamClosed } = parameters;
    const { http } = connection.dialect;
    const isHttp = connection.endpoint.kind === 'http';
    this.idleTimeout = idleTimeout;
    this.totalTimeout = totalTimeout;
    // On a transport without a stream per request, a request whose cancellation is not sent still gets its response,
    // which must be expected.
    this.signal = silentAbort && !isHttp ? undefined : signal;
    this.#link = connection;
    this.#method = method;
    this.#silentAbort = silentAbort;
    this.#abandonSignal = isHttp && (silentAbort || http.closeCancels) ? new LazyAbortSignal() : undefined;
    this.send =
      isHttp || headers || onStreamClosed ? this.#createSendOptions(headers, onStreamClosed) : NO_SEND_OPTIONS;
  }

  onAbandoned(requestId: Id, error: TenonError): void {
    if (this.#abandonSignal) this.#abandonSignal.abort();
    else if (this.#method !== 'initialize' && !this.#silentAbort)
      void this.#link.notify('notifications/cancelled', { requestId, reason: getCancelReason(error) });
  }

  #createSendOptions(headers: SendOptions['headers'], onStreamClosed: (() => void) | undefined): SendOptions {
    // What stands for itself belongs to no session, and its stream is not resumed.
    return { headers, signal: this.#abandonSignal, stateless: !this.#link.dialect.http.sessions, onStreamClosed };
  }
}
