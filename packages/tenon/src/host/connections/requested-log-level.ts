import type { MaybePromise } from '../../jsonrpc/maybe-promise.js';
import { LOGGING_LEVELS, type LoggingLevel } from '../../protocol/content.js';

/** The level of log messages that callers want from one server. */
export class RequestedLogLevel {
  /** Level of the next connection setup. */
  value: LoggingLevel | undefined;
  readonly #send: (level: LoggingLevel) => Promise<void>;
  #sending: Promise<void> | undefined;

  constructor(send: (level: LoggingLevel) => Promise<void>) {
    this.#send = send;
  }

  /** Makes the server send log messages of this level and of more severe ones. Resolves when the server has the level. */
  request(level: LoggingLevel): MaybePromise<void> {
    const isEnough = this.value !== undefined && LOGGING_LEVELS.indexOf(this.value) <= LOGGING_LEVELS.indexOf(level);
    return isEnough ? this.#sending : this.set(level);
  }

  set(level: LoggingLevel): Promise<void> {
    this.value = level;
    const sent = this.#send(level);
    // Calls that need the level meanwhile wait for it. The error belongs to the call that set it.
    const sending = sent
      .catch(() => {})
      .finally(() => {
        if (this.#sending === sending) this.#sending = undefined;
      });
    this.#sending = sending;
    return sent;
  }
}
