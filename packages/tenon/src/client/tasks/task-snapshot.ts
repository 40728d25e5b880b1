import type { Clock } from '../../cancellation/clock.js';
import type { JsonObject } from '../../jsonrpc/message.js';
import { isTerminal, type TaskState } from '../../protocol/tasks.js';

/** Poll intervals of a task, in milliseconds: the default if the server sends none, and the minimum in any case. */
const DEFAULT_POLL_INTERVAL = 1000;
const MIN_POLL_INTERVAL = 20;
const MAX_POLL_INTERVAL = 60 * 60_000;

const TASK_STATE_KEYS = [
  'taskId',
  'status',
  'statusMessage',
  'createdAt',
  'lastUpdatedAt',
  'ttlMs',
  'pollIntervalMs',
  'inputRequests',
  'result',
  'error',
] as const;

/** The last known state of a task. Once it has ended it stays as it is. */
export class TaskSnapshot {
  readonly taskId: string;
  readonly #clock: Clock;
  readonly #listeners = new Set<(state: TaskState) => void>();
  #state: TaskState | undefined;
  #firstSeenAt = 0;

  constructor(taskId: string, clock: Clock) {
    this.taskId = taskId;
    this.#clock = clock;
  }

  get state(): TaskState | undefined {
    return this.#state;
  }

  get ended(): boolean {
    return this.#state !== undefined && isTerminal(this.#state.status);
  }

  /** Milliseconds to wait between two looks. */
  get interval(): number {
    return Math.min(
      Math.max(this.#state?.pollIntervalMs ?? DEFAULT_POLL_INTERVAL, MIN_POLL_INTERVAL),
      MAX_POLL_INTERVAL,
    );
  }

  /** Milliseconds for which the server has yet to keep it. Counted from the first sight: its clock is another. */
  get remaining(): number {
    const { ttlMs = null } = this.#state ?? {};
    return ttlMs === null ? Number.POSITIVE_INFINITY : this.#firstSeenAt + ttlMs - this.#clock.now();
  }

  /** Stores the state that the server sent. */
  update(message: JsonObject): void {
    if (this.ended && !this.#isLateResult(message)) return;
    const state = toTaskState(message);
    const before = JSON.stringify(this.#state);
    if (this.#state === undefined) this.#firstSeenAt = this.#clock.now();
    this.#state = state;
    if (JSON.stringify(state) === before) return;
    for (const listener of [...this.#listeners]) listener(state);
  }

  /** Stores the state of a notification, which may be older than the current one. Returns true if it was newer. */
  updateFromNotification(message: JsonObject): boolean {
    const known = Date.parse(this.#state?.lastUpdatedAt ?? '');
    if (message.taskId !== this.taskId || this.ended || Date.parse(message.lastUpdatedAt as string) < known)
      return false;
    this.update(message);
    return true;
  }

  /** Calls the listener with each new state. Returns the function that stops it. */
  onChange(listener: (state: TaskState) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** True for a result that comes after the end of the task. */
  #isLateResult({ status, result, error }: JsonObject): boolean {
    const { result: known, error: knownError, status: end } = this.#state as TaskState;
    return status === end && known === undefined && knownError === undefined && (result ?? error) !== undefined;
  }
}

/** Extracts the task from a message, without the members of the message itself. */
export function toTaskState(message: JsonObject): TaskState {
  const known = TASK_STATE_KEYS.filter(member => message[member] !== undefined).map(member => [
    member,
    message[member],
  ]);
  return Object.fromEntries(known) as TaskState;
}
