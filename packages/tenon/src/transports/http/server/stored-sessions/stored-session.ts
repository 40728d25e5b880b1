import { type AuthInfo, isStoreClosed, type MaybePromise } from '@tenon/base';
import { createNotification, type Id, type JsonRpcMessage } from '../../../../jsonrpc/message.js';
import type { SendOptions } from '../../../../jsonrpc/transport.js';
import type { SessionChange, SessionState, SharedStores } from '../../../../protocol/request-handler.js';
import { CallOrder } from '../../../../stores/call-order.js';
import { retryStoreFaults } from '../../../../stores/fault-retry.js';
import { encodePrimingEvent } from '../../sse/encode-event.js';
import type { EventStream } from '../../sse/event-streams.js';
import type { Exchange } from '../exchange.js';
import type { HttpSession } from '../sessions/session.js';
import { ANSWER_LOG, AnswerLog } from './answer-log.js';
import { parseEventId } from './event-id.js';
import { EventLog } from './event-log.js';
import { followAnswer } from './follow-answer.js';
import { findCancelledId, findServerRequestId, InputRequestRecords } from './input-request-records.js';
import { Listening } from './listening.js';
import type { ServerReplica } from './server-replica.js';
import {
  EMPTY_STATE,
  type SessionRecord,
  type SessionRecords,
  type StoredRecord,
  toLogPrefix,
  toRecordOwner,
  toSessionKey,
} from './session-record.js';
import type { ListenResult, SharedAnswer, SharedSession } from './shared-session.js';

/** State that all stored sessions of an endpoint share. */
export interface StoredSessionContext {
  readonly stores: SharedStores;
  readonly records: SessionRecords;
  readonly replica: ServerReplica;
}

/** Maximum interval between two extensions of the lifetime of an active session, in milliseconds. */
const MAX_EXTENSION_INTERVAL = 60_000;
/** Matches the IDs of requests that a process sends. They begin with the ID of the process. */
const REQUEST_ID = /^([0-9a-v]{12})\..*/;

let attachmentCount = 0;

/** A session in the store, as one process uses it. */
export class StoredSession implements SharedSession {
  readonly requestIdPrefix: string;
  readonly #context: StoredSessionContext;
  readonly #session: HttpSession;
  readonly #answers = new Map<string, AnswerLog>();
  readonly #listening: Listening;
  readonly #inputRequests: InputRequestRecords;
  readonly #sending = new CallOrder();
  #stored: StoredRecord | undefined;
  #changes: SessionChange[] = [];
  #saving: Promise<void> | undefined;
  #extendedAt: number;
  #isDeleted = false;

