import type { Clock } from '../../jsonrpc/clock.js';
import { TOO_MANY } from '../../jsonrpc/codes.js';
import { rpcError } from '../../jsonrpc/error.js';
import { SharedLimit } from '../../jsonrpc/shared-limit.js';
import { getOwnerKey, identify } from '../../model/owner.js';
import type { Settings } from './options.js';
import { getCaller, type TaskRecord } from './record.js';

interface Open {
  /** User and OAuth client. */
  readonly owner: string | undefined;
  /** The user or the address. */
  readonly caller: string;
  readonly until: number;
}

/** The tasks of this process that have not ended, and how many there may be. */
export class Quota {
  readonly #settings: Settings;
  readonly #clock: Clock;
  readonly #open = new Map<string, Open>();
  readonly #held: SharedLimit;

  constructor(settings: Settings, clock: Clock) {
    this.#settings = settings;
    this.#clock = clock;
    this.#held = new SharedLimit(settings.maxOpen, settings.maxShare);
  }

  get size(): number {
    return this.#open.size;
  }

  has(id: string): boolean {
    return this.#open.has(id);
  }

  /** Counts one more. Throws when there are as many as there may be. */
  add(record: TaskRecord): void {
    const { id, created, ttl } = record;
    const owner = getOwnerKey(identify(record.caller.auth));
    const caller = getCaller(record);
    if (this.#isFull(owner, caller)) this.#forgetExpired();
    if (this.#isFull(owner, caller))
      throw rpcError(TOO_MANY, 'Too many tasks are open: come again when some have ended');
    this.#held.add(caller);
    this.#open.set(id, { owner, caller, until: ttl === null ? Number.POSITIVE_INFINITY : created + ttl });
  }

  free(id: string): void {
    const open = this.#open.get(id);
    if (open !== undefined) this.#held.release(open.caller);
    this.#open.delete(id);
  }

  #isFull(owner: string | undefined, caller: string): boolean {
    const { maxOpenPerPrincipal } = this.#settings;
    if (!this.#held.fits(caller)) return true;
    if (this.#held.held(caller) < maxOpenPerPrincipal) return false;
    const own = [...this.#open.values()].filter(each => each.owner === owner && each.caller === caller);
    return own.length >= maxOpenPerPrincipal;
  }

  #forgetExpired(): void {
    const now = this.#clock.now();
    for (const [id, { until }] of this.#open) if (until <= now) this.free(id);
  }
}
