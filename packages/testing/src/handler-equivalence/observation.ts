import type { JsonObject } from '@tenon/base';
import type { ClientCapabilities, TaskStatus } from 'tenon';
import { isTerminal } from 'tenon/testing-internals';
import type { HandlerAction } from './handler-action.js';
import type { Replica } from './replica.js';
import type { ExecutionScenario } from './scenarios.js';

/** An observed event: an input request that reached the client, or a step that ran. */
export type ObservedEvent =
  | { readonly question: string; readonly params: JsonObject }
  | { readonly step: string; readonly threw?: string };

interface RecordedEvent {
  observed: ObservedEvent;
  /** Process in which the event happened. */
  readonly replica: Replica;
  readonly n: number;
  done: boolean;
  /** True when the client has the result. */
  persisted: boolean;
  /** True if the event was in progress or not stored yet when its process crashed. It happens again and counts then. */
  interrupted: boolean;
}

/** Everything that was observed of a handler in one scenario. */
export class Observation {
  readonly scenario: ExecutionScenario;
  readonly #events: RecordedEvent[] = [];
  effects: readonly unknown[] = [];
  result: JsonObject | undefined;
  error: { readonly code: number | undefined; readonly message: string } | undefined;
  /** Actions of the handler, in the run that ended. */
  actions: readonly HandlerAction[] = [];
  /** Return value or error of that run. */
  outcome: unknown;
  /** Number of runs of the handler. */
  entries = 0;
  /** True if the handler returned input requests. Their order may differ between runs. */
  returnsInputRequests = false;
  /** True if the handler did several actions concurrently. Their order is then not compared. */
  overlaps = false;
  /** Capabilities that the client declared. */
  capabilities: ClientCapabilities = {};
  missingCapabilities: readonly string[] = [];
  /** Called when the scenario has failed, so that its end is not awaited. */
  onEnd: () => void = () => {};

  constructor(scenario: ExecutionScenario) {
    this.scenario = scenario;
  }

  get seen(): readonly ObservedEvent[] {
    return this.#events.filter(({ interrupted }) => !interrupted).map(({ observed }) => observed);
  }

  get interruptedCount(): number {
    return this.#events.filter(({ interrupted }) => interrupted).length;
  }

  /** Records an input request that reached the client, and answers it. */
  async recordRequest(question: string, params: JsonObject, replica: Replica, answer: () => unknown): Promise<never> {
    return replica.runIfAlive(async () => {
      const { _meta, ...plain } = params;
      this.#events.push({
        observed: { question, params: plain },
        replica,
        n: 0,
        done: true,
        persisted: false,
        interrupted: false,
      });
      return (await answer()) as never;
    });
  }

  /** Records and runs a step. */
  async recordStep<T>(step: string, n: number, replica: Replica, work: () => T | Promise<T>): Promise<T> {
    const event: RecordedEvent = { observed: { step }, replica, n, done: false, persisted: false, interrupted: false };
    this.#events.push(event);
    try {
      return await work();
    } catch (error) {
      event.observed = { step, threw: String(error instanceof Error ? error.message : error) };
      throw error;
    } finally {
      event.done = true;
    }
  }

  /** Marks the events so far as stored, because a round was answered with its state. */
  markAnswered(): void {
    for (const event of this.#events) event.persisted = event.done;
  }

  /** Handles a crash of a process. Events that the written record of its call does not contain will happen again. */
  markReplicaLost(replica: Replica, { journal, entries, questions = {}, status }: JsonObject): void {
    // A call that has ended is complete, and its journal was deleted.
    if (status !== undefined && isTerminal(status as TaskStatus)) return;
    const recorded = (journal ?? entries ?? []) as readonly { step?: string; n?: number }[];
    const open = Object.values(questions as Record<string, { method: string; params?: JsonObject }>);
    const lostEvents = this.#events.filter(each => each.replica === replica && !each.interrupted && !each.persisted);
    for (const event of lostEvents.reverse()) {
      const { observed, n } = event;
      if ('step' in observed) {
        const threw = event.done && observed.threw !== undefined;
        event.interrupted = !threw && !recorded.some(entry => entry.step === observed.step && (entry.n ?? 0) === n);
      } else {
        const index = open.findIndex(({ method, params }) => isSameRequest(observed, method, params));
        if (index >= 0) open.splice(index, 1);
        event.interrupted = index >= 0;
      }
    }
  }
}

/** Tells if two input requests are equal. Their form may differ between protocol versions. */
function isSameRequest(
  { question, params }: Extract<ObservedEvent, { question: string }>,
  method: string,
  other: JsonObject = {},
): boolean {
  return question === method && params.message === other.message && params.url === other.url;
}
