import {
  type AuthInfo,
  type Clock,
  computeFingerprint,
  getOwnerKey,
  identifyCaller,
  isSameOwner,
  isUnknownFormat,
  type JsonObject,
  type Stores,
  TenonError,
  toTypedValues,
  type Values,
} from '@tenon/base';
import type { JournalEntry } from '../../execution/journal.js';
import { isTerminal } from '../../protocol/tasks.js';
import type { ExtensionHost } from '../../server/extension.js';
import { AppendLog } from '../../stores/append-log.js';
import { chunkLargeValues } from '../../stores/chunked-values.js';
import { retryStoreFaults } from '../../stores/fault-retry.js';
import {
  isLeaseActive,
  type Lease,
  LeasedRecord,
  type LeaseOwner,
  updateIfPresent,
} from '../../stores/leased-record.js';
import type { TaskSettings } from './options.js';
import { getCaller, type TaskRecord } from './task-record.js';

declare const crypto: { randomUUID(): string };

const OPEN_PREFIX = 'task-open/';
const PAGE_SIZE = 1000;
/** Maximum difference of the clocks of two processes after both were compared with that of the store, in milliseconds. */
const CLOCK_MARGIN = 1000;

type StoredTask = TaskRecord & { readonly lease?: Lease };

/** A task that this process has leased. */
export interface TaskClaim {
  readonly record: LeasedRecord<TaskRecord>;
  /** Log of the completed steps. */
  readonly log: AppendLog<JournalEntry>;
  /** The journal at the time when this process leased the task. */
  readonly entries: readonly JournalEntry[];
}

/** Stores tasks and announces their changes. */
export class TaskStore {
  readonly #bus: Stores['bus'];
  readonly #values: Values;
  readonly #clock: Clock;
  readonly #owner: LeaseOwner;
  readonly #maxSize: number;
  /** Time that is added to each lifetime, so that an inexact clock never shortens it, in milliseconds. */
  readonly #margin: number;
  readonly #onError: (error: TenonError) => void;
  readonly #listeners = new Set<(id: string) => void>();
  #unsubscribe: (() => void) | undefined;

  constructor(
    { stores, clock, onError }: Pick<ExtensionHost, 'stores' | 'clock' | 'onError'>,
    { leaseTtl, maxRecordSize }: TaskSettings,
  ) {
    this.#bus = stores.bus;
    this.#values = chunkLargeValues(stores.values, maxRecordSize);
    this.#maxSize = maxRecordSize;
    this.#margin = stores.now === undefined ? 0 : CLOCK_MARGIN;
    this.#clock = clock;
    this.#onError = onError;
    this.#owner = { clock, lease: leaseTtl, faults: { maxElapsed: Number.POSITIVE_INFINITY, onFault: onError } };
  }

