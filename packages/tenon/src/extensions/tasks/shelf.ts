import { fingerprint } from '../../conversation/asking/fingerprint.js';
import type { AuthInfo } from '../../jsonrpc/channel.js';
import type { Clock } from '../../jsonrpc/clock.js';
import { TenonError } from '../../jsonrpc/error.js';
import type { JsonObject } from '../../jsonrpc/message.js';
import { getOwnerKey, identify, isSameOwner } from '../../model/owner.js';
import { isTerminal } from '../../model/tasks.js';
import type { House } from '../../server/extension.js';
import { chunkLargeValues } from '../../stores/chunked-values.js';
import { amend, Claim, isHeld, type Lease, type Owner } from '../../stores/claim.js';
import type { Stores, Values } from '../../stores/stores.js';
import type { Settings } from './options.js';
import { getCaller, lifeOf, type TaskRecord } from './record.js';

const OPEN = 'task-open/';
const PAGE = 1000;

type Kept = TaskRecord & { readonly lease?: Lease };

/** Where tasks lie, how they are found, and who is told when one has changed. */
export class Shelf {
  readonly #bus: Stores['bus'];
  readonly #values: Values;
  readonly #clock: Clock;
  readonly #owner: Owner;
  readonly #problem: (error: TenonError) => void;
  readonly #hearers = new Set<(id: string) => void>();
  #stop: (() => void) | undefined;

  constructor(
    { stores, clock, problem }: Pick<House, 'stores' | 'clock' | 'problem'>,
    { lease, maxRecordSize }: Settings,
  ) {
    this.#bus = stores.bus;
    this.#values = chunkLargeValues(stores.values, maxRecordSize);
    this.#clock = clock;
    this.#problem = problem;
    this.#owner = { clock, lease, faults: { onFault: problem } };
  }

  /** Puts a new task there, for this process to work on. Only when it is enlisted is it taken up by others, and listed. */
  async create(record: TaskRecord): Promise<Claim<TaskRecord>> {
    return (await this.#claim(record.id, () => record, getCaller(record))) as Claim<TaskRecord>;
  }

  async enlist(record: TaskRecord): Promise<void> {
    const ttl = lifeOf(record, this.#clock.now());
    const options = { owner: getCaller(record), ...(ttl === undefined ? {} : { ttl }) };
    await this.#values.put(OPEN + record.id, {}, options);
    await this.#values.put(ownKey(record), { id: record.id }, options);
  }

  async get(id: string): Promise<Kept | undefined> {
    if (!/^[\w-]{1,128}$/.test(id)) return undefined;
    return (await this.#values.get(`task/${id}`))?.value as unknown as Kept | undefined;
  }

  /** Changes a task that somebody may be at work on, and tells of it. */
  async amend(id: string, change: (found: Kept) => TaskRecord | undefined): Promise<TaskRecord | undefined> {
    let done = false;
    const tracked = (found: Kept) => {
      const next = change(found);
      done = next !== undefined;
      return next;
    };
    const record = await amend(this.#values, `task/${id}`, tracked, this.#ttl);
    if (done) await this.tell(id);
    return record;
  }

  /** Takes a task that waits for somebody to work on it. */
  takeOver(id: string): Promise<Claim<TaskRecord> | undefined> {
    return this.#claim(id, found => (found?.status === 'working' ? found : undefined));
  }

  /** What is left of a task that has ended, or is no more, in the index of those that have not. */
  async close(id: string): Promise<void> {
    await this.#values.delete(OPEN + id);
  }

  /** Forgets a task whose client has never heard of it. */
  async discard(record: TaskRecord): Promise<void> {
    await this.#values.delete(`task/${record.id}`);
    await this.#values.delete(ownKey(record));
    await this.close(record.id);
  }

  /** The tasks that have not ended, or have ended lately. */
  async *open(): AsyncGenerator<string> {
    for (let after: string | undefined; ; ) {
      const keys = await this.#values.list(OPEN, after === undefined ? {} : { after });
      for (const { key } of keys) yield key.slice(OPEN.length);
      after = keys.at(-1)?.key;
      if (keys.length < PAGE || after === undefined) return;
    }
  }

  /** Tells whether a task could go on and nobody works on it. One that has ended is no longer open. */
  async isIdle(id: string): Promise<boolean> {
    const record = await this.get(id);
    if (record === undefined || isTerminal(record.status)) await this.close(id);
    return record?.status === 'working' && !isHeld(record.lease, this.#owner);
  }

  /** Ends a task on which nobody works. Returns it when it has ended by this. */
  async endIdle(id: string, end: (found: TaskRecord) => TaskRecord): Promise<TaskRecord | undefined> {
    let done = false;
    const record = await this.amend(id, ({ lease, ...found }: Kept) => {
      done = found.status === 'working' && !isHeld(lease, this.#owner);
      return done ? end(found) : undefined;
    });
    return done ? record : undefined;
  }

  /** One page of the tasks of a user and OAuth client, oldest first, and where the next one begins, if there is more. */
  async list(auth: AuthInfo | undefined, after: string | undefined, limit: number): Promise<Page> {
    const prefix = ownPrefix(auth);
    const options = after === undefined ? { limit: limit + 1 } : { after: prefix + after, limit: limit + 1 };
    const entries = await this.#values.list(prefix, options);
    const page = entries.slice(0, limit);
    const records = await Promise.all(page.map(({ value }) => this.get(value.id as string)));
    const next = entries.length > limit ? page.at(-1)?.key.slice(prefix.length) : undefined;
    // The prefix is a short mark, which others may share.
    return { records: records.filter(each => each && isSameOwner(each.caller.auth, auth)) as TaskRecord[], next };
  }

  /** Announces a change. A fault of the bus undoes nothing that is written: listeners look at the store now and again. */
  async tell(id: string): Promise<void> {
    await this.#bus.publish('tasks', { id }).catch(error => this.#problem(TenonError.from(error)));
  }

  /** Calls `hear` with the id of each task that changes, in whatever process. */
  hear(hear: (id: string) => void): () => void {
    this.#hearers.add(hear);
    this.#stop ??= this.#bus.subscribe('tasks', ({ id }: JsonObject) => {
      for (const each of [...this.#hearers]) each(String(id));
    });
    return () => {
      this.#hearers.delete(hear);
      if (this.#hearers.size > 0) return;
      this.#stop?.();
      this.#stop = undefined;
    };
  }

  #claim(id: string, change: (found: TaskRecord | undefined) => TaskRecord | undefined, caller?: string) {
    const owner = caller === undefined ? this.#owner : { ...this.#owner, caller };
    return Claim.take<TaskRecord>(this.#values, `task/${id}`, owner, change, this.#ttl);
  }

  readonly #ttl = (record: TaskRecord): number | undefined => lifeOf(record, this.#clock.now());
}

export interface Page {
  readonly records: readonly TaskRecord[];
  readonly next: string | undefined;
}

function ownPrefix(auth: AuthInfo | undefined): string {
  return `task-of/${fingerprint(getOwnerKey(identify(auth)) ?? null)}/`;
}

function ownKey({ id, created, caller }: TaskRecord): string {
  return `${ownPrefix(caller.auth)}${String(created).padStart(15, '0')}-${id}`;
}