  constructor(context: StoredSessionContext, session: HttpSession, stored?: StoredRecord) {
    this.#context = context;
    this.#session = session;
    this.#stored = stored;
    attachmentCount += 1;
    this.requestIdPrefix = `${context.replica.id}.${attachmentCount.toString(36)}.`;
    // The first use at this process may be long after the last one at another.
    this.#extendedAt = stored ? Number.NEGATIVE_INFINITY : session.context.clock.now();
    const { stores, replica } = context;
    this.#inputRequests = new InputRequestRecords(stores, replica, toSessionKey(stores, session.id));
    const listenPrefix = this.#toPrefix('listen');
    this.#listening = new Listening(context, session, this.#createLog(listenPrefix), listenPrefix, change =>
      this.update(change),
    );
  }

  get isListening(): boolean {
    return this.#listening.isOpen;
  }

  get isDeleted(): boolean {
    return this.#isDeleted;
  }

  get isSaving(): boolean {
    return this.#saving !== undefined;
  }

  get state(): SessionState | undefined {
    return this.#stored?.value.state;
  }

  onStateChange(change: SessionChange): void {
    this.#changes.push(change);
  }

  save(): Promise<void> | undefined {
    if (this.#changes.length === 0) return this.#saving;
    this.#saving ??= this.#write();
    return this.#saving;
  }

  /** Replaces the record by the current one in the store. */
  adopt(stored: StoredRecord): void {
    if (this.#stored !== undefined && this.#stored.version > stored.version) return;
    const isOtherVersion = this.#stored?.version !== stored.version;
    this.#stored = stored;
    if (isOtherVersion) this.apply();
  }

  /** Applies the record to the session, at the start and after each change. */
  apply(): void {
    if (this.#stored === undefined) return;
    const { state, observer, listener, delivered } = this.#stored.value;
    this.#session.serverSession?.applyState?.(this.#applyChanges(state), observer === this.#context.replica.id);
    this.#listening.checkListener(listener, delivered);
  }

  /** Changes the record and notifies the other processes. Returns `undefined` if the session no longer exists. */
  async update(change: (record: SessionRecord) => SessionRecord): Promise<StoredRecord | undefined> {
    const { records, replica } = this.#context;
    const { id } = this.#session;
    const known = this.#stored ?? (await records.get(id));
    if (known === undefined) return undefined;
    let observer = '';
    const stored = await records.update(known, id, record => {
      observer = record.observer;
      return change(record);
    });
    if (stored === undefined) return undefined;
    this.#extendedAt = this.#session.context.clock.now();
    this.adopt(stored);
    void replica.announceChange(id).catch(this.#session.context.report);
    const isTaken = observer !== replica.id && stored.value.observer === replica.id;
    if (isTaken) this.#checkHandover(observer).catch(this.#session.context.report);
    return stored;
  }

  /** Notifies the client of changes that nobody observed, if the former observer has ended. */
  async #checkHandover(observer: string): Promise<void> {
    if (!(await this.#context.replica.isRenewing(observer))) this.#session.serverSession?.notifyMissedChanges?.();
  }

  async #write(): Promise<void> {
    try {
      while (this.#changes.length > 0) {
        const { length } = this.#changes;
        if (this.#stored === undefined) await this.#create();
        else await this.update(record => this.#toChanged(record));
        this.#changes.splice(0, length);
      }
    } finally {
      // In the same turn as the last look at the changes, so that none is left behind.
      this.#saving = undefined;
    }
  }

  async #create(): Promise<void> {
    const { records, replica } = this.#context;
    const { id, auth } = this.#session;
    await replica.join();
    const value: SessionRecord = {
      owner: toRecordOwner(auth),
      state: this.#applyChanges(EMPTY_STATE),
      observer: replica.id,
    };
    const version = await records.create(id, value);
    if (version !== undefined) this.#stored = { key: toSessionKey(this.#context.stores, id), value, version };
  }

  /**
   * Adds the changes of this process to the record. This process then observes the session, so that it knows new
   * subscriptions immediately.
   */
  #toChanged(record: SessionRecord): SessionRecord {
    return { ...record, state: this.#applyChanges(record.state), observer: this.#context.replica.id };
  }

  #applyChanges(state: SessionState): SessionState {
    return this.#changes.reduce((changed, change) => change(changed), state);
  }

  forward(message: unknown, auth: AuthInfo | undefined): Promise<void> | undefined {
    const { replica } = this.#context;
    const forwarded = { session: this.#session.id, message, auth };
    const [requestId = '', target] = REQUEST_ID.exec(String(findServerRequestId(message))) ?? [];
    if (target !== undefined) {
      const deliver = async () => {
        if (target !== replica.id) await replica.forward(forwarded, target);
        else this.#session.receiver?.onMessage(message, auth && { auth });
      };
      const { clock, report } = this.#session.context;
      // Official clients do not send a refused response again, and their call would wait until it times out.
      return retryStoreFaults(() => this.#inputRequests.receive(requestId, message, deliver), {
        clock,
        onFault: report,
      });
    }
    const cancelled = findCancelledId(message);
    if (cancelled !== undefined && !this.#session.isPending(cancelled)) return replica.forward(forwarded);
    return undefined;
  }

  sendRecorded<T>(
    message: JsonRpcMessage,
    options: SendOptions | undefined,
    deliver: () => MaybePromise<T>,
  ): MaybePromise<T> {
    const sent = this.#sending.run(this.#inputRequests.record(message, options), deliver);
    const removed = this.#inputRequests.removeCancelled(message);
    return removed === undefined ? sent : Promise.all([sent, removed]).then(([result]) => result);
  }

  sendUnrelated(text: string): Promise<void> {
    return this.#listening.send(text);
  }

  beginAnswer(connection: EventStream, requests: readonly Id[]): SharedAnswer {
    const { http } = this.#session.dialect ?? {};
    const { sseRetry } = this.#session.context.limits;
    const answer = new AnswerLog({
      requests,
      connection,
      createLog: name => this.#createLog(this.#toPrefix(name), name),
      hasEventIds: http?.sessions === true,
      encodePriming: http?.priming ? id => encodePrimingEvent(id, sseRetry) : undefined,
      publish: name =>
        void this.#context.stores.bus.publish(this.#toPrefix(name), {}).catch(this.#session.context.report),
      onEnd: name => this.#answers.delete(name),
      onLost: (unanswered, error) => this.#cancelLost(unanswered, error),
    });
    this.#answers.set(answer.name, answer);
    return answer;
  }

  /** Cancels requests whose stream was ended by another process or lost by a fault of the store. */
  #cancelLost(unanswered: readonly Id[], error: unknown): void {
    if (error !== undefined) this.#session.context.report(error);
    for (const requestId of unanswered)
      this.#session.receiver?.onMessage(
        createNotification('notifications/cancelled', { requestId, reason: 'the stream of the request was lost' }),
      );
  }

  listen(exchange: Exchange, auth: AuthInfo | undefined): Promise<ListenResult> {
    return this.#listening.begin(exchange, auth, this.#stored?.value.delivered);
  }

  async resume(exchange: Exchange, eventId: string, auth: AuthInfo | undefined): Promise<ListenResult> {
    const id = parseEventId(eventId);
    if (id === undefined) return 'unknown';
    if (!id.log.startsWith(ANSWER_LOG)) return this.#listening.resume(exchange, auth, id);
    return followAnswer(this.#context, this.#session, exchange, auth, {
      id,
      prefix: this.#toPrefix(id.log),
      release: log => this.endAnswerConnection(log),
    });
  }

  /**
   * Closes the connection of a stream that the client has resumed at another process. Returns false if this process no
   * longer writes the stream.
   */
  endAnswerConnection(name: string): boolean {
    const answer = this.#answers.get(name);
    answer?.endConnection();
    return answer !== undefined;
  }

  stopListening(): void {
    this.#listening.stop();
  }

  extendTime(): void {
    const { clock, limits } = this.#session.context;
    const now = clock.now();
    if (now - this.#extendedAt < Math.min(MAX_EXTENSION_INTERVAL, limits.sessionIdleTimeout / 4)) return;
    this.#extendedAt = now;
    if (this.#stored === undefined) return;
    this.#context.records
      .update(this.#stored, this.#session.id, record => record)
      .then(stored => (stored ? this.adopt(stored) : this.endDeleted()))
      .catch(error => {
        if (isStoreClosed(error)) this.#extendedAt = Number.POSITIVE_INFINITY;
        this.#session.context.report(error);
      });
  }

  /** Ends the session in this process, after it was deleted. */
  endDeleted(): void {
    this.#isDeleted = true;
    this.#session.end();
  }

  async delete(): Promise<void> {
    const { records, replica } = this.#context;
    const { id } = this.#session;
    this.#isDeleted = true;
    await records.delete(id);
    await replica.announceChange(id);
  }

  async detach(): Promise<void> {
    const { replica } = this.#context;
    const stopping = [...this.#answers.values()].map(each => (this.#isDeleted ? each.finish() : each.stop()));
    this.#listening.stop();
    await Promise.all([...stopping, this.#listening.closing]);
    if (this.#isDeleted || this.#stored?.value.observer !== replica.id) return;
    await this.update(record => (record.observer === replica.id ? { ...record, observer: '' } : record));
  }

  #toPrefix(name: string): string {
    return toLogPrefix(this.#context.stores, this.#session.id, name);
  }

  #createLog(prefix: string, name?: string): EventLog {
    const { stores, replica } = this.#context;
    const { limits, clock } = this.#session.context;
    const { maxReplayEvents: maxEvents, maxReplayBytes: maxBytes, sessionIdleTimeout: ttl } = limits;
    return new EventLog({ values: stores.values, prefix, writer: replica.id, ttl, maxEvents, maxBytes, clock }, name);
  }
}
