import type { MaybePromise } from '@tenon/base';
import { type LoggingLevel, reachesLogLevel } from '../protocol/content.js';

/** Log level that callers have requested from one upstream server: the most verbose one of them. */
export class RequestedLogLevel {
  /** Log level for the next connection setup. */
  value: LoggingLevel | undefined;
  readonly #send: (level: LoggingLevel) => Promise<void>;
  #sending: Promise<void> | undefined;

  /** @param send Sets the level at the server. */
  constructor(send: (level: LoggingLevel) => Promise<void>) {
    this.#send = send;
  }

  /** Sets the log level of the server to this or a more verbose level. Resolves when the server has confirmed it. */
  request(level: LoggingLevel): MaybePromise<void> {
    return reachesLogLevel(level, this.value) ? this.#sending : this.set(level);
  }

  /** Sets the log level of the server. Rejects if the server refuses it. */
  set(level: LoggingLevel): Promise<void> {
    this.value = level;
    const sent = this.#send(level);
    // Concurrent calls with the same level wait for this request. Its error belongs to the call that sent it.
    const sending = sent
      .catch(() => {})
      .finally(() => {
        if (this.#sending === sending) this.#sending = undefined;
      });
    this.#sending = sending;
    return sent;
  }
}
