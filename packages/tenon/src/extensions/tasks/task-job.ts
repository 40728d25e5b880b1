import { type ErrorObject, INTERNAL_ERROR, isForPeer, type JsonObject, TenonError, toReportedError } from '@tenon/base';
import { Journal, type JournalEntry } from '../../execution/journal.js';
import { runUntilAnswered } from '../../execution/request-backend.js';
import { toErrorObject } from '../../jsonrpc/error-response.js';
import { describeClient } from '../../protocol/describe-client.js';
import { isTerminal } from '../../protocol/tasks.js';
import type { Dialect } from '../../protocol/versions/dialect.js';
import type { ExtensionHost } from '../../server/extension.js';
import type { ClientSession, RequestContext } from '../../server/request-context.js';
import type { AppendLog } from '../../stores/append-log.js';
import type { LeasedRecord } from '../../stores/leased-record.js';
import { createHandlerParams, createTaskContext } from './task-context.js';
import { TaskExecutionBackend, type TaskRecordAccess } from './task-execution-backend.js';
import { describeSize, endRecord, isTooLarge, type TaskRecord, updateRecord } from './task-record.js';
import type { TaskClaim } from './task-store.js';

/** Receives the events of a job: changes, notifications of the handler, and the end. */
export interface JobObserver {
  /** Called when the record has changed. */
  onChange(job: TaskJob): Promise<void>;
  onIdleChange(job: TaskJob, resting: boolean): void;
  /** Returns the session that requested the task last. */
  getSession(job: TaskJob): ClientSession | undefined;
  /** Sends a notification of the handler to the client. */
  notifyClient(job: TaskJob, method: string, params: JsonObject): void;
  /** Called when the task has ended and its end is stored. */
  onEnd(job: TaskJob): void;
  /** Called when this process stops working on the task. Another process may continue it. */
  onRelease(job: TaskJob): void;
}

/** One task that this process works on. */
export class TaskJob implements TaskRecordAccess {
  readonly backend: TaskExecutionBackend;
  readonly context: RequestContext;
  readonly #host: ExtensionHost;
  readonly #observer: JobObserver;
  readonly log: AppendLog<JournalEntry>;
  readonly #claim: LeasedRecord<TaskRecord>;
  readonly #journal: Journal;
  readonly #controller = new AbortController();
  #isOver = false;
  /** True while the end of the task is being stored. */
  #isEnding = false;
  /** Reason of an end that the handler did not cause. */
  #endReason: TenonError | undefined;