  /** Stores a new task, leased by this process. Other processes can find and continue it after it is indexed. */
  async create(value: TaskRecord): Promise<TaskClaim> {
    const owner = { ...this.#owner, caller: getCaller(value) };
    const record = await LeasedRecord.create(this.#values, `task/${value.id}`, owner, value, this.#ttl);
    return { record, log: this.#openLog(value, record.fence), entries: value.journal };
  }

  async index(record: TaskRecord): Promise<void> {
    const ttl = this.#ttl(record);
    const options = { owner: getCaller(record), ...(ttl === undefined ? {} : { ttl }) };
    await Promise.all([
      this.#values.put(OPEN_PREFIX + record.id, {}, options),
      this.#values.put(createIndexKey(record), { id: record.id }, options),
    ]);
  }

  async get(id: string): Promise<StoredTask | undefined> {
    if (!/^[\w-]{1,128}$/.test(id)) return undefined;
    return (await toTypedValues<StoredTask>(this.#values).get(`task/${id}`))?.value;
  }

  /** Updates a task that a worker may have leased, and announces the change. */
  async updateIfPresent(
    id: string,
    change: (stored: StoredTask) => TaskRecord | undefined,
  ): Promise<TaskRecord | undefined> {
    let isChanged = false;
    const trackTask = (stored: StoredTask) => {
      const next = change(stored);
      isChanged = next !== undefined;
      return next;
    };
    const record = await updateIfPresent(this.#values, `task/${id}`, trackTask, this.#ttl);
    if (isChanged) await this.publishChange(id);
    return record;
  }

  /** Leases a task that waits for a worker. */
  async takeOver(id: string): Promise<TaskClaim | undefined> {
    const change = (stored: TaskRecord | undefined) => (stored?.status === 'working' ? stored : undefined);
    const record = await LeasedRecord.take<TaskRecord>(this.#values, `task/${id}`, this.#owner, change, this.#ttl);
    if (record === undefined) return undefined;
    const log = this.#openLog(record.value, record.fence);
    // The record is leased first, so that the former process cannot append after the log was read.
    const entries = await log.takeOver();
    // This process may have been suspended before it marked the log, and another one has the task.
    if (record.isLapsed && !(await holdsRecord(record))) return undefined;
    return { record, log, entries: [...entries, ...record.value.journal] };
  }

  /** Deletes the data of a task that has ended. `log` belongs to the process that worked on the task. */
  async cleanUp(record: TaskRecord, log?: AppendLog<JournalEntry>): Promise<void> {
    const ended = log ?? this.#openLog(record, crypto.randomUUID());
    // Another process may still run a cancelled task until it is notified.
    if (log === undefined) await ended.takeOver();
    await ended.deleteEntries();
    await this.#removeOpenEntry(record.id);
  }

  /** Deletes a task whose ID was never sent to its client. */
  async discard(record: TaskRecord, log = this.#openLog(record, crypto.randomUUID())): Promise<void> {
    await this.#values.delete(`task/${record.id}`);
    await this.#values.delete(createIndexKey(record));
    await this.cleanUp(record, log);
  }

  /** Iterates over the IDs of tasks that have not ended, or have ended recently. */
  async *listOpen(): AsyncGenerator<string> {
    for (let after: string | undefined; ; ) {
      const keys = await this.#values.list(OPEN_PREFIX, after === undefined ? {} : { after });
      for (const { key } of keys) yield key.slice(OPEN_PREFIX.length);
      after = keys.at(-1)?.key;
      if (keys.length < PAGE_SIZE || after === undefined) return;
    }
  }

  /** Tells if a task could continue and no worker has leased it. A task that has ended cannot continue. */
  async isIdle(id: string): Promise<boolean> {
    const record = await this.get(id);
    if (record === undefined) await this.#removeOpenEntry(id);
    else if (isTerminal(record.status)) await this.cleanUp(record);
    return record?.status === 'working' && !(await isLeaseActive(this.#values, record.lease));
  }

  /** Ends a task that no worker has leased. Returns the record if this call ended it. */
  async endIdle(id: string, end: (stored: TaskRecord) => TaskRecord): Promise<TaskRecord | undefined> {
    const values = toTypedValues<StoredTask>(this.#values);
    const seen = await values.get(`task/${id}`);
    if (seen?.value.status !== 'working' || (await isLeaseActive(this.#values, seen.value.lease))) return undefined;
    const { lease: _, ...stored } = seen.value;
    const record = end(stored);
    // Only this version: a worker may have leased the task, or renewed its lease, since the lease was read.
    const written = await values.put(seen.key, record, { version: seen.version, ttl: this.#ttl(record) });
    if (written === undefined) return undefined;
    await this.publishChange(id);
    return record;
  }

  /**
   * Returns one page of the tasks of a user and OAuth client, oldest first, and the start of the next page if there is
   * one.
   */
  async list(auth: AuthInfo | undefined, after: string | undefined, limit: number): Promise<TaskPage> {
    const prefix = createIndexPrefix(auth);
    const options = after === undefined ? { limit: limit + 1 } : { after: prefix + after, limit: limit + 1 };
    const entries = await this.#values.list(prefix, options);
    const page = entries.slice(0, limit);
    // A record that another release wrote is left out.
    const read = (id: string) =>
      this.get(id).catch((error: unknown): undefined => {
        if (!isUnknownFormat(error)) throw error;
      });
    const records = await Promise.all(page.map(({ value }) => read(value.id as string)));
    const next = entries.length > limit ? page.at(-1)?.key.slice(prefix.length) : undefined;
    // The prefix is a short hash, which other owners may share.
    return { records: records.filter(each => each && isSameOwner(each.caller.auth, auth)) as TaskRecord[], next };
  }

  /** Announces a change. If the bus fails, the change is still stored, and listeners read the store at intervals. */
  async publishChange(id: string): Promise<void> {
    await this.#bus.publish('tasks', { id }).catch(error => this.#onError(TenonError.from(error)));
  }

  /** Calls `onChange` with the ID of each task that changes, in any process. */
  onChange(onChange: (id: string) => void): () => void {
    this.#listeners.add(onChange);
    this.#unsubscribe ??= this.#bus.subscribe('tasks', ({ id }: JsonObject) => {
      for (const each of [...this.#listeners]) each(String(id));
    });
    return () => {
      this.#listeners.delete(onChange);
      if (this.#listeners.size > 0) return;
      this.#unsubscribe?.();
      this.#unsubscribe = undefined;
    };
  }

  #openLog(record: TaskRecord, writer: string): AppendLog<JournalEntry> {
    const { clock, faults } = this.#owner;
    return new AppendLog(this.#values, {
      prefix: `task-log/${record.id}/`,
      writer,
      maxSize: this.#maxSize,
      ttl: () => this.#ttl(record),
      owner: getCaller(record),
      run: attempt => retryStoreFaults(attempt, { ...faults, clock }),
    });
  }

  async #removeOpenEntry(id: string): Promise<void> {
    await this.#values.delete(OPEN_PREFIX + id);
  }

  /** Returns the remaining lifetime of a record, in milliseconds. Undefined if it has no end. */
  readonly #ttl = ({ created, ttl }: TaskRecord): number | undefined =>
    ttl === null ? undefined : Math.max(1, created + ttl - this.#clock.now()) + this.#margin;
}

/** Tells if this process still holds a record whose lease may have expired, and renews the lease. */
async function holdsRecord(record: LeasedRecord<TaskRecord>): Promise<boolean> {
  try {
    await record.update(value => value);
    return true;
  } catch (error) {
    if (TenonError.is(error) && error.code === 'store/lease-lost') return false;
    throw error;
  }
}

export interface TaskPage {
  readonly records: readonly TaskRecord[];
  readonly next: string | undefined;
}

function createIndexPrefix(auth: AuthInfo | undefined): string {
  return `task-of/${computeFingerprint(getOwnerKey(identifyCaller(auth)) ?? null)}/`;
}

function createIndexKey({ id, created, caller }: TaskRecord): string {
  return `${createIndexPrefix(caller.auth)}${String(created).padStart(15, '0')}-${id}`;
}
