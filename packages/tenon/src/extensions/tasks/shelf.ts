import { fingerprint } from '../../conversation/asking/fingerprint.js';
import type { Clock } from '../../jsonrpc/clock.js';
import type { AuthInfo } from '../../jsonrpc/channel.js';
import type { JsonObject } from '../../jsonrpc/message.js';
import { getOwnerKey, identify, isSameOwner } from '../../model/owner.js';
import { isTerminal } from '../../model/tasks.js';
import { amend, Claim, type Lease, type Owner } from '../../stores/claim.js';
import type { Stores } from '../../stores/stores.js';
import { getCaller, lifeOf, type TaskRecord } from './record.js';

const OPEN = 'task-open/';
const PAGE = 1000;

type Kept = TaskRecord & { readonly lease?: Lease };

/** Where tasks lie, how they are found, and who is told when one has changed. */
export class Shelf {
  readonly #stores: Stores;
  readonly #clock: Clock;
  readonly #owner: Owner;
  readonly #hearers = new Set<(id: string) => void>();
  #stop: (() => void) | undefined;

  constructor(stores: Stores, clock: Clock, lease: number) {
    this.#stores = stores;
    this.#clock = clock;
    this.#owner = { clock, lease };
  }

  /** Puts a new task there, for this process to work on. Only when it is enlisted is it taken up by others, and listed. */
  async create(record: TaskRecord): Promise<Claim<TaskRecord>> {
    return (await this.#claim(record.id, () => record, getCaller(record))) as Claim<TaskRecord>;
  }

  async enlist(record: TaskRecord): Promise<void> {
    const ttl = lifeOf(record, this.#clock.now());
    const options = { owner: getCaller(record), ...(ttl === undefined ? {} : { ttl }) };
    await this.#stores.values.put(OPEN + record.id, {}, options);
    await this.#stores.values.put(ownKey(record), { id: record.id }, options);
  }

  async get(id: string): Promise<Kept | undefined> {
    if (!/^[\w-]{1,128}$/.test(id)) return undefined;
    return (await this.#stores.values.get(`task/${id}`))?.value as unknown as Kept | undefined;
  }

  /** Changes a task that somebody may be at work on, and tells of it. */
  async amend(id: string, change: (found: TaskRecord) => TaskRecord | undefined): Promise<TaskRecord | undefined> {
    let done = false;
    const tracked = (found: TaskRecord) => {
      const next = change(found);
      done = next !== undefined;
      return next;
    };
    const record = await amend(this.#stores.values, `task/${id}`, tracked, this.#ttl);
    if (done) await this.tell(id);
    return record;
  }

  /** Takes a task that waits for somebody to work on it. */
  takeOver(id: string): Promise<Claim<TaskRecord> | undefined> {
    return this.#claim(id, found => (found?.status === 'working' ? found : undefined));
  }

  /** What is left of a task that has ended, or is no more, in the index of those that have not. */
  async close(id: string): Promise<void> {
    await this.#stores.values.delete(OPEN + id);
  }

  /** Forgets a task whose client has never heard of it. */
  async discard(record: TaskRecord): Promise<void> {
    await this.#stores.values.delete(`task/${record.id}`);
    await this.#stores.values.delete(ownKey(record));
    await this.close(record.id);
  }

  /** The tasks that nobody works on, though they could go on. */
  async *idle(): AsyncGenerator<string> {
    for (let after: string | undefined; ; ) {
      const keys = await this.#stores.values.list(OPEN, after === undefined ? {} : { after });
      for (const { key } of keys) {
        const id = key.slice(OPEN.length);
        const record = await this.get(id);
        if (record === undefined || isTerminal(record.status)) await this.close(id);
        else if (record.status === 'working' && !isAlive(record, this.#clock.now())) yield id;
      }
      after = keys.at(-1)?.key;
      if (keys.length < PAGE || after === undefined) return;
    }
  }

  /** One page of the tasks of a user and OAuth client, oldest first, and where the next one begins, if there is more. */
  async list(auth: AuthInfo | undefined, after: string | undefined, limit: number): Promise<Page> {
    const prefix = ownPrefix(auth);
    const options = after === undefined ? { limit: limit + 1 } : { after: prefix + after, limit: limit + 1 };
    const entries = await this.#stores.values.list(prefix, options);
    const page = entries.slice(0, limit);
    const records = await Promise.all(page.map(({ value }) => this.get(value.id as string)));
    const next = entries.length > limit ? page.at(-1)?.key.slice(prefix.length) : undefined;
    // The prefix is a short mark, which others may share.
    return { records: records.filter(each => each && isSameOwner(each.caller.auth, auth)) as TaskRecord[], next };
  }

  async tell(id: string): Promise<void> {
    await this.#stores.bus.publish('tasks', { id });
  }

  /** Calls `hear` with the id of each task that changes, in whatever process. */
  hear(hear: (id: string) => void): () => void {
    this.#hearers.add(hear);
    this.#stop ??= this.#stores.bus.subscribe('tasks', ({ id }: JsonObject) => {
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
    return Claim.take<TaskRecord>(this.#stores.values, `task/${id}`, owner, change, this.#ttl);
  }

  readonly #ttl = (record: TaskRecord): number | undefined => lifeOf(record, this.#clock.now());
}

export interface Page {
  readonly records: readonly TaskRecord[];
  readonly next: string | undefined;
}

function isAlive({ lease }: Kept, now: number): boolean {
  return lease !== undefined && lease.until > now;
}

function ownPrefix(auth: AuthInfo | undefined): string {
  return `task-of/${fingerprint(getOwnerKey(identify(auth)) ?? null)}/`;
}

function ownKey({ id, created, caller }: TaskRecord): string {
  return `${ownPrefix(caller.auth)}${String(created).padStart(15, '0')}-${id}`;
}
