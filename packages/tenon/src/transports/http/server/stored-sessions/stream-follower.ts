import type { Clock } from '../../../../cancellation/clock.js';
import type { SharedStores } from '../../../../protocol/request-handler.js';
import { toTypedValues } from '../../../../stores/typed-values.js';
import type { EventStream } from '../../sse/event-streams.js';
import type { LogPosition } from './event-id.js';
import { type LogEntry, readEntries } from './event-log.js';

export interface StreamFollowerOptions {
  readonly stores: SharedStores;
  readonly clock: Clock;
  /** Begin of the keys of the log, and topic on which its writers say that they have appended. */
  readonly prefix: string;
  /** Place after which events are sent. */
  readonly position: LogPosition;
  readonly connection: EventStream;
  readonly encode: (position: LogPosition, text: string) => string;
  /** Time between two looks into the log, in milliseconds: the bus may lose a message. */
  readonly pollInterval: number;
  /** Runs before each such look. */
  readonly onPoll: () => Promise<void>;
  readonly report: (error: unknown) => void;
}

/** Sends the events of a log over a connection: those that are there, and then each that is appended. */
export class StreamFollower {
  readonly #options: StreamFollowerOptions;
  #position: LogPosition;
  #reading: Promise<void> | undefined;
  #readsAgain = false;
  #unsubscribe: (() => void) | undefined;
  #cancelTimer: (() => void) | undefined;

  constructor(options: StreamFollowerOptions) {
    this.#options = options;
    this.#position = options.position;
  }

  /** The place after the last event that was sent. */
  get position(): LogPosition {
    return this.#position;
  }

  get connection(): EventStream {
    return this.#options.connection;
  }

  /** Subscribes first and reads then, so that nothing is missed in between. */
  start(): void {
    const { stores, prefix } = this.#options;
    this.#unsubscribe = stores.bus.subscribe(prefix, () => this.wake());
    this.wake();
    this.#schedulePoll();
  }

  stop(): void {
    this.#unsubscribe?.();
    this.#cancelTimer?.();
    this.connection.end();
  }

  /** Reads the log again. */
  wake(): void {
    this.#readsAgain = true;
    this.#reading ??= this.#read()
      .catch(this.#options.report)
      .finally(() => {
        this.#reading = undefined;
        if (this.#readsAgain && this.connection.open) this.#schedulePoll();
      });
  }

  async #read(): Promise<void> {
    while (this.#readsAgain && this.connection.open) {
      this.#readsAgain = false;
      await this.#sendAppended();
    }
  }

  /** Reads on when the connection has taken what was read before. */
  async #sendAppended(): Promise<void> {
    const { stores, prefix, encode } = this.#options;
    const values = toTypedValues<LogEntry>(stores.values);
    for await (const { entry, value } of readEntries(values, prefix, this.#position.entry)) {
      // The writer has deleted entries that a slow reader has not seen.
      if (entry > this.#position.entry + 1) return this.connection.destroy();
      const skipped = entry === this.#position.entry ? this.#position.events : 0;
      for (const text of value.events.slice(skipped)) {
        if (!this.connection.open) return;
        const isSameEntry = this.#position.entry === entry;
        this.#position = { entry, events: isSameEntry ? this.#position.events + 1 : 1 };
        await this.connection.write(encode(this.#position, text));
      }
      if (value.isEnd) return this.stop();
    }
  }

  #schedulePoll(): void {
    const { clock, pollInterval, onPoll, report } = this.#options;
    this.#cancelTimer?.();
    this.#cancelTimer = clock.after(pollInterval, () => {
      if (!this.connection.open) return;
      onPoll()
        .catch(report)
        .finally(() => {
          this.wake();
          if (this.connection.open) this.#schedulePoll();
        });
    });
  }
}
