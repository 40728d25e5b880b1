import type { Clock, JsonObject } from '@tenon/base';
import { isTerminal, type TaskState } from '../../protocol/tasks.js';

/** Default poll interval of a task, in milliseconds, if the server sends none. */
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

/** The last known state of a task. A final state never changes. */
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

  /** Time until the next poll, in milliseconds. */
  get interval(): number {
    return Math.min(
      Math.max(this.#state?.pollIntervalMs ?? DEFAULT_POLL_INTERVAL, MIN_POLL_INTERVAL),
      MAX_POLL_INTERVAL,
    );
  }

  /**
   * Remaining lifetime of the task on the server, in milliseconds. It is counted from the first response, because the
   * clock of the server may differ.
   */
  get remaining(): number {
    const { ttlMs = null } = this.#state ?? {};
    return ttlMs === null ? Number.POSITIVE_INFINITY : this.#firstSeenAt + ttlMs - this.#clock.now();
  }

  /** Stores a state that the server sent. */
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

  /** Calls the listener with each new state. Returns a function that removes it. */
  onChange(listener: (state: TaskState) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Tells if a message adds the result to a task that has already ended. */
  #isLateResult({ status, result, error }: JsonObject): boolean {
    const { result: known, error: knownError, status: end } = this.#state as TaskState;
    return status === end && known === undefined && knownError === undefined && (result ?? error) !== undefined;
  }
}

/** Returns the task in a message, without the other members of the message. */
export function toTaskState(message: JsonObject): TaskState {
  const known = TASK_STATE_KEYS.filter(member => message[member] !== undefined).map(member => [
    member,
    message[member],
  ]);
  return Object.fromEntries(known) as TaskState;
}
