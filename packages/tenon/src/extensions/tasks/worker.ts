import type { Journal } from '../../conversation/asking/journal.js';
import { dialectOf } from '../../dialects/index.js';
import { UNKNOWN_CALLER } from '../../jsonrpc/caller-key.js';
import { INVALID_PARAMS } from '../../jsonrpc/codes.js';
import { rpcError, TenonError } from '../../jsonrpc/error.js';
import type { JsonObject } from '../../jsonrpc/message.js';
import { SharedLimit } from '../../jsonrpc/shared-limit.js';
import { isTerminal } from '../../model/tasks.js';
import type { House } from '../../server/extension.js';
import type { Session } from '../../server/turn.js';
import type { Claim } from '../../stores/claim.js';
import type { Audience } from './audience.js';
import { type Boss, Job } from './job.js';
import { describeCaller, type Settings, type TaskEvent } from './options.js';
import { Quota } from './quota.js';
import { describeSize, getCaller, isTooLarge, type TaskRecord } from './record.js';
import type { Shelf } from './shelf.js';
import { UnservedTasks, unknownRevision } from './unserved-tasks.js';

/** Works on the tasks of this process, and on those that another has left. */
export class Worker implements Boss {
  readonly #house: House;
  readonly #shelf: Shelf;
  readonly #audience: Audience;
  readonly #settings: Settings;
  readonly #quota: Quota;
  readonly #jobs = new Map<string, Job>();
  readonly #resting = new Map<Job, () => void>();
  readonly #running: SharedLimit;
  /** Tasks that wait to be worked on, and their callers where they are known. */
  readonly #queue = new Map<string, string>();
  readonly #unserved: UnservedTasks;
  #unhear: (() => void) | undefined;
  #closed = false;

  constructor(house: House, shelf: Shelf, audience: Audience, settings: Settings) {
    this.#house = house;
    this.#shelf = shelf;
    this.#audience = audience;
    this.#settings = settings;
    this.#quota = new Quota(settings, house.clock);
    this.#unserved = new UnservedTasks(house, shelf, settings);
    this.#running = new SharedLimit(settings.maxRunning, settings.maxShare);
    if (house.stores.durable) void this.#scan();
  }

  /**
   * Makes a task: it can be found when this resolves, and is taken up by others when it has been enlisted. Throws when
   * this process has as many as it may have.
   */
  async create(record: TaskRecord): Promise<Claim<TaskRecord>> {
    this.#quota.add(record);
    try {
      return await this.#shelf.create(record);
    } catch (error) {
      this.#quota.free(record.id);
      if (!isTooLarge(error)) throw error;
      throw rpcError(INVALID_PARAMS, `Invalid params: the arguments are too large for a task. ${describeSize(error)}`);
    }
  }

  /** From here on it goes on without this process, too. What can not be enlisted comes to nothing. */
  async enlist(record: TaskRecord): Promise<void> {
    try {
      await this.#shelf.enlist(record);
    } catch (error) {
      await this.discard(record);
      throw error;
    }
    this.event('created', record);
  }

