import { type Clock, type StoredValue, toTypedValues, type Values } from '@tenon/base';
import type { Id } from '../../../../jsonrpc/message.js';
import { retryStoreFaults } from '../../../../stores/fault-retry.js';
import { putOnce } from '../../../../stores/put-once.js';
import { createEntryTag } from './stored-id.js';

/** Events that were appended together. */
export interface LogEntry {
  /** Name of the log in its event IDs. After a log has expired, a new log gets another name. */
  readonly log: string;
  /** Random text in the event IDs of the entry. */
  readonly tag: string;
  /** Process that appended the entry. */
  readonly writer: string;
  /** Messages, as JSON text. */
  readonly events: readonly string[];
  /** The requests that the stream responds to. Only in the first entry of the log of a POST. */
  readonly requests?: readonly Id[] | undefined;
  /** True for the last entry of the log. */
  readonly isEnd?: true | undefined;
}

export interface EventLogOptions {
  readonly values: Values;
  /** Begin of the keys. */
  readonly prefix: string;
  /** ID of the process that appends. */
  readonly writer: string;
  /** Lifetime of an entry, in milliseconds. */
  readonly ttl: number;
  readonly maxEvents: number;
  readonly maxBytes: number;
  readonly clock: Clock;
}

/** Maximum time for which an append is repeated while the store has a fault, in milliseconds. */
const MAX_RETRY = 10_000;
const DIGITS = 9;

/** Name of the log, and number and tag of the appended entry. */
export interface AppendResult {
  readonly log: string;
  readonly entry: number;
  readonly tag: string;
}

interface KnownEntry {
  readonly entry: number;
  readonly events: number;
  readonly bytes: number;
}

/**
 * Appends to a log of events. Each entry is a value with the next number. An entry is only written if its number is
 * free, so two writers never write the same number.
 *
 * A process that ends the log of another process writes the next number. The next append of the former writer then
 * fails.
 */
export class EventLog {
  readonly #options: EventLogOptions;
  readonly #values: Values<LogEntry>;
  /**
   * Name of the log, if this process is the only writer. If undefined, several processes append, and each one reads the
   * entries of the others first.
   */
  readonly #ownName: string | undefined;
  #name: string | undefined;
  #next = 0;
  #known: KnownEntry[] = [];
  #readAt = Number.NEGATIVE_INFINITY;

  constructor(options: EventLogOptions, ownName?: string) {
    this.#options = options;
    this.#values = toTypedValues<LogEntry>(options.values);
    this.#ownName = ownName;
    this.#name = ownName;
  }

  /** Appends an entry. Returns `undefined` if this process is the only writer and another process has ended the log. */
  async append(
    events: readonly string[],
    createName: () => string,
    rest: Pick<LogEntry, 'requests' | 'isEnd'> = {},
  ): Promise<AppendResult | undefined> {
    const { writer, ttl, clock, prefix } = this.#options;
    const isShared = this.#ownName === undefined;
    // Entries may have expired since then, and another process may have started a new log.
    if (isShared && clock.now() - this.#readAt > ttl / 2) await this.#readEnd(true);
    for (;;) {
      this.#name ??= createName();
      const entry = this.#next;
      const tag = createEntryTag();
      const value = { log: this.#name, tag, writer, events, ...rest };
      const written = await putOnce(this.#values, toLogKey(prefix, entry), value, { version: 0, ttl }, run =>
        retryStoreFaults(run, { clock, maxElapsed: MAX_RETRY }),
      );
      if (written !== undefined) {
        this.#next = entry + 1;
        this.#readAt = clock.now();
        this.#trim({ entry, events: events.length, bytes: countCharacters(events) });
        return { log: this.#name, entry, tag };
      }
      if (!isShared) return undefined;
      await this.#readEnd(false);
    }
  }

  /** Reads the entries that other processes have appended. */
  async #readEnd(fromStart: boolean): Promise<void> {
    if (fromStart) {
      this.#next = 0;
      this.#known = [];
      this.#name = undefined;
    }
    for await (const { entry, value } of readEntries(this.#values, this.#options.prefix, this.#next)) {
      this.#name = value.log;
      this.#next = entry + 1;
      this.#known.push({ entry, events: value.events.length, bytes: countCharacters(value.events) });
    }
    this.#readAt = this.#options.clock.now();
  }

  /**
   * Deletes the oldest entries of a log that is too long. The first entry of the log of a POST is kept, because it
   * contains the requests.
   */
  #trim(added: KnownEntry): void {
    const { maxEvents, maxBytes, prefix } = this.#options;
    this.#known.push(added);
    let events = this.#known.reduce((sum, each) => sum + each.events, 0);
    let bytes = this.#known.reduce((sum, each) => sum + each.bytes, 0);
    while (this.#known.length > 1 && (events > maxEvents || bytes > maxBytes)) {
      const [oldest] = this.#known.splice(0, 1) as [KnownEntry];
      events -= oldest.events;
      bytes -= oldest.bytes;
      if (oldest.entry > 0 || this.#ownName === undefined)
        void this.#values.delete(toLogKey(prefix, oldest.entry)).catch(() => {});
    }
  }
}

export interface NumberedEntry {
  readonly entry: number;
  readonly value: LogEntry;
}

/** Reads the entries from a number on, page by page. */
export async function* readEntries(
  values: Values<LogEntry>,
  prefix: string,
  from: number,
): AsyncGenerator<NumberedEntry> {
  for (let next = from; ; ) {
    const page: StoredValue<LogEntry>[] = await values.list(prefix, {
      limit: PAGE,
      ...(next === 0 ? {} : { after: toLogKey(prefix, next - 1) }),
    });
    for (const { key, value } of page) {
      const entry = Number(key.slice(prefix.length));
      next = entry + 1;
      yield { entry, value };
    }
    if (page.length < PAGE) return;
  }
}

/** Number of entries in a page. A slow reader holds at most one page in memory. */
const PAGE = 64;

export function toLogKey(prefix: string, entry: number): string {
  return `${prefix}${String(entry).padStart(DIGITS, '0')}`;
}

function countCharacters(events: readonly string[]): number {
  return events.reduce((sum, each) => sum + each.length, 0);
}
