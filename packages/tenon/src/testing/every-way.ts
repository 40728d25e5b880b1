import { TenonError } from '../jsonrpc/error.js';
import type { JsonObject } from '../jsonrpc/message.js';
import type { Observation, Seen } from './every-way/observation.js';
import { type Road, roadsOf } from './every-way/roads.js';
import { type Handler, subjectOf } from './every-way/subject.js';
import { travel } from './every-way/travel.js';
import { Trial, type TrialOptions } from './every-way/trial.js';

/** What a handler is given, and what its client answers. */
export interface EveryWayOptions extends TrialOptions {
  /** The arguments of the call. Default `{}`. Of a resource: none. */
  readonly input?: JsonObject | undefined;
}

/** One way in which the handler was served, and what could be seen of it. */
export interface Way {
  /**
   * `by-request`, `held` (the handler waits in memory), `replayed` (it is entered again), `replayed by another replica`,
   * `replayed, crashed at every write`, `task`, `promoted` (the call becomes a task while the handler is at work), and
   * these two, `crashed at every write`.
   */
  readonly way: string;
  readonly revision: string;
  /** The questions that reached the client, in the words of the newest revision, and the steps that ran, in their order. */
  readonly seen: readonly Seen[];
  /** How often the handler was entered. */
  readonly entries: number;
  /** What `effects` gave. */
  readonly effects: readonly unknown[];
  /** What the client got: a result, or an error. */
  readonly result?: JsonObject;
  readonly error?: { readonly code: number | undefined; readonly message: string };
  /** What the handler asks and a client of this revision can not be asked: then nothing of it is compared. */
  readonly lacks?: readonly string[];
}

/**
 * Serves one handler on every revision, in every way in which it can be served there: by requests, by retries that find
 * it in memory or enter it again, here or in another process, as a task, as a task whose process dies after each write.
 * Compares what could be seen. Rejects with `testing/ways-differ` when the handler asks, does or returns something else in
 * one way than in another, which it will in production: it does something outside of `ctx.step` that has to stand in one.
 * Nothing is waited for: processes, clients and clocks are played. What a step returned in the first way it returns in
 * all, so that what depends on it is the same.
 */
export async function everyWay(handler: Handler, options: EveryWayOptions = {}): Promise<Way[]> {
  const { input = {}, ...rest } = options;
  const subject = subjectOf(handler, input);
  const trial = new Trial(rest);
  const roads = roadsOf(subject);
  const ways: Way[] = [];
  for (const road of roads) {
    for (const each of road.promotion ? promotions(road, trial) : [road]) {
      const observation = await trial.observe(each, way => travel(subject, each, way, trial));
      if (observation) ways.push(wayOf(observation));
    }
  }
  if (ways.length > 0) return ways;
  throw new TenonError('testing/no-way', 'there is no way in which this handler can be served');
}

/** A call can become a task whatever its handler is doing. */
function promotions(road: Road, { expected }: Trial): Road[] {
  const deeds = expected?.deeds ?? [];
  return deeds.slice(0, MAX_PROMOTIONS).map((_, at) => ({ ...road, promotion: { at } }));
}

const MAX_PROMOTIONS = 16;

function wayOf({ road, seen, entries, effects, result, error, lacks }: Observation): Way {
  const { name, dialect } = road;
  return {
    way: name,
    revision: dialect.revision,
    seen,
    entries,
    effects,
    ...(result ? { result } : {}),
    ...(error ? { error } : {}),
    ...(lacks.length > 0 ? { lacks } : {}),
  };
}
