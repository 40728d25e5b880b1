import {
  INVALID_PARAMS,
  isStoreClosed,
  type JsonObject,
  type PeriodicRun,
  rpcError,
  runPeriodically,
  SharedLimit,
  TenonError,
  UNKNOWN_CALLER,
} from '@tenon/base';
import type { Journal } from '../../execution/journal.js';
import { isTerminal } from '../../protocol/tasks.js';
import { getDialect } from '../../protocol/versions/index.js';
import type { ExtensionHost } from '../../server/extension.js';
import type { ClientSession } from '../../server/request-context.js';
import { describeCaller, type TaskEvent, type TaskSettings } from './options.js';
import { type JobObserver, TaskJob } from './task-job.js';
import { TaskQuota } from './task-quota.js';
import { describeSize, getCaller, isTooLarge, type TaskRecord } from './task-record.js';
import type { TaskClaim, TaskStore } from './task-store.js';
import type { TaskSubscribers } from './task-subscribers.js';
import { createUnknownVersionError, UnservedTasks } from './unserved-tasks.js';

/** Runs the tasks of this process, and tasks that other processes have left. */
export class TaskWorker implements JobObserver {
  readonly #host: ExtensionHost;
  readonly #store: TaskStore;
  readonly #subscribers: TaskSubscribers;
  readonly #settings: TaskSettings;
  readonly #quota: TaskQuota;
  readonly #jobs = new Map<string, TaskJob>();
  readonly #idleTimers = new Map<TaskJob, () => void>();
  readonly #running: SharedLimit;
  /** Tasks that wait for a free worker, and their callers if they are known. */
  readonly #queue = new Map<string, string>();
  readonly #unserved: UnservedTasks;
  #unwatchStore: (() => void) | undefined;
  readonly #scanning: PeriodicRun | undefined;
  #isClosed = false;

  constructor(host: ExtensionHost, store: TaskStore, subscribers: TaskSubscribers, settings: TaskSettings) {
    this.#host = host;
    this.#store = store;
    this.#subscribers = subscribers;
    this.#settings = settings;
    this.#quota = new TaskQuota(settings, host.clock);
    this.#unserved = new UnservedTasks(host, store, settings);
    this.#running = new SharedLimit(settings.maxRunning, settings.maxShare);
    if (!host.stores.durable) return;
    const options = { clock: host.clock, interval: settings.leaseTtl, onError: this.#reportError };
    this.#scanning = runPeriodically(options, () => this.#scan());
    void this.#scanning.runNow();
  }

  /**
   * Creates a task. It can be found when the promise resolves.
   *
   * Other processes can take it over after it is indexed. Throws when this process has reached its limit of tasks.
   */
  create(record: TaskRecord): Promise<TaskClaim> {
    return this.#create(record, () => this.#store.create(record));
  }

  /** Creates a task that other processes can also continue. */
  async createIndexed(record: TaskRecord): Promise<TaskClaim> {
    const claim = await this.#create(record, async () => {
      // The calls take effect in their order, so no process finds the index entry of a missing task.
      const [created, indexed] = await Promise.allSettled([this.#store.create(record), this.#store.index(record)]);
      if (created.status === 'fulfilled' && indexed.status === 'fulfilled') return created.value;
      await this.#store.discard(record).catch(this.#reportError);
      throw created.status === 'rejected' ? created.reason : (indexed as PromiseRejectedResult).reason;
    });
    this.emitEvent('created', record);
    return claim;
  }

  async #create(record: TaskRecord, store: () => Promise<TaskClaim>): Promise<TaskClaim> {
    this.#quota.add(record);
    try {
      return await store();
    } catch (error) {
      this.#quota.release(record.id);
      if (!isTooLarge(error)) throw error;
      throw rpcError(INVALID_PARAMS, `Invalid params: the arguments are too large for a task. ${describeSize(error)}`);
    }
  }

  /** Indexes a task, so that other processes can also continue it. Discards a task that cannot be indexed. */
  async index({ record, log }: TaskJob): Promise<void> {
    try {
      await this.#store.index(record);
    } catch (error) {
      await this.discard(record, log);
      throw error;
    }
    this.emitEvent('created', record);
  }

