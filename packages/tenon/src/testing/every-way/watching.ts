import type { Run } from '../../conversation/asking/asking.js';
import { copyOf } from '../../conversation/asking/json-value.js';
import { lacking } from '../../conversation/capability.js';
import { TenonError } from '../../jsonrpc/error.js';
import type { ClientCapabilities } from '../../model/capabilities.js';
import { Context } from '../../server/context.js';
import { isInputRequired } from '../../server/reply.js';
import { type Deed, shown } from './deed.js';
import { missed, strayed } from './difference.js';
import type { Observation } from './observation.js';
import type { Replica } from './replica.js';
import type { Enter } from './subject.js';
import type { Trial } from './trial.js';

/** What happens when a handler comes to something: a call may become a task at this moment. */
export type OnDeed = (at: number) => void;

/** The handler, seen through: what it asks and does goes on to where it goes, and is noted. */
export function watched(enter: Enter, way: Observation, replica: Replica, trial: Trial, onDeed: OnDeed): Enter {
  return async (input, context) => {
    const entry = new Entry(context, way, replica, trial, onDeed);
    try {
      const returned = await enter(input, context);
      entry.returned(returned);
      return returned;
    } catch (error) {
      entry.threw(error);
      throw error;
    }
  };
}

/** One time that the handler is entered. */
class Entry {
  readonly #way: Observation;
  readonly #replica: Replica;
  readonly #trial: Trial;
  readonly #onDeed: OnDeed;
  readonly #deeds: Deed[] = [];
  readonly #counts = new Map<string, number>();
  #going = 0;

  constructor(context: Context, way: Observation, replica: Replica, trial: Trial, onDeed: OnDeed) {
    this.#way = way;
    this.#replica = replica;
    this.#trial = trial;
    this.#onDeed = onDeed;
    way.entries++;
    way.capabilities = context.client.capabilities;
    way.lacks = lacks(trial.expected, way);
    this.#listen(Context.runOf(context));
  }

  returned(value: unknown): void {
    if (this.#replica.lost) return;
    if (isInputRequired(value)) this.#way.returns = true;
    else this.#ends({ returned: value });
  }

  threw(error: unknown): void {
    if (!this.#replica.lost) this.#ends({ threw: reasonOf(error) });
  }

  #ends(outcome: object): void {
    const way = this.#way;
    way.deeds = [...this.#deeds];
    way.outcome = plain(outcome);
    const expected = this.#expected;
    const error = expected && missed(expected, way, this.#deeds);
    if (error) this.#trial.fail(error);
  }

  /** What this way can be held against. */
  get #expected(): Observation | undefined {
    const { expected } = this.#trial;
    return this.#way.lacks.length > 0 || this.#way.returns || expected?.returns ? undefined : expected;
  }

  #listen(run: Run): void {
    const ask = run.ask.bind(run);
    const step = run.step.bind(run);
    run.ask = (question, params) => this.#deed({ question, params: copyOf(params) }, () => ask(question, params));
    run.step = (name, work) => {
      const n = this.#counts.get(name) ?? 0;
      this.#counts.set(name, n + 1);
      return this.#deed({ step: name }, () => step(name, () => this.#work(name, n, work)));
    };
  }

  #deed<T>(deed: Deed, go: () => Promise<T>): Promise<T> {
    return this.#replica.alive(async () => {
      this.#deeds.push(deed);
      if (this.#going > 0) this.#way.overlaps = true;
      this.#going++;
      const expected = this.#expected;
      const error = expected && strayed(expected, this.#way, this.#deeds);
      if (error) {
        this.#trial.fail(error);
        return new Promise<T>(() => {});
      }
      if (deed.question) this.#onDeed(this.#deeds.length - 1);
      return go().finally(() => {
        this.#going--;
      });
    });
  }

  /** A call that becomes a task does so in the midst of a step. */
  #work<T>(name: string, n: number, work: () => T | Promise<T>): Promise<T> {
    return this.#replica.alive(() =>
      this.#way.ran(name, n, this.#replica, async () => {
        const doing = work();
        this.#onDeed(this.#deeds.findIndex(({ step }) => step === name));
        return this.#trial.valueOf(name, n, await doing);
      }),
    );
  }
}

/** What was asked in the first way, where it could be, and this client can not be asked. */
function lacks(expected: Observation | undefined, { capabilities }: Observation): string[] {
  if (expected === undefined) return [];
  const isAskable = (deed: Deed, by: ClientCapabilities) =>
    deed.question === undefined || lacking(deed.question, deed.params, by) === undefined;
  return expected.deeds
    .filter(deed => isAskable(deed, expected.capabilities) && !isAskable(deed, capabilities))
    .map(shown);
}

/** As JSON, where it can be: what can not is told in words. */
function plain(outcome: object): unknown {
  try {
    return JSON.parse(JSON.stringify(outcome));
  } catch (error) {
    return String(error);
  }
}

/** That the client can not be asked is said in other words where there is a code for it. */
function reasonOf(error: unknown): string {
  if (!TenonError.is(error)) return String(error);
  const isLack =
    error.code === 'client/lacks' || (error.data as { requiredCapabilities?: unknown })?.requiredCapabilities;
  return isLack ? 'the client lacks a capability' : error.message;
}
