import type { MaybePromise } from '@tenon/base';
import { type LoggingLevel, reachesLogLevel } from '../protocol/content.js';

/** Log level that callers have requested from one upstream server: the most verbose one of them. */
export class RequestedLogLevel {
  /** Log level for the next connection setup. */
  value: LoggingLevel | undefined;
  readonly #send: (level: LoggingLevel) => Promise<void>;
  readonly #onError: (error: unknown) => void;
  #sending: Promise<void> | undefined;

  /**
   * @param send Sets the level at the server.
   * @param onError Called when the server refuses a level.
   */
  constructor(send: (level: LoggingLevel) => Promise<void>, onError: (error: unknown) => void) {
    this.#send = send;
    this.#onError = onError;
  }

  /**
   * Sets the log level of the server to this or a more verbose level. Resolves when the server has confirmed or refused
   * it.
   * @param onError Called when the server refuses this level. Default: that of the constructor.
   */
  request(level: LoggingLevel, onError = this.#onError): MaybePromise<void> {
    return reachesLogLevel(level, this.value) ? this.#sending : this.set(level, onError);
  }

  /**
   * Sets the log level of the server. Resolves when the server has confirmed or refused it: no call fails because of the
   * logs that it does not get.
   */
  set(level: LoggingLevel, onError = this.#onError): Promise<void> {
    this.value = level;
    const sending = this.#send(level)
      .catch(onError)
      .finally(() => {
        if (this.#sending === sending) this.#sending = undefined;
      });
    this.#sending = sending;
    return sending;
  }
}
