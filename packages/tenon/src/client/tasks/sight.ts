import type { Clock } from '../../jsonrpc/clock.js';
import type { JsonObject } from '../../jsonrpc/message.js';
import { isTerminal, type TaskState } from '../../model/tasks.js';

/** Between two looks at a task, in milliseconds: where its server says nothing, and whatever it says. */
const POLL_INTERVAL = 1000;
const SHORTEST = 50;
const LONGEST = 60 * 60_000;

const MEMBERS = [
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

/** What is known of a task by now. Once it has ended it stays as it is. */
export class Sight {
  readonly taskId: string;
  readonly #clock: Clock;
  readonly #listeners = new Set<(state: TaskState) => void>();
  #state: TaskState | undefined;
  #first = 0;

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
    return Math.min(Math.max(this.#state?.pollIntervalMs ?? POLL_INTERVAL, SHORTEST), LONGEST);
  }

  /** Milliseconds for which the server has yet to keep it. Counted from the first sight: its clock is another. */
  get left(): number {
    const { ttlMs = null } = this.#state ?? {};
    return ttlMs === null ? Number.POSITIVE_INFINITY : this.#first + ttlMs - this.#clock.now();
  }

  /** Takes note of what the server told. */
  see(told: JsonObject): void {
    if (this.ended && !this.#adds(told)) return;
    const state = stateOf(told);
    const before = JSON.stringify(this.#state);
    if (this.#state === undefined) this.#first = this.#clock.now();
    this.#state = state;
    if (JSON.stringify(state) === before) return;
    for (const listener of [...this.#listeners]) listener(state);
  }

  /** Takes note of what came by itself, and may have been overtaken. Says whether it was any news. */
  overhear(told: JsonObject): boolean {
    const known = Date.parse(this.#state?.lastUpdatedAt ?? '');
    if (told.taskId !== this.taskId || this.ended || Date.parse(told.lastUpdatedAt as string) < known) return false;
    this.see(told);
    return true;
  }

  /** Calls the listener with each new state. Returns the function that stops it. */
  onChange(listener: (state: TaskState) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** What a task came to may be told after its end. */
  #adds({ status, result, error }: JsonObject): boolean {
    const { result: known, error: why, status: end } = this.#state as TaskState;
    return status === end && known === undefined && why === undefined && (result ?? error) !== undefined;
  }
}

/** What a result says of a task, without what it says of itself. */
export function stateOf(told: JsonObject): TaskState {
  const known = MEMBERS.filter(member => told[member] !== undefined).map(member => [member, told[member]]);
  return Object.fromEntries(known) as TaskState;
}
