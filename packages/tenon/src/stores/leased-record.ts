import {
  type Clock,
  type PeriodicRun,
  runPeriodically,
  TenonError,
  toRecordValues,
  toTypedValues,
  type Values,
} from '@tenon/base';
import { type FaultRetryOptions, retryStoreFaults } from './fault-retry.js';
import { putOnce } from './put-once.js';

declare const crypto: { randomUUID(): string };

/** The owner of a lease and the duration of its leases, in milliseconds. */
export interface LeaseOwner {
  readonly clock: Clock;
  readonly lease: number;
  /** The user or address for which a new record is written. */
  readonly caller?: string | undefined;
  /** Repeats store calls that fail with a fault, once the owner has the record. Absent: the call throws the fault. */
  readonly faults?: Omit<FaultRetryOptions, 'clock'> | undefined;
  /**
   * True if `take` repeats calls that fail with a fault, too.
   * @default `false`
   */
  readonly waitsToTake?: boolean;
}

/** Lease of a record. A record has one while a worker owns the record. */
export interface Lease {
  /** ID of the current owner. A write of a former owner is refused because its ID differs. */
  readonly fence: string;
}

/**
 * Tells if the owner of a lease is considered alive. It renews a value that the store deletes at the end of the lease,
 * so only the clock of the store counts. The clocks of two machines are never compared.
 */
export async function isLeaseActive(values: Values, lease: Lease | undefined): Promise<boolean> {
  return lease !== undefined && (await toRecordValues(values).get(toLeaseKey(lease.fence))) !== undefined;
}

const toLeaseKey = (fence: string): string => `lease/${fence}`;

type Leased<T> = T & { readonly lease?: Lease };

function withoutLease<T extends object>({ lease: _, ...value }: Leased<T>): T {
  // The compiler cannot infer that the rest of `T & { lease? }` is `T` again.
  return value as unknown as T;
}

/**
 * A record that one process at a time works on. The owner takes the record by a lease and renews the lease during the
 * work. When the lease expires, another process may take over the record, and writes of the former owner are refused.
 */
export class LeasedRecord<T extends object> {
  readonly #values: Values<Leased<T>>;
  readonly #leases: Values;
  readonly #key: string;
  readonly #owner: LeaseOwner;
  readonly #ttl: (value: T) => number | undefined;
  readonly #fence = crypto.randomUUID();
  #value: T;
  #version: number;
  #until = { time: 0, elapsed: 0 };
  #lastWrite: Promise<unknown> = Promise.resolve();
  #lostError: TenonError | undefined;
  #renewal: PeriodicRun | undefined;
  #onLost: ((error: TenonError) => void) | undefined;

  private constructor(values: Values, key: string, owner: LeaseOwner, ttl: (value: T) => number | undefined, value: T) {
    this.#values = toTypedValues<Leased<T>>(values);
    this.#leases = toRecordValues(values);
    this.#key = key;
    this.#owner = owner;
    this.#ttl = ttl;
    this.#value = value;
    this.#version = 0;
  }

