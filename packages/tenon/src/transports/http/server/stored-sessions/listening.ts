import type { AuthInfo } from '../../../../jsonrpc/transport.js';
import { toTypedValues } from '../../../../stores/typed-values.js';
import { encodeEvent, encodePrimingEvent, KEEP_ALIVE } from '../../sse/encode-event.js';
import type { Exchange } from '../exchange.js';
import type { HttpSession } from '../sessions/session.js';
import { encodeEventId, parseEventId, type StoredEventId } from './event-id.js';
import { type EventLog, type LogEntry, type NumberedEntry, readEntries } from './event-log.js';
import { findPosition } from './follow-answer.js';
import type { SessionRecord, StoredRecord, StreamListener } from './session-record.js';
import type { ListenResult } from './shared-session.js';
import { createStoredId } from './stored-id.js';
import type { StoredSessionContext } from './stored-session.js';
import { StreamFollower } from './stream-follower.js';

/** Interval of checks of a session with an open standalone stream, in milliseconds. */
const LISTEN_POLL = 15_000;
/** First letter of the names of logs for standalone streams. */
const LISTEN_LOG = 'g';

type UpdateRecord = (change: (record: SessionRecord) => SessionRecord) => Promise<StoredRecord | undefined>;

/**
 * The standalone stream of a shared session. Every process appends to its log, and the process with the client's
 * connection sends the events.
 */
export class Listening {
  readonly #context: StoredSessionContext;
  readonly #session: HttpSession;
  readonly #log: EventLog;
  readonly #prefix: string;
  readonly #update: UpdateRecord;
  #follower: StreamFollower | undefined;
  #number = '';
  #lastAppend: Promise<unknown> = Promise.resolve();
  /** Resolves when the end of the last stream is stored in the record. */
  closing: Promise<unknown> = Promise.resolve();

  constructor(
    context: StoredSessionContext,
    session: HttpSession,
    log: EventLog,
    prefix: string,
    updateRecord: UpdateRecord,
  ) {
    this.#context = context;
    this.#session = session;
    this.#log = log;
    this.#prefix = prefix;
    this.#update = updateRecord;
  }

  get isOpen(): boolean {
    return this.#follower?.connection.open ?? false;
  }

  async send(text: string): Promise<void> {
    await this.#append([text]);
    await this.#context.stores.bus.publish(this.#prefix, {});
  }

  #append(events: readonly string[]): ReturnType<EventLog['append']> {
    const appended = this.#lastAppend.then(() => this.#log.append(events, () => `${LISTEN_LOG}${createStoredId()}`));
    this.#lastAppend = appended.catch(() => {});
    return appended;
  }

  /** Opens the stream after the last event that the client received. */
  async begin(exchange: Exchange, auth: AuthInfo | undefined, delivered: string | undefined): Promise<ListenResult> {
    if (this.isOpen) return 'taken';
    const last = parseEventId(delivered);
    const isThere = last && (await findPosition(this.#values, this.#prefix, last)) !== undefined;
    return this.#open(exchange, auth, isThere ? last : await this.#findStart(last));
  }

  async resume(exchange: Exchange, auth: AuthInfo | undefined, id: StoredEventId): Promise<ListenResult> {
    if ((await findPosition(this.#values, this.#prefix, id)) === undefined) return 'unknown';
    this.stop();
    return this.#open(exchange, auth, id);
  }

  stop(): void {
    this.#follower?.stop();
  }

  /** Ends the stream when the client has opened it at another process. */
  checkListener(listener: StreamListener | undefined): void {
    if (listener !== undefined && listener.number !== this.#number) this.stop();
  }

  get #values() {
    return toTypedValues<LogEntry>(this.#context.stores.values);
  }

  /**
   * Returns the position before the oldest event that the client may lack. `last` is the position of the last one that
   * it received, if this entry is no longer in the store. A log without entries gets one, so that the position has an
   * ID.
   */
  async #findStart(last?: StoredEventId): Promise<StoredEventId> {
    let entries: NumberedEntry[] = [];
    for await (const each of readEntries(this.#values, this.#prefix, 0)) {
      // The store has lost the entries between. A stream begins after them.
      if (each.entry !== (entries.at(-1)?.entry ?? each.entry - 1) + 1) entries = [];
      entries.push(each);
    }
    const end = entries.at(-1);
    if (end === undefined) {
      const begun = await this.#append([]);
      return { log: begun?.log ?? LISTEN_LOG, entry: begun?.entry ?? 0, events: 0, tag: begun?.tag ?? '' };
    }
    const first = last?.log === end.value.log ? last.entry : 0;
    const start = entries.find(({ entry }) => entry >= first);
    const { entry, value } = start ?? end;
    return { log: value.log, entry, events: start === undefined ? value.events.length : 0, tag: value.tag };
  }

  async #open(exchange: Exchange, auth: AuthInfo | undefined, start: StoredEventId): Promise<ListenResult> {
    const { replica, stores } = this.#context;
    const { clock, limits, report } = this.#session.context;
    const number = createStoredId();
    this.#number = number;
    // The former connection ends before this one begins. The process with the standalone stream also observes the
    // session, so that a client that reconnects finds both in one process.
    const listener = { process: replica.id, number };
    const stored = await this.#update(record => ({ ...record, observer: replica.id, listener }));
    if (this.#number !== number) return 'taken';
    let follower: StreamFollower | undefined;
    const connection = this.#session.beginStream(exchange, {
      auth,
      onClosed: () => {
        follower?.stop();
        if (follower) this.#close(number, encodeEventId(start.log, follower.position));
      },
    });
    if (connection === undefined) {
      this.#close(number, encodeEventId(start.log, start));
      return 'full';
    }
    const { http } = this.#session.dialect ?? {};
    connection.write(http?.priming ? encodePrimingEvent(encodeEventId(start.log, start), limits.sseRetry) : KEEP_ALIVE);
    follower = new StreamFollower({
      stores,
      clock,
      prefix: this.#prefix,
      connection,
      position: start,
      encode: (position, text) => encodeEvent(text, http?.sessions ? encodeEventId(start.log, position) : undefined),
      pollInterval: LISTEN_POLL,
      onPoll: () => this.#checkObserver(),
      isCurrent: () => this.#isListener(number),
      report,
    });
    this.#follower = follower;
    if (stored === undefined) follower.stop();
    else if (connection.open) follower.start();
    return 'listening';
  }

  async #isListener(number: string): Promise<boolean> {
    return (await this.#context.records.get(this.#session.id))?.value.listener?.number === number;
  }

  #close(number: string, delivered: string): void {
    this.closing = this.#update(({ listener, ...record }) => {
      if (listener?.number !== number) return listener ? { ...record, listener } : record;
      return { ...record, delivered };
    }).catch(this.#session.context.report);
  }

  /** Takes over the role of the observer if its process has stopped. */
  async #checkObserver(): Promise<void> {
    const { replica, records } = this.#context;
    const stored = await records.get(this.#session.id);
    if (stored === undefined) return this.#session.shared?.endDeleted();
    this.checkListener(stored.value.listener);
    if (!this.isOpen || (await replica.isRunning(stored.value.observer))) return;
    await this.#update(record => ({ ...record, observer: replica.id }));
  }
}
