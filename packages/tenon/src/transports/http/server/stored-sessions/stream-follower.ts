import { type Clock, type PeriodicRun, runPeriodically, toTypedValues } from '@tenon/base';
import type { SharedStores } from '../../../../protocol/request-handler.js';
import { retryStoreFaults } from '../../../../stores/fault-retry.js';
import type { EventStream } from '../../sse/event-streams.js';
import type { LogPosition } from './event-id.js';
import { type LogEntry, readEntries } from './event-log.js';

export interface StreamFollowerOptions {
  readonly stores: SharedStores;
  readonly clock: Clock;
  /** Prefix of the keys of the log. It is also the topic on which writers announce new entries. */
  readonly prefix: string;
  /** Position after which events are sent. */
  readonly position: LogPosition;
  readonly connection: EventStream;
  readonly encode: (position: LogPosition, text: string) => string;
  /** Interval of reads of the log, in milliseconds. They are necessary because the bus may lose a message. */
  readonly pollInterval: number;
  /** Called before each such read. */
  readonly onPoll: () => Promise<void>;
  /**
   * Tells if the connection is still the one of the stream. It is called before events are sent, because the client may
   * have opened the stream at another process.
   */
  readonly isCurrent?: (() => Promise<boolean>) | undefined;
  /** Called when the client has opened the stream elsewhere. Without it, the connection is closed. */
  readonly onReplaced?: (() => void) | undefined;
  readonly report: (error: unknown) => void;
}

/** Sends the events of a log on a connection: first the existing events, then each new one. */
export class StreamFollower {
  readonly #options: StreamFollowerOptions;
  #position: LogPosition;
  #reading: PeriodicRun | undefined;
  #pollDueAt = 0;
  #unsubscribe: (() => void) | undefined;
  #isDetached = false;

  constructor(options: StreamFollowerOptions) {
    this.#options = options;
    this.#position = options.position;
  }

  /** The position after the last event that was sent. */
  get position(): LogPosition {
    return this.#position;
  }

  get connection(): EventStream {
    return this.#options.connection;
  }

  /** Starts to send. It first subscribes and then reads, so that no event is missed. */
  start(): void {
    const { stores, prefix, clock, pollInterval, report } = this.#options;
    this.#unsubscribe = stores.bus.subscribe(prefix, () => this.wake());
    this.#pollDueAt = clock.elapsed() + pollInterval;
    this.#reading = runPeriodically({ clock, interval: pollInterval, onError: report }, () => this.#read());
    this.wake();
  }

  stop(): void {
    this.detach();
    this.connection.end();
  }

  /** Stops to send, and leaves the connection open. */
  detach(): void {
    this.#isDetached = true;
    this.#unsubscribe?.();
    void this.#reading?.stop();
  }

  get #isSending(): boolean {
    return this.connection.open && !this.#isDetached;
  }

  /** Reads the log again. */
  wake(): void {
    void this.#reading?.runNow();
  }

  async #read(): Promise<void> {
    if (!this.#isSending) return this.detach();
    const { clock, pollInterval, onPoll } = this.#options;
    try {
      // Frequent events must not delay it.
      if (clock.elapsed() >= this.#pollDueAt) {
        this.#pollDueAt = clock.elapsed() + pollInterval;
        await onPoll();
      }
    } finally {
      const send = async (): Promise<void> => {
        if (this.#isSending) await this.#sendAppended();
      };
      await retryStoreFaults(send, { clock, maxElapsed: pollInterval });
    }
  }

  /** Reads more events when the connection has accepted the earlier ones. */
  async #sendAppended(): Promise<void> {
    const { stores, prefix, encode, isCurrent } = this.#options;
    let isChecked = isCurrent === undefined;
    const values = toTypedValues<LogEntry>(stores.values);
    for await (const { entry, value } of readEntries(values, prefix, this.#position.entry)) {
      // The writer has deleted entries that a slow reader has not received.
      if (entry > this.#position.entry + 1) return this.connection.destroy();
      const skipped = entry === this.#position.entry ? this.#position.events : 0;
      // This read comes after the one of the entry, so a later connection sends the entries that this one does not.
      if (!isChecked && skipped < value.events.length) isChecked = (await isCurrent?.()) === true;
      if (!isChecked && skipped < value.events.length) return (this.#options.onReplaced ?? (() => this.stop()))();
      for (const text of value.events.slice(skipped)) {
        if (!this.#isSending) return;
        const isSameEntry = this.#position.entry === entry;
        this.#position = { entry, events: isSameEntry ? this.#position.events + 1 : 1, tag: value.tag };
        await this.connection.write(encode(this.#position, text));
      }
      // An entry may be empty.
      this.#position = { entry, events: value.events.length, tag: value.tag };
      if (value.isEnd) return this.stop();
    }
  }
}
