import type { Clock, JsonObject } from '@tenon/base';
import type { ClientSession } from 'tenon/proxy';
import type { ConnectionScope } from '../connections/connection-scope.js';
import { NOTIFIABLE_LISTS, type NotifiableList } from '../connections/notifiable-lists.js';

export type NotificationSender = (method: string, params: JsonObject) => void;

/** Time for which changes of one list are merged into one notification, in milliseconds. */
const COALESCE_DELAY = 100;
/** Minimum time between two notifications of one list, in milliseconds. */
const MIN_INTERVAL = 250;

interface ListChangeListener {
  readonly scope: ConnectionScope;
  readonly lists: ReadonlySet<NotifiableList>;
  readonly deliver: NotificationSender;
}

interface ObservedSession {
  readonly key: string;
  readonly end: () => void;
}

interface PendingChange {
  lastSentAt: number;
  cancelTimer: (() => void) | undefined;
}

/** Notifies scopes that lists have changed. Merges changes, and stays below the rate limit of a client. */
export class ListChangeNotifier {
  readonly #clock: Clock;
  readonly #listeners = new Map<string, Set<ListChangeListener>>();
  readonly #pending = new Map<string, PendingChange>();
  readonly #observedSessions = new WeakMap<ClientSession, ObservedSession>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Adds a listener for these lists. Returns a function that removes the listener. */
  addListener(scope: ConnectionScope, lists: ReadonlySet<NotifiableList>, deliver: NotificationSender): () => void {
    const { key } = scope;
    const all = this.#listeners.get(key) ?? new Set();
    const listener = { scope, lists, deliver };
    this.#listeners.set(key, all.add(listener));
    return () => {
      all.delete(listener);
      if (all.size === 0 && this.#listeners.get(key) === all) this.#listeners.delete(key);
    };
  }

  /** Notifies a session about changes of all lists until the session ends. Its last scope decides which lists it has. */
  observeSession(session: ClientSession, scope: ConnectionScope): void {
    const { key } = scope;
    const before = this.#observedSessions.get(session);
    if (before?.key === key) return;
    before?.end();
    const end = this.addListener(scope, ALL_LISTS, (method, params) => session.notify(method, params));
    this.#observedSessions.set(session, { key, end });
    if (before === undefined) session.onEnd(() => this.#observedSessions.get(session)?.end());
  }

  notify({ key }: ConnectionScope, list: NotifiableList): void {
    this.#schedule(key, list);
  }

  /** Notifies all scopes for which the condition is true. */
  notifyWhere(holds: (scope: ConnectionScope) => boolean, list: NotifiableList): void {
    for (const [key, [first]] of [...this.#listeners]) if (first && holds(first.scope)) this.#schedule(key, list);
  }

  /** Notifies all scopes that a list has changed. */
  notifyAll(list: NotifiableList): void {
    for (const key of [...this.#listeners.keys()]) this.#schedule(key, list);
  }

  close(): void {
    for (const { cancelTimer } of this.#pending.values()) cancelTimer?.();
    this.#pending.clear();
    this.#listeners.clear();
  }

  #schedule(key: string, list: NotifiableList): void {
    if (!this.#listeners.has(key)) return;
    const id = `${list} ${key}`;
    const pending = this.#pending.get(id) ?? { lastSentAt: Number.NEGATIVE_INFINITY, cancelTimer: undefined };
    this.#pending.set(id, pending);
    if (pending.cancelTimer) return;
    const wait = Math.max(COALESCE_DELAY, pending.lastSentAt + MIN_INTERVAL - this.#clock.elapsed());
    pending.cancelTimer = this.#clock.after(wait, () => {
      pending.cancelTimer = undefined;
      pending.lastSentAt = this.#clock.elapsed();
      this.#clock.after(MIN_INTERVAL, () => pending.cancelTimer ?? this.#pending.delete(id));
      this.#send(key, list);
    });
  }

  #send(key: string, list: NotifiableList): void {
    for (const { lists, deliver } of [...(this.#listeners.get(key) ?? [])]) {
      if (lists.has(list)) deliver(`notifications/${list}/list_changed`, {});
    }
  }
}

const ALL_LISTS: ReadonlySet<NotifiableList> = new Set(NOTIFIABLE_LISTS);