  /** Works on a task as soon as there is a hand free. */
  begin(claim: Claim<TaskRecord>): void {
    const { value } = claim;
    const caller = getCaller(value);
    if (this.#hasRoomFor(caller)) return void this.#hire(claim).run();
    // Nobody can take it before it is released.
    void claim
      .release()
      .then(() => this.#wakeFor(value.id, caller))
      .catch(this.#problem);
  }

  /** Goes on with a handler that runs already. */
  adopt(claim: Claim<TaskRecord>, journal: Journal): Job {
    return this.#hire(claim, journal);
  }

  /** Forgets a task that came to nothing before its client heard of it. */
  async discard(record: TaskRecord): Promise<void> {
    this.#quota.free(record.id);
    await this.#shelf.discard(record).catch(this.#problem);
  }

  /** Takes up a task that waits for nobody but a worker. */
  wake(id: string): Promise<void> {
    return this.#wakeFor(id, UNKNOWN_CALLER);
  }

  async #wakeFor(id: string, caller: string): Promise<void> {
    if (this.#closed || this.#jobs.has(id)) return;
    if (!this.#hasRoomFor(caller)) return void this.#queue.set(id, caller);
    const record = await this.#shelf.get(id);
    if (record?.status !== 'working' || !(await this.#unserved.canServe(record, this.#settled))) return;
    const claim = await this.#claim(id, caller);
    if (claim === undefined) return;
    if (!this.#quota.has(id)) this.event('taken-over', claim.value);
    this.begin(claim);
  }

  /** Keeps room for the task while it is taken over. */
  async #claim(id: string, caller: string): Promise<Claim<TaskRecord> | undefined> {
    this.#running.add(caller);
    try {
      return await this.#shelf.takeOver(id);
    } finally {
      this.#running.release(caller);
    }
  }

  /** A task was cancelled, here. Whoever else works on it hears of it. */
  cancelled(record: TaskRecord): void {
    void this.#jobs.get(record.id)?.cancelled().catch(this.#problem);
    this.#settled(record);
  }

  close(): void {
    this.#closed = true;
    for (const job of [...this.#jobs.values()]) void job.giveBack().catch(this.#problem);
    this.#rest();
  }

  async changed({ record }: Job): Promise<void> {
    if (record.status === 'input_required') this.event('input-required', record);
    await this.#shelf.tell(record.id);
  }

  rests(job: Job, resting: boolean): void {
    const caller = getCaller(job.record);
    this.#resting.get(job)?.();
    // A task that waits for an answer takes no room.
    if (this.#resting.delete(job)) this.#running.add(caller);
    if (!resting) return;
    this.#running.release(caller);
    this.#resting.set(
      job,
      this.#house.clock.after(this.#settings.holdTime, () => void this.#unload(job)),
    );
    this.#pump();
  }

  sessionOf(job: Job): Session | undefined {
    return this.#audience.sessionOf(job.record.id);
  }

  said(job: Job, method: string, params: JsonObject): void {
    this.#audience.said(job.record, method, params);
    if (method !== 'notifications/progress') return;
    const { message, progress, total } = params;
    const words =
      typeof message === 'string' ? message : total === undefined ? `${progress}` : `${progress} of ${total}`;
    this.#audience.soon(job.record.id, () => job.write(() => ({ statusMessage: words })).catch(() => {}));
  }

  ended(job: Job): void {
    this.#settled(job.record);
    void this.#shelf.tell(job.record.id).catch(this.#problem);
  }

  over(job: Job): void {
    const { id, status } = job.record;
    this.rests(job, false);
    if (this.#jobs.delete(id)) this.#running.release(getCaller(job.record));
    if (isTerminal(status)) this.#quota.free(id);
    this.#rest();
    this.#pump();
  }

  event(type: TaskEvent['type'], { id, params, caller }: TaskRecord): void {
    const by = describeCaller({ auth: caller.auth });
    this.#settings.onEvent?.({ type, taskId: id, tool: params.name as string, ...by });
  }

  #hasRoomFor(caller: string): boolean {
    return !this.#closed && this.#running.fits(caller);
  }

  #hire(claim: Claim<TaskRecord>, journal?: Journal): Job {
    const { id, revision } = claim.value;
    const dialect = dialectOf(revision);
    if (dialect === undefined) throw unknownRevision(revision);
    let job: Job;
    try {
      job = new Job(claim, dialect, this.#house, this, journal);
    } catch (error) {
      void claim.release().catch(this.#problem);
      throw error;
    }
    this.#jobs.set(id, job);
    this.#running.add(getCaller(claim.value));
    this.#unhear ??= this.#shelf.hear(changed => void this.#hear(changed).catch(this.#problem));
    return job;
  }

  async #hear(id: string): Promise<void> {
    const job = this.#jobs.get(id);
    if (job) return job.hear();
    if (!this.#quota.has(id)) return;
    const record = await this.#shelf.get(id);
    if (record === undefined || isTerminal(record.status)) this.#quota.free(id);
    this.#rest();
  }

  /** One that has waited for long is entered again when its answer is there. */
  async #unload(job: Job): Promise<void> {
    await job.giveBack().catch(this.#problem);
    if (job.record.status === 'working') await this.wake(job.record.id).catch(this.#problem);
  }

  readonly #settled = (record: TaskRecord): void => {
    this.#quota.free(record.id);
    this.#queue.delete(record.id);
    void this.#shelf.close(record.id).catch(this.#problem);
    this.event(record.status as 'completed', record);
    this.#rest();
  };

  #pump(): void {
    for (const [id, caller] of this.#queue) {
      if (!this.#hasRoomFor(UNKNOWN_CALLER)) return;
      if (!this.#hasRoomFor(caller)) continue;
      this.#queue.delete(id);
      void this.#wakeFor(id, caller).catch(this.#problem);
    }
  }

  #rest(): void {
    if (!this.#closed && this.#jobs.size + this.#quota.size > 0) return;
    this.#unhear?.();
    this.#unhear = undefined;
  }

  /** Looks for what others have left, now and again. */
  async #scan(): Promise<void> {
    if (this.#closed) return;
    const unserved = new Set(this.#unserved.ids);
    try {
      for await (const id of this.#shelf.open()) {
        // A record that cannot be read or served keeps nobody from those behind it.
        try {
          if (!(await this.#shelf.isIdle(id))) continue;
          unserved.delete(id);
          await this.wake(id);
        } catch (error) {
          this.#problem(error);
        }
      }
      // Another process works on these by now.
      for (const id of unserved) this.#unserved.forget(id);
    } catch (error) {
      this.#problem(error);
    }
    this.#house.clock.after(this.#settings.lease, () => void this.#scan());
  }

  readonly #problem = (error: unknown): void => this.#house.problem(TenonError.from(error, 'task/failed'));
}
