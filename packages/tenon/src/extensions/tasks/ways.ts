import type { Asked, Question, StepDone, Ways } from '../../conversation/asking/asking.js';
import { inputRequestOf, refusal } from '../../conversation/asking/entered.js';
import { isAsked, type Journal } from '../../conversation/asking/journal.js';
import { lacking, unable } from '../../conversation/capability.js';
import type { Dialect } from '../../dialects/dialect.js';
import type { TenonError } from '../../jsonrpc/error.js';
import type { JsonObject } from '../../jsonrpc/message.js';
import type { InputRequest } from '../../model/asking.js';
import type { TaskRecord } from './record.js';

/** The record of a task, for the one who works on it. */
export interface Desk {
  readonly record: TaskRecord;
  /**
   * Whether a step may begin: resolves while the task is held here. Rejects when somebody has ended it; what another goes
   * on with comes no further here.
   */
  ready(): Promise<void>;
  /** Writes, and tells of it, on the same terms. */
  write(change: (record: TaskRecord) => Partial<TaskRecord>): Promise<void>;
  /** It waits for answers and does nothing else, or no longer does. */
  rests(resting: boolean): void;
}

interface Waiting {
  readonly resolve: (answer: JsonObject) => void;
  readonly reject: (error: unknown) => void;
}

/** How a task asks and takes its steps: all of it is in the record before anything goes on. */
export class TaskWays implements Ways {
  readonly #desk: Desk;
  readonly #journal: Journal;
  readonly #dialect: Dialect;
  readonly #waiting = new Map<string, Waiting>();
  #working = 0;
  #resting = false;

  constructor(desk: Desk, journal: Journal, dialect: Dialect) {
    this.#desk = desk;
    this.#journal = journal;
    this.#dialect = dialect;
  }

  check(method: string, params: JsonObject): void {
    const lacks = lacking(method, params, this.#desk.record.caller.capabilities);
    if (lacks) throw unable(this.#dialect, lacks);
  }

  async put({ key, method, params }: Question): Promise<JsonObject> {
    const answer = new Promise<JsonObject>((resolve, reject) => this.#waiting.set(key, { resolve, reject }));
    answer.catch(() => {});
    const { questions } = this.#desk.record;
    if (!Object.hasOwn(questions, key)) await this.#ask(key, { method, params });
    // It may have been answered while it was written.
    this.hear(this.#desk.record);
    this.#look();
    return answer;
  }

  async work(run: () => Promise<StepDone>): Promise<StepDone> {
    this.#working++;
    this.#look();
    try {
      await this.#desk.ready();
      const done = await run();
      await this.#desk.write(({ journal }) => ({ journal: [...journal, done] }));
      this.#journal.add(done);
      return done;
    } finally {
      this.#working--;
      this.#look();
    }
  }

  /** Goes on with what was answered. */
  hear({ journal }: TaskRecord): void {
    for (const entry of journal.filter(isAsked)) {
      const waiting = this.#waiting.get(entry.ask);
      if (waiting === undefined || (entry.answer === undefined && entry.refused === undefined)) continue;
      this.#waiting.delete(entry.ask);
      this.#journal.add(entry);
      if (entry.answer === undefined) waiting.reject(refusal(entry.refused ?? ''));
      else waiting.resolve(entry.answer);
    }
    this.#look();
  }

  /** Nothing will be answered any more. */
  end(error: TenonError): void {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }

  #ask(key: string, { method, params }: { method: string; params: JsonObject }): Promise<void> {
    const asked = this.#journal.open().find(({ ask }) => ask === key) as Asked;
    // Where tasks are made by a parameter it is asked by a request of its own.
    const question =
      this.#dialect.tasks === 'by-parameter'
        ? ({ method, params } as InputRequest)
        : inputRequestOf({ method, params });
    return this.#desk.write(({ journal, questions }) => ({
      status: 'input_required',
      journal: [...journal.filter(entry => !isAsked(entry) || entry.ask !== key), asked],
      questions: { ...questions, [key]: question },
    }));
  }

  #look(): void {
    const resting = this.#waiting.size > 0 && this.#working === 0;
    if (resting === this.#resting) return;
    this.#resting = resting;
    this.#desk.rests(resting);
  }
}
