import type { Clock } from '../../cancellation/clock.js';
import { computeFingerprint } from '../../encoding/fingerprint.js';
import { TenonError } from '../../jsonrpc/error.js';
import type { JsonObject } from '../../jsonrpc/message.js';
import type { AuthInfo } from '../../jsonrpc/transport.js';
import { getOwnerKey, identifyCaller, isSameOwner } from '../../protocol/caller-identity.js';
import { isTerminal } from '../../protocol/tasks.js';
import type { ExtensionHost } from '../../server/extension.js';
import { chunkLargeValues } from '../../stores/chunked-values.js';
import {
  isLeaseActive,
  type Lease,
  LeasedRecord,
  type LeaseOwner,
  updateIfPresent,
} from '../../stores/leased-record.js';
import type { Stores, Values } from '../../stores/stores.js';
import { toTypedValues } from '../../stores/typed-values.js';
import type { TaskSettings } from './options.js';
import { getCaller, getRemainingTtl, type TaskRecord } from './task-record.js';

const OPEN_PREFIX = 'task-open/';
const PAGE_SIZE = 1000;

type StoredTask = TaskRecord & { readonly lease?: Lease };

/** Stores tasks and notifies of their changes. */
export class TaskStore {
  readonly #bus: Stores['bus'];
  readonly #values: Values;
  readonly #clock: Clock;
  readonly #owner: LeaseOwner;
  readonly #onError: (error: TenonError) => void;
  readonly #listeners = new Set<(id: string) => void>();
  #unsubscribe: (() => void) | undefined;

  constructor(
    { stores, clock, onError }: Pick<ExtensionHost, 'stores' | 'clock' | 'onError'>,
    { leaseTtl, maxRecordSize }: TaskSettings,
  ) {
    this.#bus = stores.bus;
    this.#values = chunkLargeValues(stores.values, maxRecordSize);
    this.#clock = clock;
    this.#onError = onError;
    this.#owner = { clock, lease: leaseTtl, faults: { onFault: onError } };
  }

  /**
   * Puts a new task there, for this process to work on. Only when it is enlisted is it taken up by others, and listed.
   */
  async create(record: TaskRecord): Promise<LeasedRecord<TaskRecord>> {
    return (await this.#acquire(record.id, () => record, getCaller(record))) as LeasedRecord<TaskRecord>;
  }

  async index(record: TaskRecord): Promise<void> {
    const ttl = getRemainingTtl(record, this.#clock.now());
    const options = { owner: getCaller(record), ...(ttl === undefined ? {} : { ttl }) };
    await this.#values.put(OPEN_PREFIX + record.id, {}, options);
    await this.#values.put(createIndexKey(record), { id: record.id }, options);
  }

  async get(id: string): Promise<StoredTask | undefined> {
    if (!/^[\w-]{1,128}$/.test(id)) return undefined;
    return (await toTypedValues<StoredTask>(this.#values).get(`task/${id}`))?.value;
  }

  /** Updates a task that a worker may have leased, and notifies subscribers. */
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
  takeOver(id: string): Promise<LeasedRecord<TaskRecord> | undefined> {
    return this.#acquire(id, stored => (stored?.status === 'working' ? stored : undefined));
  }

  /** Removes the index entry of a task that has ended or no longer exists. */
  async removeOpenEntry(id: string): Promise<void> {
    await this.#values.delete(OPEN_PREFIX + id);
  }

  /** Deletes a task whose id was never sent to its client. */
  async discard(record: TaskRecord): Promise<void> {
    await this.#values.delete(`task/${record.id}`);
    await this.#values.delete(createIndexKey(record));
    await this.removeOpenEntry(record.id);
  }

  /** The tasks that have not ended, or have ended lately. */
  async *listOpen(): AsyncGenerator<string> {
    for (let after: string | undefined; ; ) {
      const keys = await this.#values.list(OPEN_PREFIX, after === undefined ? {} : { after });
      for (const { key } of keys) yield key.slice(OPEN_PREFIX.length);
      after = keys.at(-1)?.key;
      if (keys.length < PAGE_SIZE || after === undefined) return;
    }
  }

  /** Tells if a task could continue and no worker has leased it. A task that has ended is no longer open. */
  async isIdle(id: string): Promise<boolean> {
    const record = await this.get(id);
    if (record === undefined || isTerminal(record.status)) await this.removeOpenEntry(id);
    return record?.status === 'working' && !isLeaseActive(record.lease, this.#owner);
  }

  /** Ends a task that no worker has leased. Returns the record if this call ended it. */
  async endIdle(id: string, end: (stored: TaskRecord) => TaskRecord): Promise<TaskRecord | undefined> {
    let isChanged = false;
    const record = await this.updateIfPresent(id, ({ lease, ...stored }: StoredTask) => {
      isChanged = stored.status === 'working' && !isLeaseActive(lease, this.#owner);
      return isChanged ? end(stored) : undefined;
    });
    return isChanged ? record : undefined;
  }

  /**
   * One page of the tasks of a user and OAuth client, oldest first, and where the next one begins, if there is more.
   */
  async list(auth: AuthInfo | undefined, after: string | undefined, limit: number): Promise<TaskPage> {
    const prefix = createIndexPrefix(auth);
    const options = after === undefined ? { limit: limit + 1 } : { after: prefix + after, limit: limit + 1 };
    const entries = await this.#values.list(prefix, options);
    const page = entries.slice(0, limit);
    const records = await Promise.all(page.map(({ value }) => this.get(value.id as string)));
    const next = entries.length > limit ? page.at(-1)?.key.slice(prefix.length) : undefined;
    // The prefix is a short mark, which others may share.
    return { records: records.filter(each => each && isSameOwner(each.caller.auth, auth)) as TaskRecord[], next };
  }

  /**
   * Announces a change. A fault of the bus undoes nothing that is written: listeners look at the store now and again.
   */
  async publishChange(id: string): Promise<void> {
    await this.#bus.publish('tasks', { id }).catch(error => this.#onError(TenonError.from(error)));
  }

  /** Calls `hear` with the id of each task that changes, in any process. */
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

  #acquire(id: string, change: (stored: TaskRecord | undefined) => TaskRecord | undefined, caller?: string) {
    const owner = caller === undefined ? this.#owner : { ...this.#owner, caller };
    return LeasedRecord.take<TaskRecord>(this.#values, `task/${id}`, owner, change, this.#ttl);
  }

  readonly #ttl = (record: TaskRecord): number | undefined => getRemainingTtl(record, this.#clock.now());
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
