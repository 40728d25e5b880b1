import { type Clock, getOwnerKey, identifyCaller, rpcError, SharedLimit, TOO_MANY_REQUESTS } from '@tenon/base';
import type { TaskSettings } from './options.js';
import { getCaller, type TaskRecord } from './task-record.js';

interface OpenTask {
  /** Key of the user and OAuth client. Undefined for anonymous callers. */
  readonly owner: string | undefined;
  /** Key of the user or of the address. */
  readonly caller: string;
  readonly expiresAt: number;
}

/** Counts the open tasks of this process and enforces their limits. */
export class TaskQuota {
  readonly #settings: TaskSettings;
  readonly #clock: Clock;
  readonly #open = new Map<string, OpenTask>();
  readonly #limit: SharedLimit;

  constructor(settings: TaskSettings, clock: Clock) {
    this.#settings = settings;
    this.#clock = clock;
    this.#limit = new SharedLimit(settings.maxOpen, settings.maxShare);
  }

  get size(): number {
    return this.#open.size;
  }

  has(id: string): boolean {
    return this.#open.has(id);
  }

  /** Counts a task. Throws when a limit is reached. */
  add(record: TaskRecord): void {
    const { id, created, ttl } = record;
    const owner = getOwnerKey(identifyCaller(record.caller.auth));
    const caller = getCaller(record);
    if (this.#isFull(owner, caller)) this.#forgetExpired();
    if (this.#isFull(owner, caller))
      throw rpcError(TOO_MANY_REQUESTS, 'Too many open tasks. Retry when some have ended');
    this.#limit.add(caller);
    this.#open.set(id, { owner, caller, expiresAt: ttl === null ? Number.POSITIVE_INFINITY : created + ttl });
  }

  release(id: string): void {
    const open = this.#open.get(id);
    if (open !== undefined) this.#limit.release(open.caller);
    this.#open.delete(id);
  }

  #isFull(owner: string | undefined, caller: string): boolean {
    const { maxOpenPerUser } = this.#settings;
    if (!this.#limit.canTake(caller)) return true;
    if (this.#limit.countHeld(caller) < maxOpenPerUser) return false;
    const own = [...this.#open.values()].filter(each => each.owner === owner && each.caller === caller);
    return own.length >= maxOpenPerUser;
  }

  #forgetExpired(): void {
    const now = this.#clock.now();
    for (const [id, { expiresAt }] of this.#open) if (expiresAt <= now) this.release(id);
  }
}
