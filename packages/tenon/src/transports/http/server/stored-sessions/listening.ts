import { type AuthInfo, type PeriodicRun, runPeriodically, toTypedValues } from '@tenon/base';
import { encodeEvent, encodePrimingEvent, KEEP_ALIVE } from '../../sse/encode-event.js';
import type { EventStream } from '../../sse/event-streams.js';
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
 * The standalone streams of a shared session. Every process appends to their log. The process with the connection that the
 * client opened last sends the events on it. Other connections stay open, and get events when that one has ended.
 */
export class Listening {
  readonly #context: StoredSessionContext;
  readonly #session: HttpSession;
  readonly #log: EventLog;
  readonly #prefix: string;
  readonly #update: UpdateRecord;
  #follower: StreamFollower | undefined;
  /** Connections that get no events, the one that was opened last at the end. */
  #waiting: EventStream[] = [];
  #checking: PeriodicRun | undefined;
  #number = '';
  /** Name of the log in the IDs of the events. */
  #logName = '';
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
    const start = this.isOpen && this.#follower ? this.#suspend(this.#follower) : await this.#findNext(delivered);
    return this.#open(exchange, auth, start, 'another');
  }

  /** Returns the position after the last event that the client received on an earlier connection. */
  async #findNext(delivered: string | undefined): Promise<StoredEventId> {
    const last = parseEventId(delivered);
    const isThere = last && (await findPosition(this.#values, this.#prefix, last)) !== undefined;
    return isThere ? last : this.#findStart(last);
  }

  async resume(exchange: Exchange, auth: AuthInfo | undefined, id: StoredEventId): Promise<ListenResult> {
    if ((await findPosition(this.#values, this.#prefix, id)) === undefined) return 'unknown';
    if (this.isOpen && this.#follower) this.#suspend(this.#follower);
    return this.#open(exchange, auth, id, 'resumed');
  }

  stop(): void {
    void this.#checking?.stop();
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const connection of waiting) connection.end();
    this.#follower?.stop();
  }

  /**
   * Stops to send when the client has opened a stream at another process. Sends again when that stream has ended, after
   * the last event that was sent on it.
   */
  checkListener(listener: StreamListener | undefined, delivered?: string): void {
    if (listener !== undefined) {
      if (listener.number === this.#number) return;
      if (this.isOpen && this.#follower) this.#suspend(this.#follower);
      // Also connections that were left without events, as by a follower that read of the change first.
      if (listener.endsFormer) this.stop();
      return;
    }
    if (!this.isOpen && this.#waiting.length > 0) this.#sendOnWaiting(() => this.#findNext(delivered));
  }

  /** Leaves a connection open without events. Returns the position after its last event. */
  #suspend(follower: StreamFollower): StoredEventId {
    follower.detach();
    this.#follower = undefined;
    this.#waiting.push(follower.connection);
    this.#checkSender();
    return { log: this.#logName, ...follower.position };
  }

  /** Sends the next events on the connection that was opened last. */
  #sendOnWaiting(findStart: () => StoredEventId | Promise<StoredEventId>): void {
    const connection = this.#waiting.pop();
    if (connection === undefined) return;
    const start = async (): Promise<void> => {
      const position = await findStart();
      await this.#claim('waiting', number => this.#follow(connection, number, position));
    };
    start().catch(error => {
      this.#session.context.report(error);
      connection.end();
    });
  }

  /** Checks the process that sends the events, because the bus may lose its message, and the process may have stopped. */
  #checkSender(): void {
    const { replica, records } = this.#context;
    const { clock, report } = this.#session.context;
    void this.#checking?.stop();
    const checking = runPeriodically({ clock, interval: LISTEN_POLL, onError: report }, async () => {
      if (this.#waiting.length === 0 || this.isOpen) return void checking.stop();
      const stored = await records.get(this.#session.id);
      if (stored === undefined) return this.#session.shared?.endDeleted();
      const { listener, delivered } = stored.value;
      const isRunning = listener !== undefined && (await replica.isRunning(listener.process));
      this.checkListener(isRunning ? listener : undefined, delivered);
    });
    this.#checking = checking;
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

  async #open(
    exchange: Exchange,
    auth: AuthInfo | undefined,
    start: StoredEventId,
    kind: 'another' | 'resumed',
  ): Promise<ListenResult> {
    return this.#claim(kind, number => {
      const connection = this.#session.beginStream(exchange, {
        auth,
        onClosed: closed => this.#handleClosed(closed),
      });
      if (connection === undefined) {
        this.#release(start);
        return 'full';
      }
      const { http } = this.#session.dialect ?? {};
      const { sseRetry } = this.#session.context.limits;
      connection.write(http?.priming ? encodePrimingEvent(encodeEventId(start.log, start), sseRetry) : KEEP_ALIVE);
      this.#follow(connection, number, start);
      return 'listening';
    });
  }

  /**
   * Records that this process sends the events. It also observes the session, so that a client that reconnects finds both
   * in one process.
   */
  async #claim<T>(kind: 'another' | 'resumed' | 'waiting', begin: (number: string) => T): Promise<T> {
    const number = createStoredId();
    this.#number = number;
    const process = this.#context.replica.id;
    const stored = await this.#update(record => {
      const { listener } = record;
      const isOther = kind === 'waiting' || (kind === 'another' && listener !== undefined);
      const isOneOfSeveral = isOther || listener?.isOneOfSeveral === true;
      const endsFormer = kind === 'resumed' && !isOneOfSeveral;
      // A change that the observer has not sent yet would be lost if this process became the observer.
      const observer = kind === 'waiting' ? record.observer : process;
      return { ...record, observer, listener: { process, number, isOneOfSeveral, endsFormer } };
    });
    if (stored === undefined || stored.value.listener?.endsFormer) this.stop();
    const result = begin(number);
    if (stored === undefined) this.stop();
    return result;
  }

  #follow(connection: EventStream, number: string, start: StoredEventId): void {
    const { clock, report } = this.#session.context;
    const { stores } = this.#context;
    // The client has opened another connection meanwhile.
    if (this.#number !== number) return void this.#waiting.unshift(connection);
    const { http } = this.#session.dialect ?? {};
    const follower: StreamFollower = new StreamFollower({
      stores,
      clock,
      prefix: this.#prefix,
      connection,
      position: start,
      encode: (position, text) => encodeEvent(text, http?.sessions ? encodeEventId(start.log, position) : undefined),
      pollInterval: LISTEN_POLL,
      onPoll: () => this.#checkObserver(),
      isCurrent: () => this.#isListener(number),
      onReplaced: () => void this.#suspend(follower),
      report,
    });
    this.#follower = follower;
    this.#logName = start.log;
    if (connection.open) follower.start();
    else this.#handleClosed(connection);
  }

  /** Continues on another open connection of this process, or leaves the events to other processes. */
  #handleClosed(connection: EventStream): void {
    const follower = this.#follower;
    if (follower === undefined || follower.connection !== connection) {
      this.#waiting = this.#waiting.filter(each => each !== connection);
      return;
    }
    follower.detach();
    this.#follower = undefined;
    const position = { log: this.#logName, ...follower.position };
    if (this.#waiting.length > 0) this.#sendOnWaiting(() => position);
    else this.#release(position);
  }

  async #isListener(number: string): Promise<boolean> {
    return (await this.#context.records.get(this.#session.id))?.value.listener?.number === number;
  }

  /** Records that this process sends no more events, and the position after the last one. */
  #release(position: StoredEventId): void {
    const number = this.#number;
    this.closing = this.#update(({ listener, ...record }) => {
      if (listener?.number !== number) return listener ? { ...record, listener } : record;
      return { ...record, delivered: encodeEventId(position.log, position) };
    }).catch(this.#session.context.report);
  }

  /** Takes over the role of the observer if its process has stopped. */
  async #checkObserver(): Promise<void> {
    const { replica, records } = this.#context;
    const stored = await records.get(this.#session.id);
    if (stored === undefined) return this.#session.shared?.endDeleted();
    this.checkListener(stored.value.listener, stored.value.delivered);
    if (!this.isOpen || (await replica.isRunning(stored.value.observer))) return;
    await this.#update(record => ({ ...record, observer: replica.id }));
  }
}
