import { Journal } from '../../conversation/asking/journal.js';
import { again } from '../../conversation/asking/requests.js';
import type { Dialect } from '../../dialects/dialect.js';
import { INTERNAL_ERROR } from '../../jsonrpc/codes.js';
import { isForPeer, TenonError, toErrorObject } from '../../jsonrpc/error.js';
import type { ErrorObject, JsonObject } from '../../jsonrpc/message.js';
import { isTerminal } from '../../model/tasks.js';
import type { House } from '../../server/extension.js';
import type { Session, Turn } from '../../server/turn.js';
import type { Claim } from '../../stores/claim.js';
import { changed, describeSize, ended, isTooLarge, type TaskRecord } from './record.js';
import { paramsOf, turnOf } from './task-turn.js';
import { type Desk, TaskWays } from './ways.js';

declare class AbortController {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
}

/** Whom a job tells of what happens to it. */
export interface Boss {
  /** The record has changed. */
  changed(job: Job): Promise<void>;
  rests(job: Job, resting: boolean): void;
  /** The session that was last seen to care for it. */
  sessionOf(job: Job): Session | undefined;
  /** The handler says something to the client. */
  said(job: Job, method: string, params: JsonObject): void;
  /** Its handler came to its end, and that is written. */
  ended(job: Job): void;
  /** Nothing more is done here; what is left in the record is for others. */
  over(job: Job): void;
}

/** One task that this process works on. */
export class Job implements Desk {
  readonly ways: TaskWays;
  readonly turn: Turn;
  readonly #house: House;
  readonly #boss: Boss;
  readonly #claim: Claim<TaskRecord>;
  readonly #journal: Journal;
  readonly #controller = new AbortController();
  #over = false;
  /** Its end is being written. */
  #ending = false;
  /** Who has ended it, where that was not its handler. */
  #why: TenonError | undefined;

  /** `journal`: of a handler that runs already. */
  constructor(claim: Claim<TaskRecord>, dialect: Dialect, house: House, boss: Boss, journal?: Journal) {
    this.#claim = claim;
    this.#house = house;
    this.#boss = boss;
    this.#journal = journal ?? new Journal(claim.value.journal);
    this.ways = new TaskWays(this, this.#journal, dialect);
    this.turn = turnOf(
      claim.value,
      dialect,
      this.#controller.signal,
      (method, params) => {
        if (!this.#over) boss.said(this, method, params);
      },
      () => boss.sessionOf(this),
      error => house.problem(error),
    );
  }

  get record(): TaskRecord {
    return this.#claim.value;
  }

  /** Works until the task has ended or is given up. Never rejects. `first`: what a handler gives that runs already. */
  async run(first?: Promise<JsonObject>): Promise<void> {
    this.#claim.renew(() => this.#giveUp());
    const params = paramsOf(this.record);
    const enter: Parameters<typeof again>[0] = (run, given) => this.#house.enter(params, this.turn, run, given);
    try {
      const result = await again(enter, this.#journal, this.ways, { inputs: this.record.inputs, first });
      await this.#end({ status: 'completed', result: this.#house.complete(result) });
    } catch (error) {
      await this.#failed(error);
    }
  }

  ready(): Promise<void> {
    return this.#held(async () => {
      if (this.#claim.lapsed) await this.#claim.update(record => record);
    });
  }

  write(change: (record: TaskRecord) => Partial<TaskRecord>): Promise<void> {
    return this.#held(async () => {
      let visible = false;
      await this.#claim.update(record => {
        if (isTerminal(record.status)) throw over(record);
        const { journal = record.journal, ...rest } = change(record);
        visible = Object.keys(rest).length > 0;
        return visible ? changed(record, this.#now, { ...rest, journal }) : { ...record, journal };
      });
      // A step is nobody's business but the handler's.
      if (visible) await this.#boss.changed(this);
    });
  }

  rests(resting: boolean): void {
    if (!this.#over) this.#boss.rests(this, resting);
  }

  /** Somebody else has changed the record: answered, or cancelled. */
  async hear(): Promise<void> {
    if (this.#over || this.#ending) return;
    const record = await this.#claim.refresh().catch(this.#unlessOver);
    if (this.#over || this.#ending || record === undefined) return;
    if (isTerminal(record.status)) await this.cancelled();
    else this.ways.hear(record);
  }

  /** Somebody else has ended the task. */
  async cancelled(): Promise<void> {
    if (this.#over) return;
    this.#why = over(this.record);
    this.#finish();
    this.#controller.abort(this.#why);
    this.ways.end(this.#why);
    await this.#claim.release();
  }

  /** Gives the task back: whoever takes it enters the handler again. Nothing is left to do of one that ends. */
  async giveBack(): Promise<void> {
    if (this.#over || this.#ending) return;
    this.#finish();
    await this.#claim.release();
  }

  /** Another has taken it over, or its time is up. */
  #giveUp(): void {
    if (this.#over) return;
    this.#finish();
    this.#controller.abort(new TenonError('task/lost', `the task ${this.record.id} is another's now, or no more`));
  }

  /** Does something for a handler whose task is held here. */
  async #held(work: () => Promise<void>): Promise<void> {
    if (!this.#over) {
      try {
        return await work();
      } catch (error) {
        // It may have been ended before anybody said so.
        if (isTerminal(this.record.status)) await this.cancelled();
        this.#unlessOver(error);
      }
    }
    if (this.#why) throw this.#why;
    // Another goes on with it. An error would set the handler to undo what it has done.
    await new Promise(() => {});
  }

  readonly #unlessOver = (error: unknown): undefined => {
    if (!this.#over) throw error;
  };

  async #failed(error: unknown): Promise<void> {
    if (this.#over) return;
    if (!isForPeer(error)) this.#report(error);
    const object = isTooLarge(error) ? this.#tooLarge(error) : toErrorObject(error);
    try {
      await this.#end({ status: 'failed', error: object, statusMessage: object.message });
    } catch (problem) {
      this.#report(problem);
      this.#finish();
    }
  }

  #tooLarge(error: TenonError): ErrorObject {
    const message = `The result of tool ${this.record.params.name} is too large to be kept. ${describeSize(error)}`;
    return { code: INTERNAL_ERROR, message };
  }

  async #end(end: Partial<TaskRecord> & { status: 'completed' | 'failed' }): Promise<void> {
    if (this.#over) return;
    this.#ending = true;
    try {
      await this.#claim.release(record => ended(record, this.#now, end));
    } finally {
      this.#ending = false;
    }
    if (this.#over) return;
    this.#finish();
    if (this.record.status === end.status) this.#boss.ended(this);
  }

  #finish(): void {
    this.#over = true;
    this.#claim.stop();
    this.#boss.over(this);
  }

  #report(error: unknown): void {
    this.#house.problem(TenonError.from(error, 'task/failed', { method: `tools/call ${this.record.params.name}` }));
  }

  get #now(): number {
    return this.#house.clock.now();
  }
}

function over({ id }: TaskRecord): TenonError {
  return new TenonError('task/over', `the task ${id} has been ended: nothing more is written of it`);
}
