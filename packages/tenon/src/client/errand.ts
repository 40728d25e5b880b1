import type { CallOptions } from '../jsonrpc/calls.js';
import { getCancelReason } from '../jsonrpc/cancellation.js';
import type { SendOptions } from '../jsonrpc/channel.js';
import type { TenonError } from '../jsonrpc/error.js';
import type { Id, JsonObject } from '../jsonrpc/message.js';
import { Recall } from '../jsonrpc/recall.js';
import type { LoggingLevel } from '../model/content.js';
import type { Link } from './link.js';
import type { Progress } from './options.js';

/** What the roads that have no headers, and no request of their own for each message, need to know of one: nothing. */
const PLAIN: SendOptions = {};

/** One request as it goes out, in our words. */
export interface Sending extends Pick<CallOptions, 'signal' | 'idleTimeout' | 'totalTimeout'> {
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly logLevel?: LoggingLevel | undefined;
  readonly onId?: ((id: Id) => void) | undefined;
  /** Of the tool that is called, where it is known: what its result is turned into our words by. */
  readonly outputSchema?: JsonObject | undefined;
  /** Giving it up is not told: it makes, or waits for, a task, which is cancelled in a way of its own. */
  readonly quiet?: boolean;
  readonly onHungUp?: (() => void) | undefined;
  /** Called when the answer is a task: progress is reported on until this is called. */
  readonly onOutlived?: ((forget: () => void) => void) | undefined;
}

/** One request on its way to the server: how long it is waited for, and what is done when nobody waits any longer. */
export class Errand implements CallOptions {
  readonly idleTimeout: number | undefined;
  readonly totalTimeout: number | undefined;
  readonly signal: AbortSignal | undefined;
  readonly send: SendOptions;
  readonly #link: Link;
  readonly #method: string;
  readonly #quiet: boolean;
  readonly #giveUp: Recall | undefined;

  constructor(link: Link, method: string, sending: Sending, headers: SendOptions['headers']) {
    const { patience } = link;
    const { signal, idleTimeout = patience.idleTimeout, totalTimeout = patience.totalTimeout } = sending;
    const { quiet = false, onHungUp } = sending;
    const { http } = link.dialect;
    const isHttp = link.endpoint.kind === 'http';
    this.idleTimeout = idleTimeout;
    this.totalTimeout = totalTimeout;
    // Where no stream can be left, what is given up without a word is answered all the same: the answer is expected.
    this.signal = quiet && !isHttp ? undefined : signal;
    this.#link = link;
    this.#method = method;
    this.#quiet = quiet;
    this.#giveUp = isHttp && (quiet || http.closeCancels) ? new Recall() : undefined;
    this.send = isHttp || headers || onHungUp ? this.#road(headers, onHungUp) : PLAIN;
  }

  onAbandoned(requestId: Id, error: TenonError): void {
    if (this.#giveUp) this.#giveUp.abort();
    else if (this.#method !== 'initialize' && !this.#quiet)
      void this.#link.notify('notifications/cancelled', { requestId, reason: getCancelReason(error) });
  }

  #road(headers: SendOptions['headers'], onHungUp: (() => void) | undefined): SendOptions {
    // What stands for itself belongs to no session, and its stream is not resumed.
    return { headers, signal: this.#giveUp, stateless: !this.#link.dialect.http.sessions, onHungUp };
  }
}
