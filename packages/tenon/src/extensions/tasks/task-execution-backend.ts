import type { JsonObject, TenonError } from '@tenon/base';
import type { ExecutionBackend, PendingInputRequest } from '../../execution/handler-run.js';
import {
  type CompletedStep,
  isRecordedRequest,
  isSettled,
  type Journal,
  type JournalEntry,
  type RecordedRequest,
  toEntryKey,
} from '../../execution/journal.js';
import { createInputRefusedError, toInputRequest } from '../../execution/journaled-execution.js';
import type { InputRequest } from '../../protocol/input-requests.js';
import { createUnsupportedError, findMissingForRequest } from '../../protocol/missing-capabilities.js';
import type { Dialect } from '../../protocol/versions/dialect.js';
import type { TaskRecord } from './task-record.js';

/** Access to the record of a task, for its worker. */
export interface TaskRecordAccess {
  readonly record: TaskRecord;
  /**
   * Resolves while this process holds the lease of the task. Rejects when the task has ended elsewhere. Never settles
   * when another worker has taken over the task.
   */
  ensureHeld(): Promise<void>;
  /** Updates the record under the lease and notifies subscribers. */
  write(change: (record: TaskRecord) => Partial<TaskRecord>): Promise<void>;
  /** Appends completed entries under the lease. Does not notify subscribers, because the status does not change. */
  append(entries: readonly JournalEntry[]): Promise<void>;
  /** Sets if the handler is idle, which means that it only waits for answers. */
  setIdle(resting: boolean): void;
}

/** Maximum number of settled entries in the record of a task. Further ones move to the log. */
const MAX_SETTLED = 16;

interface PendingAnswer {
  readonly resolve: (answer: JsonObject) => void;
  readonly reject: (error: unknown) => void;
}

/** Runs input requests and steps of a task. Each one is stored in the record before the handler continues. */
export class TaskExecutionBackend implements ExecutionBackend {
  readonly #access: TaskRecordAccess;
  readonly #journal: Journal;
  readonly #dialect: Dialect;
  readonly #pending = new Map<string, PendingAnswer>();
  #runningSteps = 0;
  #isIdle = false;

  constructor(access: TaskRecordAccess, journal: Journal, dialect: Dialect) {
    this.#access = access;
    this.#journal = journal;
    this.#dialect = dialect;
  }

  check(method: string, params: JsonObject): void {
    const missing = findMissingForRequest(method, params, this.#access.record.caller.capabilities);
    if (missing) throw createUnsupportedError(this.#dialect, missing);
  }

  async deliver({ key, method, params }: PendingInputRequest): Promise<JsonObject> {
    const answer = new Promise<JsonObject>((resolve, reject) => this.#pending.set(key, { resolve, reject }));
    answer.catch(() => {});
    const { questions } = this.#access.record;
    if (!Object.hasOwn(questions, key)) await this.#recordRequest(key, { method, params });
    // The answer may have arrived while the input request was being stored.
    this.applyAnswers(this.#access.record);
    this.#updateIdle();
    return answer;
  }

  async runStep(run: () => Promise<CompletedStep>): Promise<CompletedStep> {
    this.#runningSteps++;
    this.#updateIdle();
    try {
      await this.#access.ensureHeld();
      const result = await run();
      await this.#access.append([result]);
      this.#journal.add(result);
      return result;
    } finally {
      this.#runningSteps--;
      this.#updateIdle();
    }
  }

  /** Continues the input requests that have an answer. */
  applyAnswers({ journal }: TaskRecord): void {
    for (const entry of journal.filter(isRecordedRequest)) {
      const pending = this.#pending.get(entry.ask);
      if (pending === undefined || (entry.answer === undefined && entry.refused === undefined)) continue;
      this.#pending.delete(entry.ask);
      this.#journal.add(entry);
      if (entry.answer === undefined) pending.reject(createInputRefusedError(entry.refused ?? ''));
      else pending.resolve(entry.answer);
    }
    this.#updateIdle();
  }

  /** Rejects all pending input requests, because the task has ended. */
  rejectPending(error: TenonError): void {
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
  }

  async #recordRequest(key: string, { method, params }: { method: string; params: JsonObject }): Promise<void> {
    const requested = this.#journal.getPending(key) as RecordedRequest;
    // On versions with the `task` parameter, the input request is sent as a JSON-RPC request.
    const question =
      this.#dialect.tasks === 'by-parameter'
        ? ({ method, params } as InputRequest)
        : toInputRequest({ method, params });
    const moved = await this.#moveSettled();
    await this.#access.write(({ journal, questions }) => ({
      status: 'input_required',
      journal: [
        ...journal.filter(entry => !moved.has(toEntryKey(entry)) && !(isRecordedRequest(entry) && entry.ask === key)),
        requested,
      ],
      questions: { ...questions, [key]: question },
    }));
  }

  /**
   * Moves settled entries from the record to the log when there are many, because each input request writes the whole
   * record.
   */
  async #moveSettled(): Promise<ReadonlySet<string>> {
    const settled = this.#access.record.journal.filter(isSettled);
    if (settled.length < MAX_SETTLED) return new Set();
    await this.#access.append(settled);
    return new Set(settled.map(toEntryKey));
  }

  #updateIdle(): void {
    const isIdle = this.#pending.size > 0 && this.#runningSteps === 0;
    if (isIdle === this.#isIdle) return;
    this.#isIdle = isIdle;
    this.#access.setIdle(isIdle);
  }
}