  /** Runs a task as soon as the limits allow it. */
  begin(claim: TaskClaim): void {
    const { value } = claim.record;
    const caller = getCaller(value);
    if (this.#hasRoomFor(caller)) return void this.#createJob(claim).run();
    // No other worker can lease the task before it is released.
    void claim.record
      .release()
      .then(() => this.#wakeFor(value.id, caller))
      .catch(this.#reportError);
  }

  /** Creates a job for a handler that already runs. */
  adopt(claim: TaskClaim, journal: Journal): TaskJob {
    return this.#createJob(claim, journal);
  }

  /** Deletes a task that failed before its ID was sent to its client. */
  async discard(record: TaskRecord, log: TaskClaim['log']): Promise<void> {
    this.#quota.release(record.id);
    await this.#store.discard(record, log).catch(this.#reportError);
  }

  /** Runs a task that waits for a worker, unless it waits for input. */
  wake(id: string): Promise<void> {
    return this.#wakeFor(id, UNKNOWN_CALLER);
  }

  async #wakeFor(id: string, caller: string): Promise<void> {
    if (this.#isClosed || this.#jobs.has(id)) return;
    if (!this.#hasRoomFor(caller)) return void this.#queue.set(id, caller);
    const record = await this.#store.get(id);
    if (record?.status !== 'working' || !(await this.#unserved.canServe(record, this.#finishTask))) return;
    const claim = await this.#claim(id, caller);
    if (claim === undefined) return;
    if (!this.#quota.has(id)) this.emitEvent('taken-over', claim.record.value);
    this.begin(claim);
  }

  /** Leases a task and counts it as running meanwhile. */
  async #claim(id: string, caller: string): Promise<TaskClaim | undefined> {
    this.#running.add(caller);
    try {
      return await this.#store.takeOver(id);
    } finally {
      this.#running.release(caller);
    }
  }

  /** Stops the job of a task that was cancelled in this process. A worker in another process is notified. */
  cancelJob(record: TaskRecord): void {
    void this.#jobs.get(record.id)?.handleCancel().catch(this.#reportError);
    this.#finishTask(record);
  }

  close(): void {
    this.#isClosed = true;
    void this.#scanning?.stop();
    for (const job of [...this.#jobs.values()]) void job.giveBack().catch(this.#reportError);
    this.#stopIfUnused();
  }

  async onChange({ record }: TaskJob): Promise<void> {
    if (record.status === 'input_required') this.emitEvent('input-required', record);
    await this.#store.publishChange(record.id);
  }

  onIdleChange(job: TaskJob, isIdle: boolean): void {
    const caller = getCaller(job.record);
    this.#idleTimers.get(job)?.();
    // A task that waits for an answer does not count as running.
    if (this.#idleTimers.delete(job)) this.#running.add(caller);
    if (!isIdle) return;
    this.#running.release(caller);
    this.#idleTimers.set(
      job,
      this.#host.clock.after(this.#settings.suspendTimeout, () => void this.#unload(job)),
    );
    this.#startQueued();
  }

  getSession(job: TaskJob): ClientSession | undefined {
    return this.#subscribers.getSession(job.record.id);
  }

  notifyClient(job: TaskJob, method: string, params: JsonObject): void {
    this.#subscribers.notifySession(job.record, method, params);
    if (method !== 'notifications/progress') return;
    const { message, progress, total } = params;
    const statusMessage =
      typeof message === 'string' ? message : total === undefined ? `${progress}` : `${progress} of ${total}`;
    this.#subscribers.throttle(job.record.id, () =>
      job.write(() => ({ statusMessage: statusMessage })).catch(() => {}),
    );
  }

  onEnd(job: TaskJob): void {
    this.#finishTask(job.record, job.log);
    void this.#store.publishChange(job.record.id).catch(this.#reportError);
  }

  onRelease(job: TaskJob): void {
    const { id, status } = job.record;
    this.onIdleChange(job, false);
    if (this.#jobs.delete(id)) this.#running.release(getCaller(job.record));
    if (isTerminal(status)) this.#quota.release(id);
    this.#stopIfUnused();
    this.#startQueued();
  }

  emitEvent(type: TaskEvent['type'], { id, params, caller }: TaskRecord): void {
    const by = describeCaller({ auth: caller.auth });
    this.#settings.onEvent?.({ type, taskId: id, tool: params.name, ...by });
  }

  #hasRoomFor(caller: string): boolean {
    return !this.#isClosed && this.#running.canTake(caller);
  }

  #createJob(claim: TaskClaim, journal?: Journal): TaskJob {
    const { id, revision: protocolVersion } = claim.record.value;
    const dialect = getDialect(protocolVersion);
    if (dialect === undefined) throw createUnknownVersionError(protocolVersion);
    let job: TaskJob;
    try {
      job = new TaskJob(claim, dialect, this.#host, this, journal);
    } catch (error) {
      void claim.record.release().catch(this.#reportError);
      throw error;
    }
    this.#jobs.set(id, job);
    this.#running.add(getCaller(claim.record.value));
    this.#unwatchStore ??= this.#store.onChange(changed => void this.#onTaskChanged(changed).catch(this.#reportError));
    return job;
  }

  async #onTaskChanged(id: string): Promise<void> {
    const job = this.#jobs.get(id);
    if (job) return job.refresh();
    if (!this.#quota.has(id)) return;
    const record = await this.#store.get(id);
    if (record === undefined || isTerminal(record.status)) this.#quota.release(id);
    this.#stopIfUnused();
  }

  /** Releases a task that has waited for a long time. Its handler runs again when the answer arrives. */
  async #unload(job: TaskJob): Promise<void> {
    await job.giveBack().catch(this.#reportError);
    if (job.record.status === 'working') await this.wake(job.record.id).catch(this.#reportError);
  }

  readonly #finishTask = (record: TaskRecord, log?: TaskClaim['log']): void => {
    this.#quota.release(record.id);
    this.#queue.delete(record.id);
    void this.#store.cleanUp(record, log).catch(this.#reportError);
    this.emitEvent(record.status as 'completed', record);
    this.#stopIfUnused();
  };

  #startQueued(): void {
    for (const [id, caller] of this.#queue) {
      if (!this.#hasRoomFor(UNKNOWN_CALLER)) return;
      if (!this.#hasRoomFor(caller)) continue;
      this.#queue.delete(id);
      void this.#wakeFor(id, caller).catch(this.#reportError);
    }
  }

  #stopIfUnused(): void {
    if (!this.#isClosed && this.#jobs.size + this.#quota.size > 0) return;
    this.#unwatchStore?.();
    this.#unwatchStore = undefined;
  }

  /** Looks for tasks that other processes have left. */
  async #scan(): Promise<void> {
    const unserved = new Set(this.#unserved.ids);
    for await (const id of this.#store.listOpen()) {
      // A record that cannot be read or handled must not block the records after it.
      try {
        if (!(await this.#store.isIdle(id))) continue;
        unserved.delete(id);
        await this.wake(id);
      } catch (error) {
        if (isStoreClosed(error)) throw error;
        this.#reportError(error);
      }
    }
    // Another process works on these tasks now.
    for (const id of unserved) this.#unserved.forget(id);
  }

  readonly #reportError = (error: unknown): void => this.#host.onError(TenonError.from(error, 'task/failed'));
}
