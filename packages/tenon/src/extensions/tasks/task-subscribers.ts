import type { Clock, JsonObject } from '@tenon/base';
import type { CallerInfo } from '../../handler/context.js';
import { RELATED_TASK, readMeta } from '../../protocol/meta.js';
import { isTerminal } from '../../protocol/tasks.js';
import type { ClientSession } from '../../server/request-context.js';
import type { TaskAccess } from './task-access.js';
import { getProgressToken } from './task-context.js';
import { type TaskRecord, toDetailedTask } from './task-record.js';
import type { TaskStore } from './task-store.js';

/** Minimum time between two stored progress reports of a handler, in milliseconds. */
const THROTTLE_INTERVAL = 1000;

type TaskNotifier = (method: string, params: JsonObject) => void;

interface SubscribedSession {
  readonly session: ClientSession;
  /** The last caller in this session that requested the task. */
  caller: CallerInfo;
  /**
   * Last progress that was sent. A handler that runs again reports progress from the start, but the values for the
   * client must increase.
   */
  progress: number;
}

/** Subscribers of tasks: the sessions that created them, and listeners. */
export class TaskSubscribers {
  readonly #store: TaskStore;
  readonly #clock: Clock;
  readonly #access: TaskAccess;
  readonly #onInputRequired: (record: TaskRecord) => void;
  readonly #sessions = new Map<string, SubscribedSession>();
  readonly #knownSessions = new WeakSet<ClientSession>();
  readonly #listeners = new Map<string, Map<TaskNotifier, CallerInfo>>();
  readonly #throttled = new Map<string, (() => void) | undefined>();
  #unwatchStore: (() => void) | undefined;

  /** `onInputRequired` is called when a task with a session in this process requests input. */
  constructor(store: TaskStore, clock: Clock, access: TaskAccess, onInputRequired: (record: TaskRecord) => void) {
    this.#store = store;
    this.#clock = clock;
    this.#access = access;
    this.#onInputRequired = onInputRequired;
  }

  /** Returns the session that requested a task last. */
  getSession(id: string): ClientSession | undefined {
    return this.#sessions.get(id)?.session;
  }

  /** Subscribes a session to a task while both exist. Replaces the former session. */
  subscribeSession(id: string, session: ClientSession, caller: CallerInfo): void {
    const subscribed = this.#sessions.get(id);
    if (subscribed?.session === session) {
      subscribed.caller = caller;
      return;
    }
    this.#sessions.set(id, { session, caller, progress: Number.NEGATIVE_INFINITY });
    this.#watchStore();
    if (this.#knownSessions.has(session)) return;
    this.#knownSessions.add(session);
    session.onEnd(() => {
      for (const [each, subscribed] of this.#sessions) if (subscribed.session === session) this.#unsubscribe(each);
    });
  }

  /**
   * Subscribes a listener to tasks. It gets their current state and each change. Returns a function that ends the
   * subscription.
   */
  addListener(ids: readonly string[], caller: CallerInfo, deliver: TaskNotifier): () => void {
    for (const id of ids) {
      const all = this.#listeners.get(id) ?? new Map();
      this.#listeners.set(id, all.set(deliver, caller));
      void this.#notify(
        id,
        (task, record) => this.#access.isAllowed(record, caller) && deliver('notifications/tasks', task),
      );
    }
    this.#watchStore();
    return () => {
      for (const id of ids) {
        this.#listeners.get(id)?.delete(deliver);
        if (this.#listeners.get(id)?.size === 0) this.#listeners.delete(id);
      }
      this.#stopIfUnused();
    };
  }

  /** Sends a notification of a handler to the session of the task, if there is one. */
  notifySession(record: TaskRecord, method: string, params: JsonObject): void {
    const subscribed = this.#sessions.get(record.id);
    if (subscribed === undefined || !this.#access.isAllowed(record, subscribed.caller)) return;
    if (method === 'notifications/progress') {
      const progress = Number(params.progress);
      if (getProgressToken(record) === undefined || progress <= subscribed.progress) return;
      subscribed.progress = progress;
    }
    const _meta = { ...readMeta(params), [RELATED_TASK]: { taskId: record.id } };
    subscribed.session.notify(method, { ...params, _meta });
  }

  /**
   * Runs `work` at most once per interval for each task. Of several calls during one interval, only the last one runs.
   */
  throttle(id: string, work: () => void): void {
    const isWaiting = this.#throttled.has(id);
    this.#throttled.set(id, work);
    if (!isWaiting) this.#runThrottled(id);
  }

  #runThrottled(id: string): void {
    const work = this.#throttled.get(id);
    if (work === undefined) return void this.#throttled.delete(id);
    this.#throttled.set(id, undefined);
    this.#clock.after(THROTTLE_INTERVAL, () => this.#runThrottled(id));
    work();
  }

  #watchStore(): void {
    this.#unwatchStore ??= this.#store.onChange(id => void this.#onTaskChanged(id));
  }

  #stopIfUnused(): void {
    if (this.#sessions.size > 0 || this.#listeners.size > 0) return;
    this.#unwatchStore?.();
    this.#unwatchStore = undefined;
  }

  #unsubscribe(id: string): void {
    this.#sessions.delete(id);
    this.#stopIfUnused();
  }

  async #onTaskChanged(id: string): Promise<void> {
    if (!this.#sessions.has(id) && !this.#listeners.has(id)) return;
    await this.#notify(id, (task, record) => {
      // The scopes of a tool may have changed since the subscription.
      const subscribed = this.#sessions.get(id);
      const session = subscribed && this.#access.isAllowed(record, subscribed.caller) ? subscribed.session : undefined;
      session?.notify('notifications/tasks/status', task);
      for (const [deliver, caller] of this.#listeners.get(id) ?? [])
        if (this.#access.isAllowed(record, caller)) deliver('notifications/tasks', task);
      if (session && record.status === 'input_required') this.#onInputRequired(record);
      if (isTerminal(record.status)) this.#unsubscribe(id);
    });
  }

  async #notify(id: string, notify: (task: JsonObject, record: TaskRecord) => void): Promise<void> {
    const record = await this.#store.get(id).catch(() => undefined);
    if (record) notify({ ...toDetailedTask(record, this.#clock.now()) }, record);
  }
}