  /**
   * Leases the record of a key. Returns `undefined` if another worker owns it. `change` returns the new record, or
   * `undefined` when there is nothing to do.
   */
  static async take<T extends object>(
    values: Values,
    key: string,
    owner: LeaseOwner,
    change: (stored: T | undefined) => T | undefined,
    ttl: (value: T) => number | undefined,
  ): Promise<LeasedRecord<T> | undefined> {
    const typedValues = toTypedValues<Leased<T>>(values);
    const retry = <R>(attempt: () => Promise<R>) => retryFaults(owner, attempt, owner.waitsToTake);
    for (;;) {
      const stored = await retry(() => typedValues.get(key));
      if (await retry(() => isLeaseActive(values, stored?.value.lease))) return undefined;
      const value = change(stored && withoutLease<T>(stored.value));
      if (value === undefined) return undefined;
      const record = new LeasedRecord<T>(values, key, owner, ttl, value);
      if (await record.#writeRecord(value, stored?.version ?? 0)) return record;
      record.#deleteLease();
    }
  }

  /** Creates a record and leases it. Throws `store/lease-lost` when the key already has a value. */
  static async create<T extends object>(
    values: Values,
    key: string,
    owner: LeaseOwner,
    value: T,
    ttl: (value: T) => number | undefined,
  ): Promise<LeasedRecord<T>> {
    const record = new LeasedRecord<T>(values, key, owner, ttl, value);
    if (!(await record.#writeRecord(value, 0))) throw record.#markLost();
    return record;
  }

  /** ID of this owner. It is different each time that the record is taken. */
  get fence(): string {
    return this.#fence;
  }

  /** The record that was last read or written. */
  get value(): T {
    return this.#value;
  }

  /**
   * True if the lease was not renewed in time, for example because the process was suspended. Another process may own
   * the record.
   */
  get isLapsed(): boolean {
    const { clock } = this.#owner;
    // Either clock can stop or go back: one while the machine sleeps, the other when it is set.
    return clock.now() >= this.#until.time || clock.elapsed() >= this.#until.elapsed;
  }

  /**
   * Updates the record and keeps concurrent changes of other processes. Throws `store/lease-lost` when another worker
   * owns the record.
   */
  update(change: (value: T) => T): Promise<T> {
    return this.#enqueue(async () => {
      for (;;) {
        if (this.#lostError) throw this.#lostError;
        if (await this.#writeRecord(change(this.#value), this.#version)) return this.#value;
        await this.#readRecord();
      }
    });
  }

  /** Reads the record again, with the changes of other processes. */
  refresh(): Promise<T> {
    return this.#enqueue(async () => {
      await this.#readRecord();
      return this.#value;
    });
  }

  /**
   * Renews the lease at intervals until it is released or lost. `onLost` is called if it is lost, and `onRenewed` with
   * the current record after each renewal.
   */
  renew(onLost?: (error: TenonError) => void, onRenewed?: (value: T) => void): void {
    this.#onLost = onLost;
    const { clock, lease } = this.#owner;
    // The owner learns of a lost lease by `onLost`, and of other failures by its own writes.
    this.#renewal = runPeriodically({ clock, interval: lease / 3, onError: () => {} }, async () => {
      const value = await this.update(current => current);
      onRenewed?.(value);
    });
  }

  /** Releases the record with a last change. */
  release(change: (value: T) => T = value => value): Promise<void> {
    this.stop();
    return this.#enqueue(async () => {
      for (;;) {
        if (this.#lostError) return;
        if (await this.#writeRecord(change(this.#value), this.#version, true)) return;
        await this.#readRecord().catch(() => {});
      }
    });
  }

  /** Stops the renewal of the lease, so that the lease expires. */
  stop(): void {
    void this.#renewal?.stop();
  }

  #enqueue<R>(work: () => Promise<R>): Promise<R> {
    const next = this.#lastWrite.then(work, work);
    this.#lastWrite = next.catch(() => {});
    return next;
  }

  async #writeRecord(value: T, version: number, last = false): Promise<boolean> {
    const { clock, lease, caller } = this.#owner;
    const until = { time: clock.now() + lease, elapsed: clock.elapsed() + lease };
    const record = last ? value : { ...value, lease: { fence: this.#fence } };
    const ttl = this.#ttl(value);
    const owner = caller === undefined ? {} : { owner: caller };
    const options = { version, ...(ttl === undefined ? {} : { ttl }), ...owner };
    const retry = <R>(attempt: () => Promise<R>) => this.#retryFaults(attempt);
    // The store keeps the order of writes, so the lease is active before others see the record.
    const [, written] = await Promise.all([
      last ? undefined : retry(() => this.#leases.put(toLeaseKey(this.#fence), {}, { ttl: lease, ...owner })),
      putOnce(this.#values, this.#key, record, options, retry),
    ]);
    if (written === undefined) return false;
    if (last) this.#deleteLease();
    this.#value = value;
    this.#version = written;
    this.#until = until;
    return true;
  }

  #retryFaults<R>(attempt: () => Promise<R>): Promise<R> {
    return retryFaults(this.#owner, attempt, this.#owner.waitsToTake || this.#version > 0);
  }

  async #readRecord(): Promise<void> {
    const stored = await this.#retryFaults(() => this.#values.get(this.#key));
    if (stored?.value.lease?.fence !== this.#fence) throw this.#markLost();
    this.#value = withoutLease<T>(stored.value);
    this.#version = stored.version;
  }

  /** Deletes the lease. If that fails, the lease expires. */
  #deleteLease(): void {
    this.#leases.delete(toLeaseKey(this.#fence)).catch(() => {});
  }

  #markLost(): TenonError {
    this.stop();
    this.#deleteLease();
    this.#lostError = new TenonError('store/lease-lost', 'another process has taken over the work', {
      hint: 'do nothing, because the other process continues the work',
    });
    this.#onLost?.(this.#lostError);
    return this.#lostError;
  }
}

function retryFaults<R>({ clock, faults }: LeaseOwner, attempt: () => Promise<R>, isWaiting = false): Promise<R> {
  return faults && isWaiting ? retryStoreFaults(attempt, { ...faults, clock }) : attempt();
}

/**
 * Updates a record without leasing it, even if another worker owns it. `change` returns the new record, or `undefined`
 * to change nothing. Returns the current record, or `undefined` if there is none.
 */
export async function updateIfPresent<T extends object>(
  values: Values,
  key: string,
  change: (stored: T) => T | undefined,
  ttl: (value: T) => number | undefined,
): Promise<T | undefined> {
  const typedValues = toTypedValues<T>(values);
  for (;;) {
    const stored = await typedValues.get(key);
    if (stored === undefined) return undefined;
    const value = change(stored.value);
    if (value === undefined) return stored.value;
    const expiresIn = ttl(value);
    const options = expiresIn === undefined ? { version: stored.version } : { version: stored.version, ttl: expiresIn };
    if (await typedValues.put(key, value, options)) return value;
  }
}
