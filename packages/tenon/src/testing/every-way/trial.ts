import type { Answers } from '../../client/options.js';
import type { Dialect } from '../../dialects/dialect.js';
import { systemClock } from '../../jsonrpc/clock.js';
import { TenonError } from '../../jsonrpc/error.js';
import { compareResults, compareWays, nameOf } from './difference.js';
import { Observation } from './observation.js';
import type { Road } from './roads.js';

export interface TrialOptions {
  /** What the client answers. What is not here it can not be asked. */
  readonly answers?: Answers | undefined;
  /**
   * What the handler has done that the kit can not see: called before and after each way. Give what fakes have written down and let
   * them begin anew: `() => mails.splice(0)`. Compared like the rest.
   */
  readonly effects?: (() => readonly unknown[]) | undefined;
  /** Makes of what the handler returned what is to be compared. Default: all of it. */
  readonly compare?: ((returned: unknown) => unknown) | undefined;
  /** How long one way may take, in milliseconds. Default 10,000. */
  readonly timeout?: number | undefined;
}

/** The ways of one handler, each held against the first. */
export class Trial {
  readonly answers: Answers;
  readonly #options: TrialOptions;
  /** What was seen in the first way. */
  expected: Observation | undefined;
  /** The first ways of each revision. */
  readonly #firsts = new Map<Dialect, Observation>();
  readonly #values = new Map<string, unknown>();
  #fail: (error: TenonError) => void = () => {};

  constructor(options: TrialOptions) {
    this.#options = options;
    this.answers = options.answers ?? {};
  }

  async observe(road: Road, travel: (way: Observation) => Promise<void>): Promise<Observation | undefined> {
    const way = new Observation(road);
    const { effects, timeout = 10_000, compare } = this.#options;
    // Another time than before, so that what depends on the clock is another, too.
    await passes(2);
    // What a handler of before has left going on is none of this way.
    effects?.();
    await this.#inTime(way, timeout, () => travel(way)).finally(() => way.onOver());
    way.effects = effects?.() ?? [];
    if (this.expected) compareWays(this.expected, way, compare);
    const alike = this.#firsts.get(road.dialect);
    if (alike && !compare) compareResults(alike, way);
    else if (alike === undefined) this.#firsts.set(road.dialect, way);
    this.expected ??= way;
    return way;
  }

  /** The way has gone wrong already: nobody waits for its end. */
  fail(error: TenonError): void {
    this.#fail(error);
  }

  /** What a step returns: what it returned the first time that it ran in any way. */
  valueOf<T>(step: string, n: number, own: T): T {
    const key = `${n} ${step}`;
    if (!this.#values.has(key)) this.#values.set(key, own);
    return this.#values.get(key) as T;
  }

  #inTime(way: Observation, timeout: number, travel: () => Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#fail = reject;
      const off = systemClock.after(timeout, () => reject(endless(way, timeout)), { hold: true });
      travel().then(resolve, reject).finally(off);
    });
  }
}

function passes(ms: number): Promise<void> {
  return new Promise(resolve => {
    systemClock.after(ms, resolve, { hold: true });
  });
}

function endless(way: Observation, timeout: number): TenonError {
  const last = way.seen.at(-1) as { readonly question?: string; readonly step?: string } | undefined;
  return new TenonError('testing/no-end', `${nameOf(way)} did not come to an end within ${timeout} ms`, {
    got: last ? `last ${last.step === undefined ? last.question : `the step "${last.step}"`}` : 'nothing',
    next: 'see what the handler waits for, or raise `timeout`',
  });
}
