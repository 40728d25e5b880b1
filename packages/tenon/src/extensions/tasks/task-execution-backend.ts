import type {
  CompletedStep,
  ExecutionBackend,
  JournalEntry,
  PendingInputRequest,
  RecordedRequest,
} from '../../execution/handler-run.js';
import { isRecordedRequest, isSettled, type Journal, toEntryKey } from '../../execution/journal.js';
import { createInputRefusedError, toInputRequest } from '../../execution/journaled-execution.js';
import type { TenonError } from '../../jsonrpc/error.js';
import type { JsonObject } from '../../jsonrpc/message.js';
import type { InputRequest } from '../../protocol/input-requests.js';
import { createUnsupportedError, findMissingForRequest } from '../../protocol/missing-capabilities.js';
import type { Dialect } from '../../protocol/versions/dialect.js';
import type { TaskRecord } from './task-record.js';

/** The record of a task, for the one who works on it. */
export interface TaskRecordAccess {
  readonly record: TaskRecord;
  /**
   * Resolves while this process holds the lease of the task. Rejects when the task was ended elsewhere. When another
   * worker has taken over, it never settles.
   */
  ensureHeld(): Promise<void>;
  /** Updates the record and notifies subscribers, under the lease. */
  write(change: (record: TaskRecord) => Partial<TaskRecord>): Promise<void>;
  /** Writes what was done, on the same terms. Nobody is told: it is the handler's own business. */
  append(entries: readonly JournalEntry[]): Promise<void>;
  /** It waits for answers and does nothing else, or no longer does. */
  setIdle(resting: boolean): void;
}

/** Settled entries that stay in the record of a task. */
const MAX_SETTLED = 16;

interface PendingAnswer {
  readonly resolve: (answer: JsonObject) => void;
  readonly reject: (error: unknown) => void;
}

/** Execution of a task: every request and step is in the record before the handler continues. */
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
    // It may have been answered while it was written.
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

  /** Goes on with what was answered. */
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

  /** Nothing will be answered any more. */
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
      journal: [...journal.filter(entry => !moved.has(toEntryKey(entry)) && !isRequest(entry, key)), requested],
      questions: { ...questions, [key]: question },
    }));
  }

  /** Moves what is settled from the record to the log, once it is much: the record is written for each request. */
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

function isRequest(entry: JournalEntry, key: string): boolean {
  return isRecordedRequest(entry) && entry.ask === key;
}
