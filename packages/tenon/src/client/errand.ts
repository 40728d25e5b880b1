import type { SendOptions } from '../jsonrpc/channel.js';
import type { TenonError } from '../jsonrpc/error.js';
import type { Id } from '../jsonrpc/message.js';
import type { CallOptions } from '../jsonrpc/peer.js';
import type { Link, Sending } from './link.js';

/** What the roads that have no headers, and no request of their own for each message, need to know of one: nothing. */
const PLAIN: SendOptions = {};

/** One request on its way to the server: how long it is waited for, and what is done when nobody waits any longer. */
export class Errand implements CallOptions {
  readonly idleTimeout: number | undefined;
  readonly totalTimeout: number | undefined;
  readonly signal: AbortSignal | undefined;
  readonly send: SendOptions;
  readonly #link: Link;
  readonly #method: string;
  readonly #quiet: boolean;
  readonly #giveUp: AbortController | undefined;

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
    this.#giveUp = isHttp && (quiet || http.closeCancels) ? new AbortController() : undefined;
    this.send = isHttp || headers || onHungUp ? this.#road(headers, onHungUp) : PLAIN;
  }

  onAbandoned(requestId: Id, { message }: TenonError): void {
    if (this.#giveUp) this.#giveUp.abort();
    else if (this.#method !== 'initialize' && !this.#quiet)
      void this.#link.notify('notifications/cancelled', { requestId, reason: message });
  }

  #road(headers: SendOptions['headers'], onHungUp: (() => void) | undefined): SendOptions {
    return {
      ...(headers ? { headers } : {}),
      ...(this.#giveUp ? { signal: this.#giveUp.signal } : {}),
      // What stands for itself belongs to no session, and its stream is not resumed.
      ...(this.#link.dialect.http.sessions ? {} : { stateless: true }),
      ...(onHungUp ? { onHungUp } : {}),
    };
  }
}
