import type { Clock } from '../../jsonrpc/clock.js';
import { TOO_MANY } from '../../jsonrpc/codes.js';
import { rpcError } from '../../jsonrpc/error.js';
import { getOwnerKey, identify } from '../../model/owner.js';
import type { Settings } from './options.js';
import type { TaskRecord } from './record.js';

interface Open {
  /** User and OAuth client. */
  readonly owner: string | undefined;
  readonly until: number;
}

/** The tasks of this process that have not ended, and how many there may be. */
export class Quota {
  readonly #settings: Settings;
  readonly #clock: Clock;
  readonly #open = new Map<string, Open>();

  constructor(settings: Settings, clock: Clock) {
    this.#settings = settings;
    this.#clock = clock;
  }

  get size(): number {
    return this.#open.size;
  }

  has(id: string): boolean {
    return this.#open.has(id);
  }

  /** Counts one more. Throws when there are as many as there may be. */
  add({ id, caller, created, ttl }: TaskRecord): void {
    const owner = getOwnerKey(identify(caller.auth));
    if (this.#isFull(owner)) this.#forgetExpired();
    if (this.#isFull(owner)) throw rpcError(TOO_MANY, 'Too many tasks are open: come again when some have ended');
    this.#open.set(id, { owner, until: ttl === null ? Number.POSITIVE_INFINITY : created + ttl });
  }

  free(id: string): void {
    this.#open.delete(id);
  }

  #isFull(owner: string | undefined): boolean {
    const { maxOpen, maxOpenPerPrincipal } = this.#settings;
    if (this.#open.size < Math.min(maxOpen, maxOpenPerPrincipal)) return false;
    const own = [...this.#open.values()].filter(each => each.owner === owner).length;
    return this.#open.size >= maxOpen || own >= maxOpenPerPrincipal;
  }

  #forgetExpired(): void {
    const now = this.#clock.now();
    for (const [id, { until }] of this.#open) if (until <= now) this.#open.delete(id);
  }
}