  /** `journal` belongs to a handler that already runs. */
  constructor(
    { record, log, entries }: TaskClaim,
    dialect: Dialect,
    host: ExtensionHost,
    observer: JobObserver,
    journal?: Journal,
  ) {
    this.#claim = record;
    this.log = log;
    this.#host = host;
    this.#observer = observer;
    this.#journal = journal ?? new Journal(entries);
    this.backend = new TaskExecutionBackend(this, this.#journal, dialect);
    this.context = createTaskContext(
      record.value,
      dialect,
      this.#controller.signal,
      (method, params) => {
        if (!this.#isOver) observer.notifyClient(this, method, params);
      },
      () => observer.getSession(this),
      (error, code = 'handler/threw', method) => this.#report(error, code, method),
    );
  }

  get record(): TaskRecord {
    return this.#claim.value;
  }

  /**
   * Runs the handler until the task ends or its lease is lost. Never rejects. `first` is the result of a handler that
   * already runs.
   */
  async run(first?: Promise<JsonObject>): Promise<void> {
    // The message about a change of another process can be lost, for example while the store restarts.
    this.#claim.renew(
      () => this.#giveUp(),
      record => void this.#applyRecord(record).catch(error => this.#report(error)),
    );
    const params = createHandlerParams(this.record);
    const enter: Parameters<typeof runUntilAnswered>[0] = (run, given) =>
      this.#host.runTool(params, this.context, run, given);
    try {
      const result = await runUntilAnswered(enter, this.#journal, this.backend, { inputs: this.record.inputs, first });
      await this.#end({ status: 'completed', result: this.#host.finalizeResult(result) });
    } catch (error) {
      await this.#failTask(error);
    }
  }

  ensureHeld(): Promise<void> {
    return this.#runWhileHeld(async () => {
      if (this.#claim.isLapsed) await this.#claim.update(record => record);
    });
  }

  write(change: (record: TaskRecord) => Partial<TaskRecord>): Promise<void> {
    return this.#runWhileHeld(async () => {
      await this.#claim.update(record => {
        if (isTerminal(record.status)) throw createTaskOverError(record);
        return updateRecord(record, this.#now, change(record));
      });
      await this.#observer.onChange(this);
    });
  }

  append(entries: readonly JournalEntry[]): Promise<void> {
    return this.#runWhileHeld(async () => {
      while (entries.length > 0 && !(await this.log.append(entries))) {
        // A process that lost the task while it took it over has only marked the log. A mark is newer than the lease of
        // its writer, so the marks are read first. `refresh` throws if the lease of a writer is newer than this one.
        const hasOnlyMarks = await this.log.skipMarks();
        await this.#claim.refresh();
        if (isTerminal(this.record.status) || !hasOnlyMarks) throw createTaskOverError(this.record);
      }
    });
  }

  setIdle(resting: boolean): void {
    if (!this.#isOver) this.#observer.onIdleChange(this, resting);
  }

  /** Reads the record again after another process has added an answer or cancelled the task. */
  async refresh(): Promise<void> {
    if (this.#isOver || this.#isEnding) return;
    const record = await this.#claim.refresh().catch(this.#throwUnlessOver);
    if (record !== undefined) await this.#applyRecord(record);
  }

  /** Continues the input requests that another process has answered, or stops if it has ended the task. */
  async #applyRecord(record: TaskRecord): Promise<void> {
    if (this.#isOver || this.#isEnding) return;
    if (isTerminal(record.status)) await this.handleCancel();
    else this.backend.applyAnswers(record);
  }

  /** Stops the job because the task was ended elsewhere. */
  async handleCancel(): Promise<void> {
    if (this.#isOver) return;
    this.#endReason = createTaskOverError(this.record);
    this.#finish();
    this.#controller.abort(this.#endReason);
    this.backend.rejectPending(this.#endReason);
    await this.#claim.release();
  }

  /** Releases the task, so that the next worker runs the handler again. Does nothing for a task that is ending. */
  async giveBack(): Promise<void> {
    if (this.#isOver || this.#isEnding) return;
    this.#finish();
    await this.#claim.release();
  }

  /** Stops the job because another process has taken over the task, or because its lifetime has ended. */
  #giveUp(): void {
    if (this.#isOver) return;
    this.#finish();
    this.#controller.abort(
      new TenonError('task/lost', `another process took over the task ${this.record.id}, or the task expired`),
    );
  }

  /** Runs work of the handler while this process holds the lease. */
  async #runWhileHeld(work: () => Promise<void>): Promise<void> {
    if (!this.#isOver) {
      try {
        return await work();
      } catch (error) {
        // The task may have been ended before this process was notified.
        if (isTerminal(this.record.status)) await this.handleCancel();
        this.#throwUnlessOver(error);
      }
    }
    if (this.#endReason) throw this.#endReason;
    // Another process continues the task. An error here would make the handler undo its work.
    await new Promise(() => {});
  }

  readonly #throwUnlessOver = (error: unknown): undefined => {
    if (!this.#isOver) throw error;
  };

  async #failTask(error: unknown): Promise<void> {
    if (this.#isOver) return;
    if (!isForPeer(error)) this.#report(error);
    const object = isTooLarge(error) ? this.#createSizeError(error) : toErrorObject(error);
    try {
      await this.#end({ status: 'failed', error: object, statusMessage: object.message });
    } catch (failure) {
      this.#report(failure);
      this.#finish();
    }
  }

  #createSizeError(error: TenonError): ErrorObject {
    const message = `The result of tool ${this.record.params.name} is too large to be kept. ${describeSize(error)}`;
    return { code: INTERNAL_ERROR, message };
  }

  async #end(end: Partial<TaskRecord> & { status: 'completed' | 'failed' }): Promise<void> {
    if (this.#isOver) return;
    this.#isEnding = true;
    try {
      await this.#claim.release(record => endRecord(record, this.#now, end));
    } finally {
      this.#isEnding = false;
    }
    if (this.#isOver) return;
    this.#finish();
    if (this.record.status === end.status) this.#observer.onEnd(this);
  }

  #finish(): void {
    this.#isOver = true;
    this.#claim.stop();
    this.#observer.onRelease(this);
  }

  #report(error: unknown, code = 'task/failed', method = `tools/call ${this.record.params.name}`): void {
    const peer = describeClient(this.record.caller, this.context.dialect.protocolVersion);
    this.#host.onError(toReportedError(error, code, { peer, method }));
  }

  get #now(): number {
    return this.#host.clock.now();
  }
}

function createTaskOverError({ id }: TaskRecord): TenonError {
  return new TenonError('task/over', `the task ${id} has already ended`);
}
